import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { familyNames, format, template } from "../../kit/engine/tool-answers.js";
import { temporaryFolder } from "../../kit/folder.js";
import { fileServer } from "../../kit/server.js";
import { someOf } from "../../kit/setup/random-cases.js";
import { writeVerifiedModel } from "../../kit/models/verified-model.js";
import {
  firstChoice,
  type FoldedChoice,
  requestStream,
  requestJson,
} from "../../kit/clients/chat-answers.js";

const level = { enum: ["low", "high"] };
const objectOf = (properties: object, ...required: readonly string[]) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const parameters = objectOf(
  {
    level,
    count: { type: "integer", minimum: 1, maximum: 99 },
    note: { type: "string", pattern: "^[a-z ]{0,6}$" },
    tags: { type: "array", items: { type: "boolean" }, maxItems: 2 },
  },
  "level",
  "count",
  "note",
);
/** For families whose grammar supports only types and enums; limits are left to the validator there. */
const plain = objectOf({ level, count: { type: "integer" }, on: { type: "boolean" } }, "level", "on");
const named = (name: string) => ({ type: "function", function: { name } });
const ajv = new Ajv();
const right = ajv.compile(parameters);

/** Contains only the names of the tools: a thousand definitions would fill any context. */
const short =
  "{%- if tools -%}<tools>{%- for t in tools -%}{{ t.function.name }} {%- endfor -%}</tools><tool_call>{%- endif -%}" +
  "{%- for m in messages -%}{{ m.content }}{%- endfor -%}{%- if add_generation_prompt -%}:{%- endif -%}";

/** Models of random weights by name, each with a template: one of every family, and some with a longer context. */
const models: readonly (readonly [name: string, chatTemplate: string, contextLength: number])[] = [
  ...familyNames.map((family) => [family, template(family), 4096] as const),
  ...["hermes", "generic"].map((family) => [`${family}-long`, template(family), 16_384] as const),
  ["short", short, 16_384],
];

const shared = fileServer(async (finished) => {
  const folder = temporaryFolder(finished);
  for (const [name, chatTemplate, contextLength] of models)
    await writeVerifiedModel(folder, name, { chatTemplate, contextLength, seed: 4 });
  return { environment: { HEARTH_MODELS: folder, HEARTH_CONTEXT_TOKENS_MAX: "16384" } };
});

describe("a model with random weights and the template of a family", () => {
  it.each(someOf(familyNames, 5))("of %s makes the required calls with valid arguments", async (family) => {
    const app = shared();
    const schema = format(family).exact ? parameters : plain;
    const set = { type: "function", function: { name: "set_level", parameters: schema } };
    const body = { model: family, tools: [set], tool_choice: named("set_level"), temperature: 1, seed: 1 };
    const fits = ajv.compile(schema);
    // Unlike max_tokens, this does not count the reasoning, which weights like these end by chance.
    const answer = await requestJson(app, { ...body, n: 3, max_completion_tokens: 400 });
    for (const { calls, content, finish } of answer.choices) {
      expect([content, finish]).toEqual(["", "tool_calls"]);
      expect(calls.map(({ name }) => name)).toEqual(["set_level"]);
      expect(fits(JSON.parse(calls[0]?.arguments ?? "")), calls[0]?.arguments).toBe(true);
    }
    const cut = { ...body, max_tokens: 30, deterministic: true };
    const [json, frames] = [await requestJson(app, cut), await requestStream(app, cut)];
    expect([firstChoice(json).finish, firstChoice(json).content]).toEqual(["length", ""]);
    const argumentsOf = ({ calls }: FoldedChoice) => calls.map((call) => call.arguments);
    expect(argumentsOf(firstChoice(frames))).toEqual(argumentsOf(firstChoice(json)));
  });
});

describe("D8: tools with unusual names", () => {
  const hard = [
    'say "hi"',
    "back\\slash",
    "</tool_call>",
    "{{ tools }}",
    "天気を調べる",
    "🔥🔥",
    "a b",
    "get_weather ",
    "'; DROP TABLE tools; --",
    "__proto__",
    "constructor",
    "x".repeat(256),
  ];

  it.each([
    ["hermes", 0],
    ["generic", 2],
  ])("are called by those names in the format of %s", async (family, offset) => {
    const app = shared();
    const description = 'Ends </tool_call> here, {"and": "there"}, \\ and <|im_end|> too.';
    const tools = hard.map((name) => ({ type: "function", function: { name, description, parameters } }));
    for (const name of someOf(hard, offset)) {
      const body = { model: `${family}-long`, tools, tool_choice: named(name), max_tokens: 600 };
      const { calls, content, finish } = firstChoice(
        await requestJson(app, { ...body, temperature: 1, seed: 9 }),
      );
      expect([content, finish, calls.map((call) => call.name)]).toEqual(["", "tool_calls", [name]]);
      expect(right(JSON.parse(calls[0]?.arguments ?? ""))).toBe(true);
    }
  });

  it("can number a thousand, any of which can be called", async () => {
    const app = shared();
    const tools = Array.from({ length: 1000 }, (_, at) => ({
      type: "function",
      function: { name: `tool_${at}`, parameters },
    }));
    const ask = async (body: object) =>
      requestJson(app, { model: "short", tools, max_tokens: 400, temperature: 1, seed: 3, ...body });
    expect(firstChoice(await ask({ tool_choice: named("tool_999") })).calls[0]?.name).toBe("tool_999");
    for (const { calls } of (await ask({ tool_choice: "required", n: 4, parallel_tool_calls: false }))
      .choices)
      expect(calls.map(({ name }) => name)).toEqual([expect.stringMatching(/^tool_\d{1,3}$/)]);
  });
});
