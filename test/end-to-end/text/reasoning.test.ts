import { describe, expect, it } from "vitest";
import { template } from "../../kit/engine/tool-answers.js";
import { buildVocabulary } from "../../kit/models/gguf-writer/vocabulary.js";
import { temporaryFolder } from "../../kit/folder.js";
import { type TestServer, fileServer, startServer } from "../../kit/server.js";
import { engineOf } from "../../kit/server/built-in.js";
import { writeVerifiedModel } from "../../kit/models/verified-model.js";
import { authorization } from "../../kit/ledger.js";
import {
  firstChoice,
  type FoldedAnswer,
  requestStream,
  requestJson,
} from "../../kit/clients/chat-answers.js";

const shared = fileServer();

const story = [{ role: "user" as const, content: "Tell me a long story." }];
const reasoningTokensOf = ({ usage }: FoldedAnswer): number =>
  usage?.completion_tokens_details?.reasoning_tokens ?? NaN;

/** A template that opens the reasoning block itself unless reasoning is off, and includes the reasoning of the last turn. */
const opening =
  "{%- for m in messages -%}<|im_start|>{{ m.role }}\n" +
  "{%- if m.reasoning_content is defined and loop.index0 > messages | length - 3 -%}" +
  "<think>\n{{ m.reasoning_content }}\n</think>\n\n{%- endif -%}{{ m.content }}<|im_end|>\n{%- endfor -%}" +
  "{%- if add_generation_prompt -%}<|im_start|>assistant\n<think>\n" +
  "{%- if enable_thinking is defined and not enable_thinking -%}\n</think>\n\n{%- endif -%}{%- endif -%}";

/** A folder with a model of random weights that begins its answers inside a reasoning block. */
let openingModels = "";
const sharedOpening = fileServer(async (finished) => {
  openingModels = temporaryFolder(finished);
  await writeVerifiedModel(openingModels, "random", { chatTemplate: opening, words: [], seed: 2 });
  return { environment: { HEARTH_MODELS: openingModels } };
});

