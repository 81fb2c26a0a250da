/** Answers that depend on the settings of the engine: each test starts an engine of its own. */
import { expect, it } from "vitest";
import { requestJson } from "../../kit/clients/chat-answers.js";
import { fileServer, startServer, type TestServer } from "../../kit/server.js";
import { builtInModel } from "../../kit/server/settings.js";
import { workerUrls } from "../../kit/worker-urls.js";

const shared = fileServer();

it("returns a system_fingerprint that changes with the engine's settings, but not between starts", async () => {
  const printOf = async ({ client }: TestServer): Promise<string | undefined> => {
    const messages = [{ role: "user" as const, content: "Hello!" }];
    const answer = await client.chat.completions.create({ model: builtInModel, messages, max_tokens: 1 });
    return answer.system_fingerprint ?? undefined;
  };
  const first = await printOf(shared());
  expect(first).toMatch(/^fp_[0-9a-f]{10}$/);
  // With a named thread, the server starts an engine of its own.
  expect(await printOf(await startServer({ workerUrl: workerUrls.workerUrl }))).toBe(first);
  const environment = { HEARTH_KV_CACHE_TYPE: "q8_0" };
  expect(await printOf(await startServer({ environment }))).not.toBe(first);
});

it("fills the context to the last token and ends with length, without shifting the context", async () => {
  const app = await startServer({ environment: { HEARTH_CONTEXT_TOKENS_MAX: "64" } });
  const ask = (words: number, more: object = {}) =>
    requestJson(app, {
      messages: [
        { role: "system", content: "word ".repeat(words) },
        { role: "user", content: "Count from 1 to 30." },
      ],
      ...more,
    });
  let words = 1;
  const promptTokens = async (): Promise<number> =>
    (await ask(words, { max_tokens: 1 })).usage?.prompt_tokens ?? 0;
  while ((await promptTokens()) < 60) words += 1;
  const { choices, usage } = await ask(words, { temperature: 0 });
  expect(choices[0]?.finish).toBe("length");
  expect(usage?.total_tokens).toBe(64);
});
