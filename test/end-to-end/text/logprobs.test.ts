import { describe, expect, it } from "vitest";
import { deterministicFileServer } from "../../kit/server.js";
import { builtInModel } from "../../kit/server/settings.js";
import {
  firstChoice,
  type FoldedChoice,
  requestStream,
  requestJson,
} from "../../kit/clients/chat-answers.js";

const shared = deterministicFileServer();

const story = [{ role: "user" as const, content: "Tell me a long story." }];
const schema = {
  type: "object",
  properties: { mood: { enum: ["glad", "sad"] }, word: { type: "string", maxLength: 12 } },
  required: ["mood", "word"],
};
const withSchema = { response_format: { type: "json_schema", json_schema: { name: "s", schema } } };

const tokensOf = ({ logprobs }: FoldedChoice) => {
  if (logprobs === null) throw new Error("no log probabilities");
  return logprobs;
};
const bytesOf = (choice: FoldedChoice): string =>
  Buffer.from(tokensOf(choice).flatMap(({ bytes }) => bytes ?? [])).toString();

describe("log probabilities", () => {
  it.each([
    ["free text", { messages: story, max_tokens: 40 }],
    ["text with a schema", { ...withSchema, max_tokens: 60 }],
    ["text after reasoning", { reasoning_effort: "low", max_completion_tokens: 40 }],
  ])(
    "of %s are consistent: the most likely token is selected, and probabilities sum to at most 1",
    async (_case, body) => {
      const app = shared();
      const choice = firstChoice(await requestJson(app, { ...body, logprobs: true, top_logprobs: 20 }));
      const tokens = tokensOf(choice);
      expect(tokens.length).toBeGreaterThan(5);
      for (const { token, bytes, logprob, top_logprobs: top } of tokens) {
        expect(top[0]).toEqual({ token, bytes, logprob });
        expect(top.map((each) => each.logprob)).toEqual(
          top.map((each) => each.logprob).sort((a, b) => b - a),
        );
        expect(top.reduce((sum, each) => sum + Math.exp(each.logprob), 0)).toBeLessThanOrEqual(1 + 1e-5);
        expect(logprob).toBeLessThanOrEqual(0);
      }
      expect(bytesOf(choice)).toBe(choice.content);
    },
  );

  it.each([
    ["free text", { messages: story, max_tokens: 30 }],
    ["text with a schema", { ...withSchema, max_tokens: 60 }],
    ["text that a stop sequence ends", { messages: story, max_tokens: 60, stop: ["e", "\n"] }],
    ["text after reasoning", { reasoning_effort: "low", max_completion_tokens: 40 }],
  ])("of %s do not change the answer and are the same streamed and as JSON", async (_case, body) => {
    const app = shared();
    const withLogprobs = { ...body, logprobs: true, top_logprobs: 3 };
    const [plain, json, frames] = [
      await requestJson(app, body),
      await requestJson(app, withLogprobs),
      await requestStream(app, withLogprobs),
    ];
    expect(firstChoice(json).content).toBe(firstChoice(plain).content);
    expect(firstChoice(plain).logprobs).toBeNull();
    expect(frames.choices).toEqual(json.choices);
  });

  it("contain the bytes of the text, even if a character consists of several tokens", async () => {
    const app = shared();
    const messages = [{ role: "user", content: 'Say "🙂🔥 čaj 日本".' }];
    // Any character, so that the answer contains many characters without a token of their own.
    const pattern = {
      type: "object",
      properties: { a: { type: "string", pattern: "^[日-本🔥-🙂]{3}$" } },
      required: ["a"],
    };
    const choice = firstChoice(
      await requestJson(app, {
        messages,
        max_tokens: 60,
        logprobs: true,
        response_format: { type: "json_schema", json_schema: { name: "s", schema: pattern } },
      }),
    );
    const parts = tokensOf(choice).filter(({ token }) => token.includes("\uFFFD"));
    expect(parts.length).toBeGreaterThan(3);
    expect(bytesOf(choice)).toBe(choice.content);
  });

  it("exclude a stop sequence and the tokens after it", async () => {
    const app = shared();
    const { content } = firstChoice(await requestJson(app, { messages: story, max_tokens: 60 }));
    const stop = content.slice(20, 27);
    const cut = firstChoice(
      await requestJson(app, { messages: story, max_tokens: 60, stop, logprobs: true }),
    );
    expect(cut.content).toBe(content.slice(0, content.indexOf(stop)));
    const bytes = bytesOf(cut);
    // A token that begins in the text may extend into the stop sequence.
    expect(bytes.startsWith(cut.content)).toBe(true);
    expect(
      Buffer.from(
        tokensOf(cut)
          .slice(0, -1)
          .flatMap(({ bytes }) => bytes ?? []),
      ).length,
    ).toBeLessThan(Buffer.byteLength(cut.content) + 1);
  });

  it.each([0, 1, 5, 20])("contain %i alternatives if so many are requested", async (top) => {
    const app = shared();
    const choice = firstChoice(await requestJson(app, { max_tokens: 4, logprobs: true, top_logprobs: top }));
    for (const { top_logprobs } of tokensOf(choice)) expect(top_logprobs.length).toBe(top);
  });

  it("name a control token and give it no bytes", async () => {
    const app = shared();
    const choice = firstChoice(
      await requestJson(app, { max_tokens: 40, messages: story, logprobs: true, top_logprobs: 20 }),
    );
    const alternatives = tokensOf(choice).flatMap(({ top_logprobs: top }) => top);
    const end = alternatives.find(({ token }) => token === "<|im_end|>");
    expect(end?.bytes).toEqual([]);
    expect(alternatives.filter(({ token }) => token === "")).toEqual([]);
  });

  it("are those of temperature 1, whatever the sampling temperature", async () => {
    const app = shared();
    const ask = async (body: object) =>
      tokensOf(
        firstChoice(await requestJson(app, { max_tokens: 1, logprobs: true, top_logprobs: 5, ...body })),
      )[0];
    const cold = await ask({});
    const hot = await ask({ temperature: 2, seed: 3, top_p: 0.9, top_k: 50, min_p: 0.01 });
    expect(hot?.top_logprobs).toEqual(cold?.top_logprobs);
  });

  it("are returned for every choice", async () => {
    const app = shared();
    const body = { n: 3, temperature: 1, seed: 1, max_tokens: 12, logprobs: true, top_logprobs: 2 };
    const { choices } = await requestJson(app, body);
    for (const choice of choices) expect(bytesOf(choice)).toBe(choice.content);
    expect((await requestStream(app, body)).choices).toEqual(choices);
  });

  it("contain at most 20 alternatives and require logprobs: true", async () => {
    const app = shared();
    const ask = (body: object) =>
      app.client.chat.completions.create({
        model: builtInModel,
        messages: [{ role: "user", content: "Hi" }],
        ...body,
      });
    for (const body of [{ logprobs: true, top_logprobs: 21 }, { top_logprobs: 2 }])
      await expect(ask(body)).rejects.toMatchObject({ status: 400, param: "top_logprobs" });
  });
});
