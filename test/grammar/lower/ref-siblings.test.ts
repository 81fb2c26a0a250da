import { createRequire } from "node:module";
import { Ajv } from "ajv";
import type AjvDraft4 from "ajv-draft-04";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { convertSchema } from "../../../src/grammar/convert.js";
import { SchemaRefusal } from "../../../src/grammar/schema/refusal.js";
import { parseGbnf, sampleText } from "../../kit/grammar/gbnf-matcher.js";
import { expected, outcome, type Scenario } from "./scenarios.js";

const Ajv04 = createRequire(import.meta.url)("ajv-draft-04") as typeof AjvDraft4.default;
const $schema = "http://json-schema.org/draft-07/schema#";
const definitions = {
  word: { type: "string", minLength: 2 },
  base: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
  loose: { type: "object", properties: { id: { type: "integer" } } },
  untyped: { properties: { id: { type: "integer" } }, required: ["id"] },
  either: { anyOf: [{ type: "string" }, { type: "object", properties: { id: { type: "integer" } } }] },
};
const inA = (schema: object, draft: string = $schema) => ({
  $schema: draft,
  definitions,
  type: "object",
  properties: { a: schema },
  required: ["a"],
  additionalProperties: false,
});

const scenarios: Readonly<Record<string, Scenario>> = {
  "limit what the reference allows": {
    schema: inA({ $ref: "#/definitions/word", maxLength: 3 }),
    generated: ['{"a":"ab"}', '{"a":"abc"}'],
    not: ['{"a":"a"}', '{"a":"abcd"}'],
  },
  "add the keys that they declare": {
    schema: inA({ $ref: "#/definitions/base", properties: { more: { const: 1 } }, required: ["more"] }),
    additionalProperties: false,
    generated: ['{"a":{"id":7,"more":1}}'],
    not: ['{"a":{"id":7}}', '{"a":{"more":1}}', '{"a":{"more":2,"id":7}}'],
  },
  "are ignored where they contradict the reference, as their draft does": {
    schema: inA({ $ref: "#/definitions/word", type: "integer" }),
    generated: ['{"a":"ab"}'],
    not: ['{"a":1}', '{"a":"a"}'],
  },
  "are ignored where they leave only types about which the reference says nothing": {
    schema: inA({ $ref: "#/definitions/untyped", type: "string" }),
    additionalProperties: false,
    generated: ['{"a":{"id":1}}'],
    not: ['{"a":{}}', '{"a":{"id":"x"}}'],
  },
  "limit a reference that names their type among others": {
    schema: inA({ $ref: "#/definitions/either", type: "string" }),
    generated: ['{"a":"x"}'],
    not: ['{"a":{"id":1}}', '{"a":1}'],
  },
  "are ignored where they close an object to every key of the reference": {
    schema: inA({ $ref: "#/definitions/loose", additionalProperties: false }),
    additionalProperties: false,
    generated: ['{"a":{"id":1}}', '{"a":{}}'],
    not: ['{"a":{"id":"x"}}', '{"a":{"more":1}}'],
  },
  "limit the keys where they declare some themselves": {
    schema: inA({
      $ref: "#/definitions/loose",
      properties: { id: { minimum: 3 } },
      additionalProperties: false,
    }),
    additionalProperties: false,
    generated: ['{"a":{"id":3}}', '{"a":{}}'],
    not: ['{"a":{"id":2}}', '{"a":{"more":1}}'],
  },
  "are ignored where they are no schema": {
    schema: inA({ $ref: "#/definitions/word", required: true, maxLength: 3 }),
    generated: ['{"a":"abcd"}'],
    not: ['{"a":"a"}'],
  },
  "of a negated reference do not weaken the negation": {
    schema: inA({ type: "string", not: { $ref: "#/definitions/word", maxLength: 3 } }),
    generated: ['{"a":""}', '{"a":"x"}'],
    not: ['{"a":"ab"}', '{"a":"abcdef"}'],
  },
  "apply in the drafts that read them": {
    schema: inA({ $ref: "#/definitions/word", maxLength: 3 }, "https://json-schema.org/draft/2020-12/schema"),
    generated: ['{"a":"ab"}'],
    not: ['{"a":"abcd"}'],
  },
};

describe("the siblings of a reference, up to draft 7,", () => {
  it.each(Object.entries(scenarios))("%s", (_, scenario) => {
    expect(outcome(scenario)).toEqual(expected(scenario));
  });

  it("and the reference are both satisfied by every text of the grammar, in both readings", () => {
    const sibling = fc.record(
      {
        type: fc.constantFrom("string", "object", "integer"),
        maxLength: fc.integer({ min: 1, max: 4 }),
        enum: fc.constant(["ab", "abcd", 1]),
        properties: fc.constant({ id: { minimum: 3 }, b: { const: 2 } }),
        required: fc.constantFrom(["b"], ["id"]),
        additionalProperties: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    const target = fc.constantFrom("word", "base");
    const draft = fc.constantFrom("http://json-schema.org/draft-04/schema#", $schema);
    let converted = 0;
    fc.assert(
      fc.property(target, sibling, draft, fc.nat(), (name, siblings, uri, seed) => {
        const alone = inA({ $ref: `#/definitions/${name}` }, uri);
        const both = inA({ allOf: [{ $ref: `#/definitions/${name}` }, siblings] }, uri);
        const made = attempt(inA({ $ref: `#/definitions/${name}`, ...siblings }, uri));
        if (made === null) return;
        const ajv = uri === $schema ? new Ajv({ strict: false }) : new Ajv04({ strict: false });
        const [validAlone, validBoth] = [ajv.compile(alone), ajv.compile(both)];
        const satisfiable = attempt(both) !== null;
        const grammar = parseGbnf(made.grammar);
        for (let nth = 0; nth < 4; nth++) {
          const text = sampleText(grammar, { random: randomFrom(seed + nth), charactersMax: 60 });
          expect(validAlone(JSON.parse(text)), text).toBe(true);
          if (satisfiable) expect(validBoth(JSON.parse(text)), text).toBe(true);
        }
        converted += 1;
      }),
      { numRuns: 25 },
    );
    expect(converted).toBeGreaterThan(12);
  });
});

function attempt(schema: object) {
  try {
    return convertSchema(schema, { additionalProperties: true });
  } catch (thrown) {
    if (thrown instanceof SchemaRefusal) return null;
    throw thrown;
  }
}

/** Returns a seeded source of numbers from 0 to below 1, so that samples are reproducible. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
