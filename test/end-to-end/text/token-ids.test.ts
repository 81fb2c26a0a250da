import { expect, it } from "vitest";
import { fileServer } from "../../kit/server.js";
import { builtInModel as model, testKey } from "../../kit/server/settings.js";

const shared = fileServer();
const messages = [{ role: "user", content: "Hi" }];
/** Integers outside the vocabulary, and what is no token id at all. */
const bad = [999_999, 2 ** 31 - 1, 2 ** 31, 1e300, -1, 1.5, "NaN", null];

/** A request for each place in which clients give token ids, and how its error names the place. */
const places = [
  ["/v1/completions", (id: unknown) => ({ model, prompt: [1, id] }), "prompt"],
  [
    "/v1/completions",
    (id: unknown) => ({
      model,
      prompt: [
        [1, 2],
        [3, id],
      ],
    }),
    "prompt.1",
  ],
  ["/v1/completions", (id: unknown) => ({ model, prompt: [1, id], stream: true, echo: true }), "prompt"],
  ["/v1/embeddings", (id: unknown) => ({ model: "hearth-embed-1m", input: [1, id] }), "input"],
  ["/v1/embeddings", (id: unknown) => ({ model: "hearth-embed-1m", input: [[1], [2, id]] }), "input.1"],
  [
    "/v1/chat/completions",
    (id: unknown) => ({ model, messages, logit_bias: { [String(id)]: 1 } }),
    "logit_bias",
  ],
  [
    "/v1/chat/completions",
    (id: unknown) => ({ model, messages, stream: true, logit_bias: { 5: 1, [String(id)]: 1 } }),
    "logit_bias",
  ],
  [
    "/v1/completions",
    (id: unknown) => ({ model, prompt: "a", logit_bias: { [String(id)]: -100 } }),
    "logit_bias",
  ],
  ["/api/generate", (id: unknown) => ({ model, prompt: "a", context: [1, id] }), "context"],
] as const;

it.each(places)("F31: %s refuses token ids outside the vocabulary: %s", async (path, body, field) => {
  const answers = await Promise.all(
    bad.map(async (id) => {
      const response = await fetch(`${shared().url}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
        body: JSON.stringify(body(id)),
      });
      const text = await response.text();
      const says = path.startsWith("/api/") ? `"${field}: ` : `"${field}`;
      // 422 says that the type is wrong.
      const status = response.status === 422 && !Number.isInteger(id) ? 400 : response.status;
      return [id, status, text.includes(says) ? "names the field" : text];
    }),
  );
  expect(answers).toEqual(bad.map((id) => [id, 400, "names the field"]));
});

it("F31: the last token of the vocabulary is allowed", async () => {
  const { message } = await shared()
    .client.chat.completions.create({
      model,
      messages: [{ role: "user", content: "Hi" }],
      logit_bias: { 999999: 1 },
    })
    .then(
      () => ({ message: "" }),
      (error: Error) => error,
    );
  const count = Number(/one of the (\d+) tokens/.exec(message)?.[1]);
  const last = String(count - 1);
  const answer = await shared().client.completions.create({
    model,
    prompt: [count - 1],
    max_tokens: 2,
    logit_bias: { [last]: -5 },
  });
  expect(answer.usage?.prompt_tokens).toBe(1);
  await expect(shared().client.completions.create({ model, prompt: [count], max_tokens: 2 })).rejects.toThrow(
    "position 0",
  );
});
