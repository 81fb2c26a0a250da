import { obj, recursive, ref } from "./recursive.js";

/** Alternatives by conditions, by required keys, by items and by nested values. */
export const conditionalFamilies: Readonly<Record<string, object>> = {
  ifThen: recursive({
    anyOf: [
      { type: "integer" },
      {
        type: "object",
        properties: { left: ref, op: { enum: ["+", "neg"] }, right: ref },
        required: ["left", "op"],
        additionalProperties: false,
        if: { properties: { op: { const: "+" } } },
        then: { required: ["right"] },
        else: { properties: { right: false } },
      },
    ],
  }),
  dependent: recursive({
    anyOf: [
      { type: "integer" },
      {
        type: "object",
        properties: { left: ref, op: { type: "string" }, right: ref },
        required: ["left"],
        additionalProperties: false,
        dependentSchemas: { op: { required: ["right"] } },
      },
    ],
  }),
  dependent2: recursive({
    anyOf: [
      { type: "integer" },
      {
        type: "object",
        properties: { left: ref, op: { type: "string" }, right: ref, z: ref },
        required: ["left"],
        additionalProperties: false,
        dependentSchemas: {
          op: { required: ["right"] },
          right: { properties: { op: { const: "x" } } },
          z: { required: ["op"] },
        },
      },
    ],
  }),
  allOf: recursive({
    anyOf: [
      { type: "integer" },
      {
        allOf: [
          {
            type: "object",
            properties: { left: ref, right: ref, op: { type: "string" } },
            required: ["left", "op"],
            additionalProperties: false,
          },
          {
            anyOf: [
              { properties: { op: { const: "+" } } },
              { properties: { op: { const: "*" } }, required: ["right"] },
            ],
          },
        ],
      },
    ],
  }),
  second: recursive({
    anyOf: [
      obj({ a: { type: "string" }, b: ref, c: { const: 1 } }),
      obj({ a: { type: "string" }, b: ref, c: { const: 2 } }),
      { type: "integer" },
    ],
  }),
  order: recursive({
    anyOf: [
      obj({ a: ref, b: ref }, []),
      obj({ b: ref, a: ref, c: { const: 1 } }, ["c"]),
      { type: "integer" },
    ],
  }),
  required: recursive({
    anyOf: [
      { type: "integer" },
      {
        type: "object",
        properties: { a: ref, b: ref, c: ref, d: ref },
        additionalProperties: false,
        anyOf: [{ required: ["a"] }, { required: ["b"] }, { required: ["c"] }, { required: ["d"] }],
      },
    ],
  }),
  any: recursive({
    anyOf: [
      obj({ left: ref, op: { const: "+" } }),
      obj({ left: {}, op: { const: "any" } }),
      { type: "integer" },
    ],
  }),
  twoDisc: recursive({
    anyOf: ["a", "b"]
      .flatMap((k) =>
        ["x", "y"].map((o) => obj({ left: ref, kind: { const: k }, op: { const: o }, right: ref })),
      )
      .concat([{ type: "integer" }]),
  }),
  chains: {
    anyOf: [obj({ x: { $ref: "#/$defs/e1" } }), obj({ x: { $ref: "#/$defs/e2" }, y: { type: "integer" } })],
    $defs: {
      e1: { anyOf: [obj({ l: { $ref: "#/$defs/e1" }, op: { const: "+" } }), { type: "integer" }] },
      e2: { anyOf: [obj({ l: { $ref: "#/$defs/e2" }, op: { const: "*" } }), { type: "integer" }] },
    },
  },
  contains: recursive({
    anyOf: [{ type: "integer" }, { type: "array", items: ref, contains: { type: "array" }, minContains: 1 }],
  }),
  contains2: recursive({
    anyOf: [
      { type: "integer" },
      obj({
        l: { type: "array", items: ref, contains: { type: "object" }, maxContains: 2 },
        op: { type: "string" },
      }),
    ],
  }),
  enumValue: recursive({
    anyOf: [
      obj({ x: { enum: [{ a: 1 }, 5] }, l: ref, op: { const: 1 } }),
      obj({ x: { type: "object", properties: { a: { type: "integer" } } }, l: ref, op: { const: 2 } }),
      { type: "integer" },
    ],
  }),
  tree: recursive({
    type: "object",
    properties: { value: { type: "string" }, left: ref, right: ref },
    required: ["value"],
    oneOf: [
      { properties: { leaf: { const: true } }, required: ["leaf"] },
      { required: ["left"], properties: { leaf: false } },
    ],
  }),
  not: recursive({
    anyOf: [
      { type: "integer" },
      {
        type: "object",
        properties: { left: ref, op: { type: "string" }, right: ref },
        required: ["left", "op"],
        additionalProperties: false,
        not: { properties: { op: { const: "x" } }, required: ["right"] },
      },
    ],
  }),
  unique: recursive({
    anyOf: [
      { type: "integer" },
      { type: "array", items: ref, uniqueItems: true },
      { type: "array", items: ref, maxItems: 4 },
    ],
  }),
  root: {
    anyOf: [
      obj({ left: { $ref: "#" }, op: { const: "+" } }),
      obj({ left: { $ref: "#" }, op: { const: "*" } }),
      { type: "null" },
    ],
  },
  wideStart: recursive({
    anyOf: [
      obj({ a: ref, b: ref, c: ref, op: { const: 1 } }, ["op"]),
      obj({ a: ref, b: ref, c: ref, op: { const: 2 } }, ["op"]),
      obj({ a: ref, c: ref, b: ref, op: { const: 3 } }, ["op"]),
      { type: "integer" },
    ],
  }),
  wrapped: recursive({
    anyOf: [
      obj({ node: obj({ child: ref }), tag: { const: "a" } }),
      obj({ node: obj({ child: ref, more: ref }, ["child"]), tag: { const: "b" } }),
      { type: "integer" },
    ],
  }),
};

/** Levels that each refer to the next one in two alternatives; nothing repeats. */
export const diamonds: object = {
  $ref: "#/$defs/d0",
  $defs: Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [
      "d" + i,
      i === 19
        ? { type: "integer" }
        : {
            anyOf: [
              obj({ left: { $ref: "#/$defs/d" + (i + 1) }, op: { const: "+" } }),
              obj({ left: { $ref: "#/$defs/d" + (i + 1) }, op: { const: "*" } }),
            ],
          },
    ]),
  ),
};
