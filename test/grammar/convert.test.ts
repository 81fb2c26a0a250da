import { createRequire } from "node:module";
import type AjvConstructor from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { anyJsonObject, convertSchema, type Conversion } from "../../src/grammar/convert.js";
import { RuleSet } from "../../src/grammar/gbnf.js";
import { readSchema } from "../../src/grammar/schema/read.js";
import { SchemaRefusal } from "../../src/grammar/schema/refusal.js";
import { createValidator } from "../../src/grammar/schema/validate.js";
import { engineMatcher } from "./engine-matcher.js";
import { matchesGrammar, parseGbnf, sampleText } from "../kit/grammar/gbnf-matcher.js";
import { textsOf } from "../kit/grammar/texts-of.js";
import { randomSchema, smallValue } from "./schema/arbitrary.js";
import { casesOf } from "../kit/setup/random-cases.js";

const { Ajv2020 } = createRequire(import.meta.url)("ajv/dist/2020.js") as {
  Ajv2020: typeof AjvConstructor.Ajv2020;
};

/**
 * Returns the verdict of another implementation of the standard (ajv), or undefined if its generated code is
 * broken.
 */
function oracle(schema: unknown): (value: unknown) => boolean | undefined {
  const ajv = new Ajv2020({ strict: false, ownProperties: true, multipleOfPrecision: 9, logger: false });
  const validator = ajv.compile(schema as boolean);
  return (value) => {
    try {
      return validator(value) === true;
    } catch (thrown) {
      if (thrown instanceof ReferenceError || thrown instanceof TypeError) return undefined;
      throw thrown;
    }
  };
}

/** Returns the conversion or the refusal; rethrows anything else. */
function attempt(schema: unknown, additionalProperties: boolean): Conversion | SchemaRefusal {
  try {
    return convertSchema(schema, { additionalProperties });
  } catch (thrown) {
    if (thrown instanceof SchemaRefusal) return thrown;
    throw thrown;
  }
}

const runs = casesOf(400);

