import { describe, expect, it } from "vitest";
import { buildVocabulary } from "../../gguf-writer/vocabulary.js";
import { sharedApp, startApp, temporaryFolder, type TestApp } from "../../harness.js";
import { writeVouchedModel } from "../../vouched-model.js";
import { first, type FoldedAnswer, streamed, whole } from "./answers.js";

const shared = sharedApp();

const story = [{ role: "user" as const, content: "Tell me a long story." }];
const reasoned = ({ usage }: FoldedAnswer): number =>
  usage?.completion_tokens_details?.reasoning_tokens ?? NaN;

/** Opens the block itself, unless thinking is off, and shows what was thought in the last turn. */
const opening =
  "{%- for m in messages -%}<|im_start|>{{ m.role }}\n" +
  "{%- if m.reasoning_content is defined and loop.index0 > messages | length - 3 -%}" +
  "<think>\n{{ m.reasoning_content }}\n</think>\n\n{%- endif -%}{{ m.content }}<|im_end|>\n{%- endfor -%}" +
  "{%- if add_generation_prompt -%}<|im_start|>assistant\n<think>\n" +
  "{%- if enable_thinking is defined and not enable_thinking -%}\n</think>\n\n{%- endif -%}{%- endif -%}";

/** A server with a model of random weights that begins its answers inside a reasoning block. */
async function startOpening(): Promise<TestApp> {
  const folder = temporaryFolder();
  await writeVouchedModel(folder, "random", { chatTemplate: opening, words: [], seed: 2 });
  return startApp({ HEARTH_MODELS: folder });
}

describe("reasoning_effort of the built-in model", () => {
  it.each(["low", "medium", "high"])(
    "%s has it think first, apart from its answer, and counted apart",
    async (effort) => {
      const app = shared();
      const body = { reasoning_effort: effort, deterministic: true };
      const [json, frames] = [await whole(app, body), await streamed(app, body)];
      for (const answer of [json, frames]) {
        const { reasoning, content, finish } = first(answer);
        expect([reasoning.trim() === "", content.trim() === "", finish]).toEqual([false, false, "stop"]);
        expect(reasoning + content).not.toMatch(/<\/?think>/);
        expect(reasoned(answer)).toBeGreaterThan(1);
        const {
          prompt_tokens: prompt = 0,
          completion_tokens: said = 0,
          total_tokens: total,
        } = answer.usage ?? {};
        expect(total).toBe(prompt + said + reasoned(answer));
      }
      expect(first(frames)).toEqual(first(json));
      expect(reasoned(frames)).toBe(reasoned(json));
    },
  );

  it("none has it answer at once, also where it is made to answer in a form", async () => {
    const app = shared();
    for (const more of [{}, { response_format: { type: "json_object" }, max_tokens: 30 }]) {
      const answer = await whole(app, { reasoning_effort: "none", ...more });
      expect([first(answer).reasoning, reasoned(answer)]).toEqual(["", 0]);
      expect(first(answer).content).not.toBe("");
    }
  });

  it("leaves the bound of max_tokens to the visible text", async () => {
    const app = shared();
    const body = { reasoning_effort: "low", messages: story, deterministic: true };
    const free = await whole(app, body);
    const bound = await whole(app, { ...body, max_tokens: 4 });
    expect(first(bound).reasoning).toBe(first(free).reasoning);
    expect([first(bound).finish, bound.usage?.completion_tokens]).toEqual(["length", 4]);
  });

  it("comes before a forced form, which holds for the answer alone", async () => {
    const app = shared();
    const schema = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] };
    const format = { type: "json_schema", json_schema: { name: "s", schema } };
    const answer = await whole(app, { reasoning_effort: "low", response_format: format, max_tokens: 60 });
    const { reasoning, content, finish } = first(answer);
    expect([reasoning.trim() === "", finish]).toEqual([false, "stop"]);
    expect(typeof (JSON.parse(content) as { ok: unknown }).ok).toBe("boolean");
    expect(reasoned(answer)).toBeGreaterThan(1);
  });

  it("of a word that is none is a 400 that names the field", async () => {
    const app = shared();
    const asked = whole(app, { reasoning_effort: "a lot" });
    await expect(asked).rejects.toMatchObject({ status: 400, param: "reasoning_effort" });
  });
});

describe("a model whose template opens the reasoning block", () => {
  const { tokens } = buildVocabulary([], 0);
  // It would end its turn or its thinking by chance, which is what these tests are not about.
  const ends = ["<|im_end|>", "<|endoftext|>", "<think>", "</think>"].map((text): [number, number] => [
    tokens.indexOf(text),
    -100,
  ]);
  const ask = (app: TestApp, body: object) =>
    whole(app, { model: "random", temperature: 1, seed: 1, logit_bias: Object.fromEntries(ends), ...body });

  it("thinks from its first token on, with its own default and with an effort", async () => {
    const app = await startOpening();
    for (const body of [{}, { reasoning_effort: "high" }]) {
      // Nothing but the context bounds what it thinks.
      const answer = await ask(app, body);
      const { reasoning, finish } = first(answer);
      expect([reasoning === "", finish]).toEqual([false, "length"]);
      expect(reasoned(answer)).toBeGreaterThan(1900);
    }
  });

  it("does not think with none", async () => {
    const app = await startOpening();
    const answer = await ask(app, { reasoning_effort: "none", max_tokens: 20 });
    expect([first(answer).reasoning, reasoned(answer)]).toEqual(["", 0]);
    expect(answer.usage?.completion_tokens).toBe(20);
  });

  it("is ended in its thinking by the budget of a low effort, and answers then", async () => {
    const app = await startOpening();
    const body = { reasoning_effort: "low", max_tokens: 20 };
    const answer = await ask(app, body);
    const { content, finish, reasoning } = first(answer);
    expect([reasoning === "", content === "", finish]).toEqual([false, false, "length"]);
    // The budget, and the few tokens that end the block.
    expect(reasoned(answer)).toBeGreaterThanOrEqual(1024);
    expect(reasoned(answer)).toBeLessThan(1024 + 16);
    expect(answer.usage?.completion_tokens).toBe(20);
    expect(reasoning + content).not.toMatch(/<\/?think>/);
  });

  it("gives the form that was asked for, once the budget has ended its thinking", async () => {
    const app = await startOpening();
    const schema = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] };
    const format = { type: "json_schema", json_schema: { name: "s", schema } };
    const body = { reasoning_effort: "low", response_format: format, max_tokens: 100 };
    const answer = await ask(app, body);
    expect(first(answer).finish).toBe("stop");
    expect(typeof (JSON.parse(first(answer).content) as { ok: unknown }).ok).toBe("boolean");
    expect(reasoned(answer)).toBeGreaterThanOrEqual(1024);
  });

  it("is shown what it thought in the last turn, and not what it thought before", async () => {
    const app = await startOpening();
    const said = async (early: object, late: object): Promise<number> => {
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
    const plain = await said({}, {});
    expect(await said(thought, {})).toBe(plain);
    expect(await said({}, thought)).toBeGreaterThan(plain + 50);
  });
});
