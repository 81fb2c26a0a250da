/** Random schemas of draft 2020-12 and values close to them, for property tests. */
import fc from "fast-check";

export type RandomSchema = boolean | Readonly<Record<string, unknown>>;

const names = ["a", "b", "c", "d", "ä"];
const texts = ["", "a", "ab", "b1", "1", "ü", "😀", "null", "2024-02-29"];
const numbers = [-2, -1.5, -1, 0, 0.3, 0.5, 1, 1.5, 2, 3, 6, 10, 1e3];

const count = fc.integer({ min: 0, max: 3 });
const number = fc.constantFrom(...numbers);
const name = fc.constantFrom(...names);
const nameList = fc.uniqueArray(name, { maxLength: 2 });
const type = fc.constantFrom("null", "boolean", "integer", "number", "string", "array", "object");
const pattern = fc.constantFrom("a", "^a", "b$", "^[a-b]+$", "^\\d+$", "^.{2}$", "^$");

/** Small JSON values with few names, texts and numbers, so that random values often match random schemas. */
export const smallValue: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, false),
    fc.constantFrom(...numbers),
    fc.constantFrom(...texts),
    fc.array(tie("value"), { maxLength: 4 }),
    record(tie("value")),
  ),
})).value;

/** Schemas that refer to `#/$defs/d` and, inside properties and items only, to `#`. */
export const randomSchema: fc.Arbitrary<RandomSchema> = fc
  .letrec<{ schema: RandomSchema }>((tie) => ({
    schema: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      { weight: 1, arbitrary: fc.boolean() },
      { weight: 4, arbitrary: leaf() },
      { weight: 8, arbitrary: node(tie("schema")) },
    ),
  }))
  .schema.chain((schema) =>
    leaf().map((d) => (typeof schema === "boolean" ? schema : { ...schema, $defs: { d } })),
  );

function leaf(): fc.Arbitrary<RandomSchema> {
  return few({
    type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
    enum: fc.uniqueArray(smallValue, {
      minLength: 1,
      maxLength: 3,
      selector: (one) => JSON.stringify(one),
    }),
    const: smallValue,
    minimum: number,
    maximum: number,
    exclusiveMinimum: number,
    exclusiveMaximum: number,
    multipleOf: fc.constantFrom(0.1, 0.5, 1, 2, 3),
    minLength: count,
    maxLength: count,
    pattern,
    required: nameList,
  });
}

function node(schema: fc.Arbitrary<RandomSchema>): fc.Arbitrary<RandomSchema> {
  const inner = fc.oneof(
    { weight: 6, arbitrary: schema },
    { weight: 1, arbitrary: fc.constant({ $ref: "#" }) },
    { weight: 1, arbitrary: fc.constant({ $ref: "#/$defs/d" }) },
  );
  const branch = fc.oneof(
    { weight: 6, arbitrary: schema },
    { weight: 1, arbitrary: fc.constant({ $ref: "#/$defs/d" }) },
  );
  const branches = fc.array(branch, { minLength: 1, maxLength: 3 });
  const objects = {
    properties: record(inner),
    patternProperties: fc.dictionary(pattern, inner, { maxKeys: 2 }),
    additionalProperties: inner,
    propertyNames: leaf(),
    required: nameList,
    minProperties: count,
    maxProperties: count,
    dependentRequired: record(nameList),
    dependentSchemas: record(branch),
    unevaluatedProperties: inner,
  };
  const arrays = {
    prefixItems: fc.array(inner, { minLength: 1, maxLength: 2 }),
    items: inner,
    contains: inner,
    minContains: count,
    maxContains: count,
    minItems: count,
    maxItems: count,
    uniqueItems: fc.boolean(),
    unevaluatedItems: inner,
  };
  const combined = {
    allOf: branches,
    anyOf: branches,
    oneOf: branches,
    not: branch,
    if: branch,
    then: branch,
    else: branch,
  };
  return few({ ...objects, ...arrays, ...combined, type });
}

/** Picks a few of the keywords; a schema with all of them would accept nothing. */
function few(keywords: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<RandomSchema> {
  return fc
    .uniqueArray(fc.constantFrom(...Object.keys(keywords)), { minLength: 1, maxLength: 3 })
    .chain((chosen) =>
      fc.record(Object.fromEntries(Object.entries(keywords).filter(([key]) => chosen.includes(key)))),
    );
}

/** Objects with keys from `names`. */
function record<Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Record<string, Value>> {
  return fc
    .uniqueArray(fc.tuple(name, value), { maxLength: 3, selector: ([key]) => key })
    .map((entries) => Object.fromEntries(entries));
}
