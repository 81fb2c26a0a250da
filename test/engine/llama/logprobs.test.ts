import { join } from "node:path";
import { expect, it } from "vitest";
import { loadLlama } from "../../kit/engine/llama.js";
import { temporaryFolder } from "../../kit/folder.js";
import { writeVerifiedModel } from "../../kit/models/verified-model.js";
import { fileServer } from "../../kit/server.js";

const models = { path: "" };
const shared = fileServer(async (finished) => {
  models.path = temporaryFolder(finished);
  // Its tokens are about equally likely, most of them beyond the thousand that are sampled from.
  await writeVerifiedModel(models.path, "broad", {
    words: Array.from({ length: 2000 }, (_, at) => `w${at}`),
    seed: 3,
  });
  return { environment: { HEARTH_MODELS: models.path } };
});

it("the log probability of a token counts all tokens of the vocabulary", async () => {
  const prompt = "hello world";
  const { choices } = await shared().client.completions.create({
    model: "broad",
    prompt,
    max_tokens: 1,
    temperature: 0,
    logprobs: 1,
  });
  const [logprob = 0] = choices[0]?.logprobs?.token_logprobs ?? [];
  const model = await (await loadLlama()).loadModel({ modelPath: join(models.path, "broad", "random.gguf") });
  const context = await model.createContext({ contextSize: 128, threads: 1 });
  const evaluation = context
    .getSequence()
    .evaluateWithMetadata(model.tokenize(prompt), { confidence: true }, { temperature: 0 });
  const { value } = await evaluation.next();
  await evaluation.return();
  await model.dispose();
  expect(logprob).toBeCloseTo(Math.log(value?.confidence ?? 1), 3);
});
