/** Recursive schemas whose alternatives are told apart only behind a member that contains all of them again. */
import { conditionalFamilies } from "./conditional-families.js";
import { binary, obj, recursive, ref, tuple } from "./recursive.js";

export const families: Readonly<Record<string, object>> = {
  three: recursive({ anyOf: [binary("+"), binary("*"), binary("-"), { type: "integer" }] }),
  ten: recursive({ anyOf: [..."+-*/%&|^<>"].map((o) => binary(o)).concat([{ type: "integer" }]) }),
  oneOf: recursive({ oneOf: [binary("+"), binary("*"), binary("-"), { type: "integer" }] }),
  open: recursive({
    anyOf: ["+", "*", "-"]
      .map((o) => obj({ left: ref, op: { const: o }, right: ref }, undefined, {}))
      .concat([{ type: "integer" }]),
  }),
  openTrue: recursive({
    anyOf: ["+", "*", "-"]
      .map((o) => obj({ left: ref, op: { const: o }, right: ref }, undefined, { additionalProperties: true }))
      .concat([{ type: "integer" }]),
  }),
  differentTail: recursive({
    anyOf: [
      obj({ left: ref, op: { const: "+" }, right: ref }),
      obj({ left: ref, op: { const: "neg" } }),
      obj({ left: ref, op: { const: "if" }, cond: ref, other: { type: "string" } }),
      { type: "integer" },
    ],
  }),
  optional: recursive({
    anyOf: [
      obj({ left: ref, op: { const: "+" }, right: ref }, ["left"]),
      obj({ left: ref, kind: { const: "*" }, right: ref }, ["left", "kind"]),
      { type: "integer" },
    ],
  }),
  overlapEnum: recursive({
    anyOf: [
      obj({ left: ref, op: { enum: ["a", "b"] }, right: ref }),
      obj({ left: ref, op: { enum: ["b", "c"] }, right: ref, more: ref }),
      { type: "integer" },
    ],
  }),
  opFirst: recursive({
    anyOf: [
      obj({ op: { enum: ["a", "b"] }, left: ref, x: { const: 1 } }),
      obj({ op: { enum: ["b", "c"] }, left: ref, x: { const: 2 } }),
      { type: "integer" },
    ],
  }),
  opString: recursive({
    anyOf: [
      obj({ op: { type: "string" }, left: ref, x: { const: 1 } }),
      obj({ op: { type: "string", pattern: "^a" }, left: ref, x: { const: 2 } }),
      { type: "integer" },
    ],
  }),
  opNumber: recursive({
    anyOf: [
      obj({ n: { type: "integer" }, left: ref, x: { const: 1 } }),
      obj({ n: { type: "number", minimum: 3 }, left: ref, x: { const: 2 } }),
      { type: "integer" },
    ],
  }),
  nested: recursive({
    anyOf: [
      obj({ left: ref, meta: obj({ kind: { const: "a" } }), right: ref }),
      obj({ left: ref, meta: obj({ kind: { const: "b" } }), right: ref }),
      { type: "integer" },
    ],
  }),
  nestedIn: recursive({
    anyOf: [
      obj({ m: obj({ a: ref, kind: { const: "a" } }), x: { type: "integer" } }),
      obj({ m: obj({ a: ref, kind: { const: "b" } }), y: { type: "string" } }),
      { type: "integer" },
    ],
  }),
  nullable: recursive({
    anyOf: [
      obj({ left: { anyOf: [ref, { type: "null" }] }, op: { const: "+" } }),
      obj({ left: ref, op: { const: "*" } }),
      { type: "integer" },
    ],
  }),
  mutual: recursive(
    {
      anyOf: [
        obj({ left: { $ref: "#/$defs/f" }, op: { const: "+" } }),
        obj({ left: { $ref: "#/$defs/f" }, op: { const: "*" } }),
        { type: "integer" },
      ],
    },
    {
      f: {
        anyOf: [
          obj({ left: ref, op: { const: "!" } }),
          obj({ left: ref, op: { const: "?" } }),
          { type: "string" },
        ],
      },
    },
  ),
  mutual2: recursive(
    {
      anyOf: [
        obj({ left: ref, op: { const: "+" } }),
        obj({ left: { $ref: "#/$defs/f" }, op: { const: "*" } }),
        { type: "integer" },
      ],
    },
    {
      f: {
        anyOf: [
          obj({ left: ref, op: { const: "!" } }),
          obj({ left: { $ref: "#/$defs/f" }, op: { const: "?" } }),
          { type: "string" },
        ],
      },
    },
  ),
  arrayOps: recursive({
    anyOf: [...["+", "*", "-"].map((o) => tuple([ref, { const: o }, ref])), { type: "integer" }],
  }),
  arrayLast: recursive({
    anyOf: [
      { type: "array", prefixItems: [ref, ref], items: false, minItems: 2 },
      { type: "array", prefixItems: [ref, ref, { const: 1 }], items: false, minItems: 3 },
      { type: "integer" },
    ],
  }),
  items: recursive({
    anyOf: [
      obj({ args: { type: "array", items: ref }, op: { const: "and" } }),
      obj({ args: { type: "array", items: ref }, op: { const: "or" } }),
      { type: "boolean" },
    ],
  }),
  itemsLimits: recursive({
    anyOf: [
      obj({ args: { type: "array", items: ref, minItems: 2 }, op: { const: "and" } }),
      obj({ args: { type: "array", items: ref, maxItems: 3 }, op: { const: "or" } }),
      { type: "boolean" },
    ],
  }),
  listOrList: recursive({
    anyOf: [
      { type: "array", items: ref, maxItems: 2 },
      { type: "array", items: ref, minItems: 1 },
      { type: "integer" },
    ],
  }),
  extra: recursive({
    anyOf: [
      obj({ op: { const: "+" } }, ["op"], { additionalProperties: ref }),
      obj({ kind: { const: "*" } }, [], { additionalProperties: ref }),
      { type: "integer" },
    ],
  }),
  patterns: recursive({
    anyOf: [
      obj({}, [], { patternProperties: { "^a": ref }, additionalProperties: false }),
      obj({}, [], { patternProperties: { "^[ab]": ref }, additionalProperties: false, minProperties: 1 }),
      { type: "integer" },
    ],
  }),
  ...conditionalFamilies,
};
