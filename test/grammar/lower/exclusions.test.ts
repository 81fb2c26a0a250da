/** Values that `not` and `oneOf` exclude: the grammar leaves them out, and keeps all others. */
import { createRequire } from "node:module";
import type AjvConstructor from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { convertSchema } from "../../../src/grammar/convert.js";
import { SchemaRefusal } from "../../../src/grammar/schema/refusal.js";
import { casesOf } from "../../kit/setup/random-cases.js";
import { matchesGrammar, parseGbnf, sampleText } from "../../kit/grammar/gbnf-matcher.js";
import { randomFrom } from "../../kit/grammar/random-texts.js";
import { smallValue } from "../schema/arbitrary.js";
import { exclusions } from "./exclusions.js";
import { textsOf } from "../../kit/grammar/texts-of.js";

const { Ajv2020 } = createRequire(import.meta.url)("ajv/dist/2020.js") as {
  Ajv2020: typeof AjvConstructor.Ajv2020;
};
const ajv = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true, logger: false });

const values = fc
  .oneof(
    smallValue,
    fc.constantFrom<unknown>(3, 4, 5, 7, 8, 9, 11, 15, 2.5, "x", "y", "xa", "aab", "abcdef"),
    fc.dictionary(fc.constantFrom("a", "b", "c", "k", "v", "x", "x1"), smallValue, { maxKeys: 3 }),
    fc.record(
      {
        a: fc.constantFrom("x", "y", "abcd"),
        b: fc.constantFrom(1, 2),
        c: fc.boolean(),
        k: fc.constantFrom("x", "y", "z"),
      },
      { requiredKeys: [] },
    ),
    fc.array(fc.constantFrom<unknown>(1, 2, 3, "a", 1.5), { maxLength: 4 }),
  )
  // Without the prototypes that another implementation compares.
  .map((value): unknown => JSON.parse(JSON.stringify(value)))
  // The keys of larger values have too many orders.
  .filter((value) => JSON.stringify(value).length < 40);

/** Compares the grammar of a schema with another implementation of the standard. */
function compare(schema: object, open: boolean, seed: number, some: readonly unknown[]): boolean {
  const validate = ajv.compile(schema);
  const { grammar, exact } = convertSchema(schema, { additionalProperties: open });
  const gbnf = parseGbnf(grammar);
  const random = randomFrom(seed);
  for (let nth = 0; nth < 8 && exact; nth += 1) {
    const text = sampleText(gbnf, { random, charactersMax: 100 });
    expect(validate(JSON.parse(text)), `${text} by ${JSON.stringify(schema)}`).toBe(true);
  }
  for (const value of open ? some.filter((each) => validate(each)) : []) {
    const isGenerated = textsOf(value).some((text) => matchesGrammar(gbnf, text));
    expect(isGenerated, `${JSON.stringify(value)} by ${JSON.stringify(schema)}`).toBe(true);
  }
  return exact;
}

describe("D13: excluded values", () => {
  it.each(Object.entries(exclusions))("the grammar leaves out exactly: %s", (_, schema) => {
    fc.assert(
      fc.property(fc.boolean(), fc.nat(), fc.array(values, { minLength: 20 }), (open, seed, some) => {
        expect(compare(schema, open, seed, some)).toBe(true);
      }),
      { numRuns: casesOf(40) },
    );
  });

  const [objects, numbers, strings, arrays] = ["object", "number", "string", "array"].map((type) =>
    Object.values(exclusions).flatMap((schema) => partsOf(schema, type)),
  );
  const part = fc.oneof(
    ...[objects, numbers, strings, arrays].map((parts) => fc.constantFrom(...(parts ?? []))),
  );

  it("the grammar of several conditions generates valid texts, or lists what the validator checks, and keeps every valid value", () => {
    let exact = 0;
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 2, maxLength: 3 }),
        fc.constantFrom("not", "oneOf", "not anyOf", "not allOf", "property", "not not"),
        fc.boolean(),
        fc.nat(),
        fc.array(values, { minLength: 12 }),
        (parts, form, open, seed, some) => {
          try {
            if (compare(combine(parts, form), open, seed, some)) exact += 1;
          } catch (thrown) {
            if (!(thrown instanceof SchemaRefusal)) throw thrown;
            const validate = ajv.compile(combine(parts, form));
            if (thrown.message.startsWith("No value"))
              expect(some.filter((each) => validate(each))).toEqual([]);
          }
        },
      ),
      { numRuns: casesOf(800) },
    );
    expect(exact).toBeGreaterThan(casesOf(800) / 2);
  });
});

/** Returns the parts of a schema that are alternatives or excluded, with a type. */
function partsOf(schema: object, type: string): readonly object[] {
  const { not, oneOf = [], ...rest } = schema as { not?: object; oneOf?: readonly object[] };
  const parts = [...(not === undefined ? [] : [not]), ...oneOf];
  if ("$defs" in rest) return [];
  const own = { type, ...rest } as { type: unknown };
  return own.type === type ? parts.map((each) => ({ type, ...each })) : [];
}

function combine(parts: readonly object[], form: string): object {
  const [first = {}, ...others] = parts;
  switch (form) {
    case "oneOf":
      return { oneOf: parts };
    case "not anyOf":
      return { ...first, not: { anyOf: others } };
    case "not allOf":
      return { ...first, not: { allOf: others } };
    case "property":
      return { type: "object", properties: { a: { ...first, not: others[0] } }, required: ["a"] };
    case "not not":
      return { not: { not: { oneOf: parts } } };
    default:
      return { ...first, allOf: others.map((not) => ({ not })) };
  }
}
