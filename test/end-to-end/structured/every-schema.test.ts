/** Schemas of every form on the built-in model, greedy and sampled. */
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { fileServer } from "../../kit/server.js";
import { until } from "../../kit/until.js";
import { firstChoice, requestStream, requestJson } from "../../kit/clients/chat-answers.js";

const shared = fileServer();

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

const text = { type: "string", maxLength: 6 };
const tree = {
  $ref: "#/$defs/node",
  $defs: {
    node: {
      type: "object",
      properties: {
        name: { enum: ["oak", "elm"] },
        children: { type: "array", items: { $ref: "#/$defs/node" }, maxItems: 2 },
      },
      required: ["name"],
      additionalProperties: false,
    },
  },
};

/** Schemas that the grammar can express exactly. */
const schemas: readonly (readonly [string, object])[] = [
  ["an enum of all types", { enum: ["é 東🎉", 1.5, null, true, ["a", {}], { b: [1] }] }],
  [
    "objects in arrays in objects",
    {
      type: "object",
      properties: {
        rows: {
          type: "array",
          minItems: 1,
          maxItems: 3,
          items: {
            type: "object",
            properties: { id: { type: "integer", minimum: 0, maximum: 9 }, tag: text },
          },
        },
      },
      required: ["rows"],
    },
  ],
  ["recursion", tree],
  [
    "patterns and formats",
    {
      type: "object",
      properties: {
        code: { type: "string", pattern: "^[A-Z]{2}-\\d{3}$" },
        day: { type: "string", format: "date" },
        id: { type: "string", format: "uuid" },
      },
      required: ["code", "day", "id"],
    },
  ],
  [
    "bounds of numbers",
    {
      type: "object",
      properties: {
        small: { type: "number", exclusiveMinimum: 0, maximum: 1 },
        even: { type: "integer", minimum: -10, maximum: 10, multipleOf: 2 },
        cents: { type: "number", minimum: 3.5, maximum: 4, multipleOf: 0.25 },
      },
      required: ["small", "even", "cents"],
    },
  ],
  [
    "lengths and alternatives",
    {
      type: "object",
      properties: {
        short: { type: "string", minLength: 3, maxLength: 5 },
        either: {
          anyOf: [{ type: "boolean" }, { type: "object", properties: { x: text }, required: ["x"] }],
        },
        none: { type: "null" },
      },
      required: ["short", "either", "none"],
    },
  ],
  [
    "keys of a list, items that do not repeat, and large multiples",
    {
      type: "object",
      properties: {
        keys: {
          type: "object",
          propertyNames: { enum: ["x", "y", "z"] },
          additionalProperties: { type: "boolean" },
          minProperties: 2,
        },
        tags: {
          type: "array",
          items: { enum: ["a", "b", "c", "d", "e", "f", "g"] },
          uniqueItems: true,
          minItems: 3,
        },
        day: { type: "integer", multipleOf: 86400, minimum: 1, maximum: 8640000 },
      },
      required: ["keys", "tags", "day"],
    },
  ],
  ...[
    { type: "object", properties: { name: { type: "string", maxLength: 6 } }, required: ["name"] },
    { type: "object", properties: { on: { type: "boolean" }, n: { type: "integer" } }, required: ["on"] },
    { enum: Array.from({ length: 30 }, (_, nth) => `item-${nth}`) },
    { type: "array", items: { type: "integer", minimum: 0, maximum: 20 }, maxItems: 3 },
    { anyOf: [{ type: "boolean" }, { type: "integer", minimum: 0, maximum: 9 }, { const: { a: [1] } }] },
  ].map((items): [string, object] => [
    `D13: different items of ${JSON.stringify(items).slice(0, 60)}`,
    { type: "array", uniqueItems: true, items, minItems: 3, maxItems: 6 },
  ]),
  ["a schema of true", { properties: { a: true }, type: "object", maxProperties: 0 }],
];

