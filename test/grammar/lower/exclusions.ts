/** Schemas with values that `not` or `oneOf` exclude. */

const properties = { a: { type: "string" }, b: { type: "integer" }, c: { type: "boolean" } };

function object(keywords: object): object {
  return { type: "object", properties, ...keywords };
}

export const exclusions: Readonly<Record<string, object>> = {
  "not: a const": { type: "string", not: { const: "a" } },
  "not: an enum of all types": { not: { enum: ["a", 1, null, true, [1], { a: 1 }] } },
  "not: an object": object({ not: { const: { a: "x", b: 1 } } }),
  "not: objects of an enum": object({
    additionalProperties: false,
    required: ["a"],
    not: { enum: [{ a: "x" }, { a: "y", b: 1 }] },
  }),
  "not: an array": { type: "array", items: { enum: [1, 2, 3] }, not: { const: [1, 2] } },
  "not: a type": { not: { type: "string" } },
  "not: types": { not: { type: ["string", "integer"] } },
  "not: integers": { type: "number", not: { type: "integer" } },
  "not: a required key": object({ not: { required: ["a"] } }),
  "not: two required keys": object({ not: { required: ["a", "b"] } }),
  "not: either of two keys": object({ not: { anyOf: [{ required: ["a"] }, { required: ["b"] }] } }),
  "not: two keys together": object({ not: { allOf: [{ required: ["a"] }, { required: ["b"] }] } }),
  "not: a const of a key": object({ not: { properties: { a: { const: "x" } }, required: ["a"] } }),
  "not: consts of two keys": object({
    not: { properties: { a: { const: "x" }, b: { const: 1 } }, required: ["a", "b"] },
  }),
  "not: a pattern": { type: "string", not: { pattern: "^x" } },
  "not: lengths": { type: "string", not: { minLength: 3, maxLength: 5 } },
  "not: a range of integers": { type: "integer", not: { minimum: 3, maximum: 5 } },
  "not: even integers": { type: "integer", not: { multipleOf: 2 } },
  "not: multiples of a fraction": { type: "number", not: { multipleOf: 0.5 } },
  "not: items": { type: "array", items: { type: "integer" }, not: { items: { minimum: 3 } } },
  "not: the first items": { type: "array", not: { prefixItems: [{ type: "string" }, { type: "integer" }] } },
  "not: an item": { type: "array", items: { enum: [1, 2, 3] }, not: { contains: { const: 2 } } },
  "not: arrays of two": { type: "array", not: { minItems: 2 } },
  "not: short arrays": { type: "array", not: { maxItems: 2 } },
  "not: objects of two": { type: "object", not: { minProperties: 2 } },
  "not: closed objects": object({ not: { properties: { a: true }, additionalProperties: false } }),
  "not: closed objects of closed ones": object({
    additionalProperties: false,
    not: { properties: { a: true }, additionalProperties: false },
  }),
  "not: names by a pattern": { type: "object", not: { propertyNames: { pattern: "^x" } } },
  "not: short names": { type: "object", not: { propertyNames: { maxLength: 3 } } },
  "not: dependent keys": object({ not: { dependentRequired: { a: ["b"] } } }),
  "not: dependent schemas": object({ not: { dependentSchemas: { a: { required: ["b"] } } } }),
  "not: a condition": object({
    not: { if: { required: ["a"] }, then: { required: ["b"] }, else: { required: ["c"] } },
  }),
  "not: not twice": { not: { not: { type: "string" } } },
  "not: a reference": { type: "string", not: { $ref: "#/$defs/x" }, $defs: { x: { enum: ["a"] } } },
  "not: one of two keys": object({ not: { oneOf: [{ required: ["a"] }, { required: ["b"] }] } }),
  "not: one of three keys": object({
    not: { oneOf: [{ required: ["a"] }, { required: ["b"] }, { required: ["c"] }] },
  }),
  "not: keys of an inner object": object({
    properties: {
      a: {
        type: "object",
        properties: { x: { type: "string" }, y: { type: "number" } },
        not: { required: ["x", "y"] },
      },
    },
  }),
  "not: an open object but not a closed one": {
    type: "object",
    properties,
    not: {
      type: "object",
      properties: { a: { type: "string", maxLength: 3 } },
      required: ["a"],
      additionalProperties: false,
    },
  },
  "oneOf: integers and numbers": { oneOf: [{ type: "integer" }, { type: "number" }] },
  "oneOf: multiples that overlap": {
    oneOf: [
      { type: "number", multipleOf: 3 },
      { type: "number", multipleOf: 5 },
    ],
  },
  "oneOf: bounds that overlap": { type: "integer", oneOf: [{ minimum: 3 }, { maximum: 7 }] },
  "oneOf: lengths that overlap": {
    oneOf: [
      { type: "string", minLength: 3 },
      { type: "string", maxLength: 5 },
    ],
  },
  "oneOf: patterns that overlap": { type: "string", oneOf: [{ pattern: "^a" }, { pattern: "b$" }] },
  "oneOf: enums that overlap": { oneOf: [{ enum: ["a", "b"] }, { enum: ["b", "c"] }] },
  "oneOf: one of three required keys": object({
    oneOf: [{ required: ["a"] }, { required: ["b"] }, { required: ["c"] }],
  }),
  "oneOf: objects by a required key": {
    oneOf: [
      { type: "object", properties, required: ["a"] },
      { type: "object", properties, required: ["b"] },
    ],
  },
  "oneOf: closed objects that share a key": {
    oneOf: [
      object({ additionalProperties: false, required: ["a"] }),
      {
        type: "object",
        properties: { a: { type: "string" }, d: { type: "string" } },
        required: ["a"],
        additionalProperties: false,
      },
    ],
  },
  "oneOf: objects by a key whose values overlap": {
    oneOf: [
      { type: "object", properties: { k: { enum: ["x", "y"] }, v: { type: "string" } }, required: ["k"] },
      { type: "object", properties: { k: { enum: ["y", "z"] }, w: { type: "string" } }, required: ["k"] },
    ],
  },
  "oneOf: arrays of which both have the empty one": {
    oneOf: [
      { type: "array", items: { type: "string" } },
      { type: "array", items: { type: "integer" } },
    ],
  },
  "oneOf: lengths of arrays that overlap": {
    oneOf: [
      { type: "array", minItems: 1, items: { type: "string" } },
      { type: "array", maxItems: 3, items: { type: "string" } },
    ],
  },
  "oneOf: objects and those with a key": {
    oneOf: [{ type: "object" }, { type: "object", required: ["a"], properties }],
  },
  "oneOf: three ranges that overlap": {
    oneOf: [
      { type: "integer", minimum: 0, maximum: 10 },
      { type: "integer", minimum: 5, maximum: 15 },
      { type: "integer", minimum: 8, maximum: 20 },
    ],
  },
  "oneOf: a const within a type": { oneOf: [{ const: 1 }, { type: "integer" }, { const: "a" }] },
  "oneOf: arrays of integers and of numbers": {
    oneOf: [
      { type: "array", items: { type: "integer" } },
      { type: "array", items: { type: "number" } },
    ],
  },
  "oneOf: objects whose key is an integer or a number": {
    oneOf: [
      { type: "object", properties: { v: { type: "integer" } }, required: ["v"] },
      { type: "object", properties: { v: { type: "number" } }, required: ["v"] },
    ],
  },
  "oneOf: a recursive reference": {
    oneOf: [
      { $ref: "#/$defs/n" },
      { type: "null" },
      { type: "object", required: ["next"], properties: { next: { type: "null" } } },
    ],
    $defs: {
      n: { type: "object", properties: { next: { oneOf: [{ $ref: "#/$defs/n" }, { type: "null" }] } } },
    },
  },
  "oneOf: names that overlap": {
    oneOf: [
      { type: "object", propertyNames: { pattern: "^a" } },
      { type: "object", propertyNames: { maxLength: 2 } },
    ],
  },
  "oneOf: arrays that contain one of two": {
    oneOf: [
      { type: "array", contains: { const: 1 } },
      { type: "array", contains: { const: 2 } },
    ],
  },
  "not: a tuple and nothing more": {
    type: "array",
    not: { prefixItems: [{ type: "string" }], items: false },
  },
  "not: numbers of a long list": { type: "integer", not: { enum: [1, 2, 3, 5, 8, 13] } },
  "oneOf: closed objects of any type": {
    oneOf: [
      { properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false },
      { properties: { b: { type: "string" } }, required: ["b"], additionalProperties: false },
      { properties: { c: { type: "string" } }, required: ["c"], additionalProperties: false },
    ],
  },
  "oneOf: objects by consts of a key that may be absent": {
    oneOf: ["x", "y", "z", "w"].map((k) => ({
      type: "object",
      properties: { k: { const: k }, v: { type: "string" } },
    })),
  },
};