/** Returns a seeded source of numbers from 0 to below 1, so that samples are reproducible. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

describe("the grammar of a random schema", () => {
  it("generates only valid texts, or lists the keywords that it leaves to the validator", () => {
    fc.assert(
      fc.property(randomSchema, fc.boolean(), fc.nat(), (schema, open, seed) => {
        const made = attempt(schema, open);
        if (made instanceof SchemaRefusal) return;
        const gbnf = parseGbnf(made.grammar);
        const valid = oracle(schema);
        const random = randomFrom(seed);
        for (let nth = 0; nth < 12; nth++) {
          const text = sampleText(gbnf, { random, charactersMax: 120 });
          const value = JSON.parse(text) as unknown;
          if (made.exact) expect(valid(value) ?? true, `${text} by ${JSON.stringify(schema)}`).toBe(true);
          else expect(made.checked.length).toBeGreaterThan(0);
        }
      }),
      { numRuns: runs },
    );
  });

  it("generates every valid value under the standard's default, in some order of the keys", () => {
    fc.assert(
      fc.property(randomSchema, fc.array(smallValue, { minLength: 5, maxLength: 12 }), (schema, values) => {
        if (JSON.stringify(schema).includes("unevaluated")) return;
        const valid = oracle(schema);
        const made = attempt(schema, true);
        // ajv accepts [] when contains occurs with prefixItems, so our validator has to agree.
        const validator = createValidator(readSchema(schema));
        for (const value of values.filter((one) => valid(one) === true && validator(one) === null)) {
          const what = `${JSON.stringify(value)} by ${JSON.stringify(schema)}`;
          if (made instanceof SchemaRefusal) expect(made.message, what).not.toMatch(/^No value satisfies/);
          else {
            const gbnf = parseGbnf(made.grammar);
            const generated = textsOf(value).some((text) => matchesGrammar(gbnf, text));
            expect(generated, `${what}\n${made.grammar}`).toBe(true);
          }
        }
      }),
      { numRuns: runs },
    );
  });

  it("leaves no violation to the validator that the validator does not detect", () => {
    fc.assert(
      fc.property(randomSchema, fc.nat(), (schema, seed) => {
        // ajv does not count items matched by contains as evaluated, and rounds before it divides.
        if (/"(?:contains|multipleOf)"/.test(JSON.stringify(schema))) return;
        const made = attempt(schema, false);
        if (made instanceof SchemaRefusal || made.exact) return;
        const gbnf = parseGbnf(made.grammar);
        const valid = oracle(schema);
        const validator = createValidator(made.node);
        const random = randomFrom(seed);
        for (let nth = 0; nth < 12; nth++) {
          const value = JSON.parse(sampleText(gbnf, { random, charactersMax: 120 })) as unknown;
          expect(validator(value) === null).toBe(valid(value) ?? validator(value) === null);
        }
      }),
      { numRuns: runs },
    );
  });
});

describe("convertSchema", () => {
  it("compiles every format that Zod writes as a pattern", () => {
    const formats = [
      z.hostname(),
      z.email(),
      z.ipv6(),
      z.iso.date(),
      z.iso.datetime(),
      z.iso.duration(),
      z.uuid(),
    ];
    for (const format of formats) {
      const { exact } = convertSchema(z.toJSONSchema(format), { additionalProperties: false });
      expect(exact).toBe(true);
    }
    const validate = createValidator(readSchema(z.toJSONSchema(z.hostname())));
    const names = ["a", "a-b.example", "x".repeat(63), "-a", "a..b", "x".repeat(64), `${"x.".repeat(127)}x`];
    expect(names.map((name) => validate(name) === null)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  it("is exact if the grammar enforces all keywords, and otherwise lists those left to the validator", () => {
    const exact = convertSchema(
      { type: "array", items: { type: "integer" } },
      { additionalProperties: false },
    );
    expect([exact.exact, exact.checked]).toEqual([true, []]);
    const schema = {
      properties: { a: { type: "array", uniqueItems: true } },
      required: ["a"],
      type: "object",
    };
    const { exact: whole, checked } = convertSchema(schema, { additionalProperties: false });
    expect([whole, checked]).toEqual([false, [{ keyword: "uniqueItems", pointer: "/properties/a" }]]);
  });

  it("generates no white space around the value, and at most a line break with indentation inside", () => {
    const { grammar } = convertSchema({ type: "array" }, { additionalProperties: false });
    const takes = ["[]", "[1, 2]", "[\n  1,\n  2\n]"];
    const refuses = [" []", "[] ", "[]\n", "[  1]", "[\n\n1]", "[1 ,2]", `[\n${" ".repeat(60)}1]`];
    expect(takes.filter((text) => !matchesGrammar(grammar, text))).toEqual([]);
    expect(refuses.filter((text) => matchesGrammar(grammar, text))).toEqual([]);
  });

  it("prefixes its rule names as requested, so that several grammars can be combined", () => {
    const { grammar } = convertSchema({ type: "null" }, { additionalProperties: false, prefix: "tool-a-" });
    expect(grammar).toMatch(/^root ::= tool-a-\d+\n(?:tool-a-\d+ ::= .*\n)+$/);
  });

  it("generates every object and nothing else for json_object", () => {
    const rules = new RuleSet({ prefix: "r" });
    const grammar = rules.text(anyJsonObject(rules));
    for (const text of ["{}", '{"a":[1,{"b":null}]}', '{"a":"\\n","a":true}'])
      expect(matchesGrammar(grammar, text)).toBe(true);
    for (const text of ["[]", "1", '{"a":}', '{"a":1e999}', "{} "])
      expect(matchesGrammar(grammar, text)).toBe(false);
  });

  it("allows undeclared keys if closed objects would make the schema unsatisfiable", () => {
    const schema = {
      type: "object",
      properties: { a: { const: 1 } },
      minProperties: 2,
    };
    const { grammar } = convertSchema(schema, { additionalProperties: false });
    expect(matchesGrammar(grammar, '{"a":1,"b":2}')).toBe(true);
    expect(matchesGrammar(grammar, '{"a":1}')).toBe(false);
  });
});

describe("an unsatisfiable or excessive schema", () => {
  const refused: Readonly<Record<string, unknown>> = {
    "false itself": false,
    "a contradiction of types": { type: "string", allOf: [{ type: "integer" }] },
    "an empty range": { type: "integer", minimum: 3, maximum: 2 },
    "a required key that is false": { type: "object", properties: { a: false }, required: ["a"] },
    "an object that must contain itself": {
      type: "object",
      properties: { a: { $ref: "#" } },
      required: ["a"],
    },
    "an array that must contain itself": { type: "array", items: { $ref: "#" }, minItems: 1 },
    "an enum whose values all fail": { enum: [1, 2], type: "string" },
    "a oneOf of two equal branches": { oneOf: [{ type: "string" }, { type: "string" }], type: "string" },
  };

  it.each(Object.entries(refused))("is rejected as unsatisfiable: %s", (_, schema) => {
    for (const additionalProperties of [true, false]) {
      const made = attempt(schema, additionalProperties);
      expect(made).toBeInstanceOf(SchemaRefusal);
      expect((made as SchemaRefusal).message).toMatch(/^No value satisfies the schema/);
    }
  });

  it("is rejected within its work budget, with the reason, when its alternatives multiply", () => {
    const choice = (name: string): unknown => ({
      anyOf: Array.from({ length: 20 }, (_, nth) => ({
        properties: { [`${name}${nth}`]: { const: nth } },
        required: [`${name}${nth}`],
      })),
    });
    const schema = { type: "object", allOf: Array.from({ length: 60 }, (_, nth) => choice(`k${nth}-`)) };
    const made = attempt(schema, true);
    if (!(made instanceof SchemaRefusal)) expect(made.checked.length).toBeGreaterThan(0);
    else expect(made.message).toMatch(/too many|too large/);
  });
});

describe("a hostile schema", () => {
  it("D2: becomes one rule per level for 24 levels of diamond-shaped references, and the engine compiles them", async () => {
    const $defs: Record<string, unknown> = { d24: { type: "string" } };
    for (let level = 0; level < 24; level++)
      $defs[`d${level}`] = { anyOf: [{ $ref: `#/$defs/d${level + 1}` }, { $ref: `#/$defs/d${level + 1}` }] };
    const made = convertSchema({ $ref: "#/$defs/d0", $defs }, { additionalProperties: false });
    expect(made.grammar.length).toBeLessThan(1000);
    const takes = await engineMatcher(made.grammar);
    expect([takes('"a"'), takes("1")]).toEqual([true, false]);
  });

  it("D2: with diamond-shaped references between objects becomes a grammar or is rejected, without exponential work", () => {
    const $defs: Record<string, unknown> = { d24: { type: "object" } };
    for (let level = 0; level < 24; level++)
      $defs[`d${level}`] = {
        anyOf: [
          { $ref: `#/$defs/d${level + 1}`, required: [`x${level}`] },
          { $ref: `#/$defs/d${level + 1}`, required: [`y${level}`] },
        ],
      };
    const made = attempt({ $ref: "#/$defs/d0", $defs }, true);
    if (!(made instanceof SchemaRefusal)) expect(made.checked.length).toBeGreaterThan(0);
  });

  it("D2: that recurs without descending into the value is rejected with the keyword", () => {
    for (const schema of [
      { $ref: "#" },
      { allOf: [{ $ref: "#" }] },
      { anyOf: [{ type: "null" }, { $ref: "#" }] },
    ]) {
      const made = attempt(schema, false);
      expect(made).toBeInstanceOf(SchemaRefusal);
      expect((made as SchemaRefusal).keyword).toMatch(/\$ref|allOf|anyOf/);
    }
  });

  it("D2: with 10,000 enum values becomes a trie, and the engine accepts exactly these values", async () => {
    const values = Array.from({ length: 10_000 }, (_, nth) => `value-${nth}`);
    const { grammar, exact } = convertSchema({ enum: values }, { additionalProperties: false });
    expect(exact).toBe(true);
    const widest = Math.max(...grammar.split("\n").map((line) => line.split(" | ").length));
    expect(widest).toBeLessThanOrEqual(32);
    const takes = await engineMatcher(grammar);
    expect(["value-0", "value-9999", "value-512"].every((value) => takes(JSON.stringify(value)))).toBe(true);
    expect(takes('"value-10000"')).toBe(false);
  });

  it("D3: with huge limits is counted in blocks; no large number is written to the grammar", async () => {
    const schema = {
      type: "object",
      properties: {
        s: { type: "string", maxLength: 1e9 },
        a: {
          type: "array",
          items: { type: "array", items: { type: "integer" }, maxItems: 1900 },
          maxItems: 1900,
        },
        n: { type: "integer", minimum: -9e15, maximum: 9e15 },
        l: { type: "string", minLength: 5000 },
      },
    };
    const { grammar } = convertSchema(schema, { additionalProperties: false });
    const counts = [...grammar.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].flatMap((match) => [match[1], match[2]]);
    expect(Math.max(...counts.map(Number).filter((count) => !Number.isNaN(count)))).toBeLessThanOrEqual(2000);
    const takes = await engineMatcher(grammar);
    expect(takes('{"s":"abc","a":[[1],[]],"n":-5}')).toBe(true);
    expect(takes('{"l":"abc"}')).toBe(false);
  });

  it("D1: with malformed or exploding patterns is rejected with keyword and location", () => {
    for (const pattern of ["foo**", "(", "^((((a{1,40}){1,40}){1,40}){1,40})$", "(a)\\1"]) {
      const made = attempt({ properties: { p: { type: "string", pattern } } }, false);
      expect(made).toBeInstanceOf(SchemaRefusal);
      expect([(made as SchemaRefusal).keyword, (made as SchemaRefusal).pointer]).toEqual([
        "pattern",
        "/properties/p",
      ]);
    }
  });

  it("produces a grammar that the engine compiles for every random schema that is converted", async () => {
    const schemas = fc.sample(randomSchema, { numRuns: 60, seed: 7 });
    for (const schema of schemas) {
      const made = attempt(schema, true);
      if (made instanceof SchemaRefusal) continue;
      const takes = await engineMatcher(made.grammar);
      const text = sampleText(parseGbnf(made.grammar), { random: randomFrom(3), charactersMax: 60 });
      expect(takes(text), text).toBe(true);
    }
  });
});