describe("reasoning_effort of the built-in model", () => {
  it.each(["low", "medium", "high"])(
    "%s makes it reason first, separately from its answer and counted separately",
    async (effort) => {
      const app = shared();
      const body = { reasoning_effort: effort, deterministic: true };
      const [json, frames] = [await requestJson(app, body), await requestStream(app, body)];
      for (const answer of [json, frames]) {
        const { reasoning, content, finish } = firstChoice(answer);
        expect([reasoning.trim() === "", content.trim() === "", finish]).toEqual([false, false, "stop"]);
        expect(reasoning + content).not.toMatch(/<\/?think>/);
        expect(reasoningTokensOf(answer)).toBeGreaterThan(1);
        const {
          prompt_tokens: prompt = 0,
          completion_tokens: said = 0,
          total_tokens: total,
        } = answer.usage ?? {};
        expect(total).toBe(prompt + said + reasoningTokensOf(answer));
      }
      expect(firstChoice(frames)).toEqual(firstChoice(json));
      expect(reasoningTokensOf(frames)).toBe(reasoningTokensOf(json));
    },
  );

  it("none makes it answer at once, also with a response format", async () => {
    const app = shared();
    for (const more of [{}, { response_format: { type: "json_object" }, max_tokens: 30 }]) {
      const answer = await requestJson(app, { reasoning_effort: "none", ...more });
      expect([firstChoice(answer).reasoning, reasoningTokensOf(answer)]).toEqual(["", 0]);
      expect(firstChoice(answer).content).not.toBe("");
    }
  });

  it("is not limited by max_completion_tokens, which counts only the visible text", async () => {
    const app = shared();
    const body = { reasoning_effort: "low", messages: story, deterministic: true };
    const free = await requestJson(app, body);
    const bound = await requestJson(app, { ...body, max_completion_tokens: 4 });
    expect(firstChoice(bound).reasoning).toBe(firstChoice(free).reasoning);
    expect([firstChoice(bound).finish, bound.usage?.completion_tokens]).toEqual(["length", 4]);
  });

  it("is limited by max_tokens, and by the other dialects' bounds, together with the text", async () => {
    const app = shared();
    const chat = await requestJson(app, { reasoning_effort: "low", messages: story, max_tokens: 4 });
    const { completion_tokens: said = NaN } = chat.usage ?? {};
    expect([firstChoice(chat).finish, said + reasoningTokensOf(chat)]).toEqual(["length", 4]);
    const send = async (path: string, body: object) => {
      const init = {
        method: "POST",
        headers: authorization,
        body: JSON.stringify({ model: "hearth-tiny-5m", ...body }),
      };
      return (await (await fetch(`${app.url}${path}`, init)).json()) as { usage: { output_tokens: number } };
    };
    const low = { effort: "low" };
    const responses = { input: "Tell me a long story.", reasoning: low, max_output_tokens: 4 };
    expect((await send("/v1/responses", responses)).usage.output_tokens).toBe(4);
    const messages = { messages: story, thinking: { type: "adaptive" }, output_config: low, max_tokens: 4 };
    expect((await send("/v1/messages", messages)).usage.output_tokens).toBe(4);
  });

  it("allows reasoning before a response format, which applies only to the answer", async () => {
    const app = shared();
    const schema = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] };
    const format = { type: "json_schema", json_schema: { name: "s", schema } };
    const answer = await requestJson(app, {
      reasoning_effort: "low",
      response_format: format,
      max_tokens: 60,
    });
    const { reasoning, content, finish } = firstChoice(answer);
    expect([reasoning.trim() === "", finish]).toEqual([false, "stop"]);
    expect(typeof (JSON.parse(content) as { ok: unknown }).ok).toBe("boolean");
    expect(reasoningTokensOf(answer)).toBeGreaterThan(1);
  });

  it("with an unknown value is rejected with a 400 that names the field", async () => {
    const app = shared();
    const answer = requestJson(app, { reasoning_effort: "a lot" });
    await expect(answer).rejects.toMatchObject({ status: 400, param: "reasoning_effort" });
  });
});