describe("response_format json_schema on the built-in model", () => {
  it.each(schemas)(
    "returns %s that validates, strict or not, greedy or sampled, streamed or not",
    async (_, schema) => {
      const app = shared();
      const validate = ajv.compile(schema);
      for (const strict of [true, false])
        for (const seed of strict ? [1, 2] : [1, 3]) {
          const body = {
            temperature: seed === 1 ? 0 : 1.5,
            seed,
            max_tokens: 600,
            deterministic: true,
            reasoning_effort: "none",
            response_format: { type: "json_schema", json_schema: { name: "it", schema, strict } },
          };
          const [json, frames] = await Promise.all([requestJson(app, body), requestStream(app, body)]);
          expect(firstChoice(frames)).toEqual(firstChoice(json));
          const { content, finish } = firstChoice(json);
          if (finish === "length") expect(schema).toBe(tree);
          else {
            expect(finish).toBe("stop");
            const value: unknown = JSON.parse(content);
            expect(validate(value) ? null : validate.errors).toBe(null);
          }
        }
    },
  );

  it("applies the schema to every one of several choices", async () => {
    const app = shared();
    const schema = schemas[4]?.[1];
    const { choices } = await requestJson(app, {
      n: 4,
      temperature: 1,
      seed: 5,
      reasoning_effort: "none",
      response_format: { type: "json_schema", json_schema: { name: "it", schema } },
    });
    expect(choices).toHaveLength(4);
    for (const { content, finish } of choices) {
      expect(finish).toBe("stop");
      expect(ajv.validate(schema ?? false, JSON.parse(content))).toBe(true);
    }
  });

  it("retries answers that the grammar cannot fully constrain until one is valid, returns only that one, and counts all", async () => {
    const app = shared();
    const schema = {
      type: "array",
      items: { type: "integer", minimum: 0, maximum: 2 },
      minItems: 2,
      maxItems: 2,
      not: { uniqueItems: true },
    };
    const isRight = ajv.compile(schema);
    let right = 0;
    const counted: number[] = [];
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const body = {
        seed,
        temperature: 2,
        reasoning_effort: "none",
        response_format: { type: "json_schema", json_schema: { name: "it", schema } },
      };
      const answer = await requestJson(app, body).catch((thrown: unknown) => thrown);
      if (answer instanceof Error) {
        expect(answer).toMatchObject({ status: 500, code: "invalid_output" });
        continue;
      }
      const folded = answer as Awaited<ReturnType<typeof requestJson>>;
      const { content } = firstChoice(folded);
      expect(isRight(JSON.parse(content))).toBe(true);
      counted.push(folded.usage?.completion_tokens ?? 0);
      right += 1;
    }
    expect(right).toBeGreaterThan(0);
    // Two integers and their brackets are five tokens at most; white space has a limit, and there are three attempts.
    for (const tokens of counted) expect(tokens).toBeGreaterThanOrEqual(2);
    expect(Math.max(...counted)).toBeLessThanOrEqual(3 * 200);
    await until(() => app.app.scheduler.load.running === 0);
  });
});

describe("response_format json_object on the built-in model", () => {
  it("returns one JSON object and nothing else, or is truncated", async () => {
    const app = shared();
    for (const thinking of ["none", "low"])
      for (const seed of [1, 2, 3, 4]) {
        const body = {
          seed,
          temperature: 1,
          max_tokens: 120,
          deterministic: true,
          reasoning_effort: thinking,
          response_format: { type: "json_object" },
        };
        const [json, frames] = [
          firstChoice(await requestJson(app, body)),
          firstChoice(await requestStream(app, body)),
        ];
        expect(frames).toEqual(json);
        expect(json.content).toMatch(/^\{/);
        if (json.finish === "length") continue;
        expect(json.finish).toBe("stop");
        expect(Object.prototype.toString.call(JSON.parse(json.content))).toBe("[object Object]");
        expect(json.content.trim()).toBe(json.content);
      }
  });
});
