import { createRequire } from "node:module";
import type AjvConstructor from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { measureCpuMs } from "../../kit/cpu-time.js";
import { readSchema } from "../../../src/grammar/schema/read.js";
import { createValidator, validate } from "../../../src/grammar/schema/validate.js";
import { randomSchema, smallValue } from "./arbitrary.js";
import { casesOf } from "../../kit/setup/random-cases.js";

const { Ajv2020 } = createRequire(import.meta.url)("ajv/dist/2020.js") as {
  Ajv2020: typeof AjvConstructor.Ajv2020;
};

const ajvOptions = { strict: false, ownProperties: true, multipleOfPrecision: 9, logger: false } as const;

interface Scenario {
  readonly schema: unknown;
  readonly valid: readonly unknown[];
  readonly invalid: readonly unknown[];
}

const scenarios: Readonly<Record<string, Scenario>> = {
  "an integer is a number without a fraction": {
    schema: { type: "integer" },
    valid: [1, 1.0, -3, 1e300],
    invalid: [1.5, "1", null, true],
  },
  "multipleOf is decided on decimal digits": {
    schema: { multipleOf: 0.01 },
    valid: [0.07, 19.99, 4.35, 1e22, 0, "not a number"],
    invalid: [0.075, 1e-7, 19.999],
  },
  "multipleOf works for the largest and the smallest numbers": {
    schema: { multipleOf: 1e-8 },
    valid: [12391239123, 1e308, 1e-8],
    invalid: [1.5e-9],
  },
  "lengths are code points": {
    schema: { minLength: 2, maxLength: 2 },
    valid: ["😀😀", "ab", 5],
    invalid: ["😀", "abc"],
  },
  "patterns are not anchored": { schema: { pattern: "b+" }, valid: ["abba", 1], invalid: ["aa"] },
  "an enum compares by value: key order and 1.0 do not matter, true is not 1": {
    schema: { enum: [{ a: 1, b: [true] }, 1, 0] },
    valid: [{ b: [true], a: 1.0 }, 1, -0],
    invalid: [true, { a: 1, b: [1] }, [1], { a: 1 }],
  },
  "uniqueItems compares deeply": {
    schema: { uniqueItems: true },
    valid: [
      [1, true, "1", [1], { a: 1 }, { a: 2 }],
      [0, false],
    ],
    invalid: [
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [[], []],
      [1, 1.0],
    ],
  },
  "contains counts between minContains and maxContains": {
    schema: { contains: { type: "string" }, minContains: 1, maxContains: 2 },
    valid: [["a"], [1, "a", "b"], {}],
    invalid: [[], [1], ["a", "b", "c"]],
  },
  "minContains 0 requires nothing": {
    schema: { contains: false, minContains: 0 },
    valid: [[], [1]],
    invalid: [],
  },
  "dependentSchemas applies to the whole object": {
    schema: { dependentSchemas: { a: { required: ["b"] } } },
    valid: [{}, { b: 1 }, { a: 1, b: 1 }],
    invalid: [{ a: 1 }],
  },
  "if without then or else has no effect": {
    schema: { if: { type: "string" } },
    valid: [1, "a"],
    invalid: [],
  },
  "if chooses between then and else": {
    schema: { if: { type: "string" }, then: { minLength: 2 }, else: { type: "null" } },
    valid: ["ab", null],
    invalid: ["a", 1],
  },
  "unevaluatedProperties sees through allOf, anyOf, if and $ref": {
    schema: {
      $ref: "#/$defs/base",
      anyOf: [
        { properties: { b: { const: 1 } }, required: ["b"] },
        { properties: { c: true }, required: ["c"] },
      ],
      if: { required: ["d"] },
      then: { properties: { d: true } },
      unevaluatedProperties: false,
      $defs: { base: { properties: { a: true } } },
    },
    valid: [
      { a: 1, b: 1 },
      { b: 1, c: 1, d: 1 },
    ],
    invalid: [
      { b: 1, e: 1 },
      { b: 2, c: 1 },
    ],
  },
  "unevaluatedProperties ignores what not or a failed branch has evaluated": {
    schema: {
      anyOf: [{ properties: { a: { type: "string" } } }, true],
      not: { not: { properties: { a: true } } },
      unevaluatedProperties: false,
    },
    valid: [{ a: "text" }, {}],
    invalid: [{ a: 1 }],
  },
  "unevaluatedItems counts items that match contains as evaluated": {
    schema: { prefixItems: [true], contains: { type: "string" }, unevaluatedItems: { type: "null" } },
    valid: [[1, "a", null]],
    invalid: [[1, "a", 2]],
  },
  "in 2019-09 items that match contains are still unevaluated": {
    schema: {
      $schema: "https://json-schema.org/draft/2019-09/schema",
      contains: { type: "string" },
      unevaluatedItems: false,
    },
    valid: [1],
    invalid: [["a"]],
  },
  "__proto__, constructor and toString are ordinary names": {
    schema: JSON.parse(
      '{"properties":{"__proto__":{"type":"string"}},"required":["__proto__"],"propertyNames":{"minLength":9}}',
    ),
    valid: [JSON.parse('{"__proto__":"a"}'), JSON.parse('{"__proto__":"a","constructor":1}')],
    invalid: [{}, JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":"a","toString":1}')],
  },
  "a property name that ends in # or ~ does not confuse the memo of results": {
    schema: {
      propertyNames: { $ref: "#/$defs/short" },
      additionalProperties: { $ref: "#/$defs/short" },
      $defs: { short: { maxLength: 3 } },
    },
    valid: [{ a: "abc", "a#": "abc", "a~": "abc" }],
    invalid: [{ a: "abc", "a#": "abcd" }, { a: "a", "a~": "abcd" }, { abcd: 1 }],
  },
};

describe("validate", () => {
  it.each(Object.entries(scenarios))("%s", (_, { schema, valid, invalid }) => {
    const validator = createValidator(readSchema(schema));
    expect(valid.filter((value) => validator(value) !== null)).toEqual([]);
    expect(invalid.filter((value) => validator(value) === null)).toEqual([]);
  });

  it("reports the violated keyword, its subschema, and the location in the value", () => {
    const schema = { properties: { "a/b": { items: { $ref: "#/$defs/n" } } }, $defs: { n: { minimum: 3 } } };
    expect(validate(readSchema(schema), { "a/b": [5, 2] })).toEqual({
      keyword: "minimum",
      schemaPointer: "/$defs/n",
      instancePointer: "/a~1b/1",
      message: "must be at least 3",
    });
  });

  it("agrees with ajv for random schemas and values", () => {
    const property = fc.property(randomSchema, fc.array(smallValue, { minLength: 5 }), (schema, values) => {
      const text = JSON.stringify(schema);
      // ajv ignores contains next to a tuple with a false schema, and does not count its items as evaluated.
      fc.pre(!text.includes('"contains"'));
      // It also ignores what a nested unevaluatedItems or unevaluatedProperties evaluates.
      fc.pre(text.split('"unevaluated').length <= 2);
      const ajvValidate = new Ajv2020(ajvOptions).compile(schema);
      const validator = createValidator(readSchema(schema));
      for (const value of values)
        expect([value, validator(value) === null]).toEqual([value, ajvVerdict(ajvValidate, value)]);
    });
    fc.assert(property, { numRuns: casesOf(800) });
  });

  it("validates 24 levels of diamond-shaped references in linear time", async () => {
    const $defs: Record<string, unknown> = { d24: { type: "string" } };
    for (let level = 0; level < 24; level += 1)
      $defs[`d${level}`] = {
        anyOf: [{ $ref: `#/$defs/d${level + 1}` }, { $ref: `#/$defs/d${level + 1}`, minLength: 1 }],
      };
    const validator = createValidator(readSchema({ $ref: "#/$defs/d0", $defs }));
    // Each level twice would be 16 million steps.
    expect(await measureCpuMs(() => expect(validator(5)).not.toBeNull())).toBeLessThan(2_000);
  });

  it("reports a value deeper than the bound as a problem, without overflowing the stack", () => {
    const validator = createValidator(
      readSchema({ additionalProperties: { $ref: "#" }, items: { $ref: "#" } }),
    );
    const deep = (arrays: number): unknown => JSON.parse("[".repeat(arrays) + "]".repeat(arrays));
    expect(validator(deep(200))).toBeNull();
    expect(validator(deep(50_000))?.keyword).toBe("limit");
  });

  it.each([
    ["allOf", (next: unknown) => ({ allOf: [next] })],
    ["oneOf", (next: unknown) => ({ oneOf: [next] })],
    ["if and then", (next: unknown) => ({ if: true, then: next })],
  ])(
    "does not overflow the stack for the longest allowed chain of references by %s at the maximum depth",
    (_, chained) => {
      const $defs: Record<string, unknown> = {};
      for (let level = 0; level < 90; level += 1)
        $defs[`d${level}`] = chained({ $ref: `#/$defs/d${level + 1}` });
      $defs["d90"] = { items: { $ref: "#/$defs/d0" }, type: "array" };
      const validator = createValidator(readSchema({ $ref: "#/$defs/d0", $defs }));
      expect(validator([[]])).toBeNull();
      expect(validator(JSON.parse("[".repeat(200) + "]".repeat(200)))?.keyword).toBe("limit");
    },
  );

  it("validates a value of the maximum depth against a recursive schema", () => {
    const tree = { type: "array", items: { $ref: "#" } };
    const deep = (arrays: number): unknown => JSON.parse("[".repeat(arrays) + "]".repeat(arrays));
    expect(createValidator(readSchema(tree))(deep(257))).toBeNull();
    expect(createValidator(readSchema(tree))(deep(258))?.keyword).toBe("limit");
  });
});

/**
 * Returns ajv's verdict, or skips the schema: for some schemas its generated code uses undeclared variables.
 */
function ajvVerdict(ajvValidate: (value: unknown) => unknown, value: unknown): unknown {
  try {
    return ajvValidate(value);
  } catch (thrown) {
    fc.pre(!(thrown instanceof ReferenceError));
    throw thrown;
  }
}