describe("a model whose template opens the reasoning block", () => {
  const { tokens } = buildVocabulary([], 0);
  // It would end its turn or its reasoning at random, which these tests do not cover.
  const ends = ["<|im_end|>", "<|endoftext|>", "<think>", "</think>"].map((text): [number, number] => [
    tokens.indexOf(text),
    -100,
  ]);
  const ask = (app: TestServer, body: object) =>
    requestJson(app, {
      model: "random",
      temperature: 1,
      seed: 1,
      logit_bias: Object.fromEntries(ends),
      ...body,
    });

  it("reasons from its first token on, by default and with an effort", async () => {
    const app = sharedOpening();
    for (const body of [{}, { reasoning_effort: "high" }]) {
      // Only the context limits its reasoning.
      const answer = await ask(app, body);
      const { reasoning, finish } = firstChoice(answer);
      expect([reasoning === "", finish]).toEqual([false, "length"]);
      expect(reasoningTokensOf(answer)).toBeGreaterThan(1900);
    }
  });

  it("reasons up to the setting's limit without an effort, and up to the context with the highest", async () => {
    const environment = { HEARTH_MODELS: openingModels, HEARTH_REASONING_TOKENS_MAX: "50" };
    const app = await startServer({ environment, engine: engineOf(sharedOpening()) });
    const bounded = await ask(app, { max_completion_tokens: 5 });
    expect(reasoningTokensOf(bounded)).toBeGreaterThan(40);
    expect(reasoningTokensOf(bounded)).toBeLessThan(60);
    expect(firstChoice(bounded).content).not.toBe("");
    const high = await ask(app, { reasoning_effort: "high", max_tokens: 100 });
    expect(reasoningTokensOf(high)).toBe(100);
  });

  it("does not reason with none", async () => {
    const app = sharedOpening();
    const answer = await ask(app, { reasoning_effort: "none", max_tokens: 20 });
    expect([firstChoice(answer).reasoning, reasoningTokensOf(answer)]).toEqual(["", 0]);
    expect(answer.usage?.completion_tokens).toBe(20);
  });

  it("stops reasoning at the budget of a low effort and then answers", async () => {
    const app = sharedOpening();
    const body = { reasoning_effort: "low", max_completion_tokens: 20 };
    const answer = await ask(app, body);
    const { content, finish, reasoning } = firstChoice(answer);
    expect([reasoning === "", content === "", finish]).toEqual([false, false, "length"]);
    // The budget, and the few tokens that end the block.
    expect(reasoningTokensOf(answer)).toBeGreaterThanOrEqual(1024);
    expect(reasoningTokensOf(answer)).toBeLessThan(1024 + 16);
    expect(answer.usage?.completion_tokens).toBe(20);
    expect(reasoning + content).not.toMatch(/<\/?think>/);
  });

  it("follows the response format after the budget has ended its reasoning", async () => {
    const app = sharedOpening();
    const schema = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] };
    const format = { type: "json_schema", json_schema: { name: "s", schema } };
    const body = { reasoning_effort: "low", response_format: format, max_completion_tokens: 100 };
    const answer = await ask(app, body);
    expect(firstChoice(answer).finish).toBe("stop");
    expect(typeof (JSON.parse(firstChoice(answer).content) as { ok: unknown }).ok).toBe("boolean");
    expect(reasoningTokensOf(answer)).toBeGreaterThanOrEqual(1024);
  });

  it("gets its reasoning of the last turn, but not of earlier turns", async () => {
    const app = sharedOpening();
    const promptTokens = async (early: object, late: object): Promise<number> => {
      const messages = [
        { role: "user", content: "a" },
        { role: "assistant", content: "b", ...early },
        { role: "user", content: "c" },
        { role: "assistant", content: "d", ...late },
        { role: "user", content: "e" },
      ];
      const { usage } = await ask(app, { messages, reasoning_effort: "none", max_tokens: 1 });
      return usage?.prompt_tokens ?? NaN;
    };
    const thought = { reasoning_content: "x".repeat(50) };
    const plain = await promptTokens({}, {});
    expect(await promptTokens(thought, {})).toBe(plain);
    expect(await promptTokens({}, thought)).toBeGreaterThan(plain + 50);
  });
});

describe("a model that reasons in messages of their own", () => {
  const begin = "<|channel|>analysis<|message|>";
  const { tokens } = buildVocabulary([begin, "hello"], 0);

  it("stops reasoning at the setting's limit and then answers, but not with the highest effort", async () => {
    const folder = temporaryFolder();
    const spec = { chatTemplate: template("harmony"), words: [begin, "hello"], seed: 2 };
    await writeVerifiedModel(folder, "random", spec);
    const app = await startServer({
      environment: { HEARTH_MODELS: folder, HEARTH_REASONING_TOKENS_MAX: "20" },
    });
    // It writes nothing but `hello`, and begins to reason again now and then.
    const bias = { [tokens.indexOf(begin)]: 60, [tokens.indexOf("hello")]: 64 };
    const ask = (body: object) =>
      requestJson(app, {
        model: "random",
        temperature: 1,
        seed: 1,
        max_tokens: 200,
        logit_bias: bias,
        ...body,
      });
    const [free, bounded] = [await ask({ reasoning_effort: "high" }), await ask({})];
    expect(reasoningTokensOf(free)).toBeGreaterThan(150);
    expect(firstChoice(bounded).reasoning).toMatch(/^(hello){18,22}/);
    expect(firstChoice(bounded).content).toMatch(/^(hello){5}/);
    expect(reasoningTokensOf(bounded)).toBeLessThan(80);
  });
});
