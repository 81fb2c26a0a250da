import { describe, expect, it } from "vitest";
import { expected, outcome, type Scenario } from "./scenarios.js";

const cat = { properties: { kind: { const: "cat" }, lives: { type: "integer" } }, required: ["kind"] };
const dog = { properties: { kind: { const: "dog" }, tricks: { type: "integer" } }, required: ["kind"] };

const scenarios: Readonly<Record<string, Scenario>> = {
  "siblings of anyOf apply in every branch": {
    schema: {
      type: "object",
      properties: { a: { const: 1 } },
      required: ["a"],
      anyOf: [{ required: ["b"] }, { required: ["c"] }],
    },
    generated: ['{"a":1,"b":2}', '{"a":1,"c":2}'],
    not: ['{"a":1}', '{"b":1}'],
  },
  "keywords apply to their own type only": {
    schema: { minLength: 2, minimum: 3 },
    generated: ['"ab"', "3", "true", "[]", "{}"],
    not: ['"a"', "2"],
  },
  "number constraints are intersected to one range": {
    schema: { type: "integer", allOf: [{ minimum: 2 }, { exclusiveMaximum: 13 }, { multipleOf: 4 }] },
    generated: ["4", "8", "12"],
    not: ["0", "2", "13", "16", "4.5"],
  },
  "string constraints are intersected to one automaton": {
    schema: { type: "string", allOf: [{ pattern: "^a" }, { pattern: "b$" }, { maxLength: 3 }] },
    generated: ['"ab"', '"axb"'],
    not: ['"a"', '"axxb"', '"b"'],
  },
  "oneOf with a distinguishing constant is exact": {
    schema: { type: "object", oneOf: [cat, dog] },
    additionalProperties: false,
    generated: ['{"kind":"cat","lives":9}', '{"kind":"dog"}'],
    not: ['{"kind":"cat","tricks":1}', '{"kind":"cow"}'],
  },
  "oneOf of required keys allows exactly one of them": {
    schema: {
      type: "object",
      properties: { a: { type: "null" }, b: { type: "null" } },
      additionalProperties: false,
      oneOf: [{ required: ["a"] }, { required: ["b"] }],
    },
    generated: ['{"a":null}', '{"b":null}'],
    not: ["{}", '{"a":null,"b":null}'],
  },
  "oneOf of overlapping ranges excludes the overlap": {
    schema: {
      type: "integer",
      oneOf: [
        { minimum: 0, maximum: 10 },
        { minimum: 5, maximum: 20 },
      ],
    },
    generated: ["0", "4", "11", "20"],
    not: ["5", "10", "21", "-1"],
  },
  "not excludes values, types and required keys": {
    schema: { enum: [1, "a", null, "b"], not: { enum: ["a", null] } },
    generated: ["1", '"b"'],
    not: ['"a"', "null"],
  },
  "not of a required key forbids it": {
    schema: { type: "object", properties: { a: true, b: { type: "null" } }, not: { required: ["a"] } },
    generated: ["{}", '{"b":null}', '{"c":1}'],
    not: ['{"a":1}', '{"b":null,"a":1}'],
  },
  "not of strings and numbers is their complement": {
    schema: {
      type: ["string", "number"],
      allOf: [{ not: { type: "string", pattern: "^a" } }, { not: { type: "number", minimum: 5 } }],
    },
    generated: ['"ba"', "4.9", "-7"],
    not: ['"ab"', "5"],
  },
  "not is left to the validator where no complement is expressible": {
    schema: { type: "array", items: { type: "integer" }, not: { uniqueItems: true } },
    generated: ["[1,1]"],
    not: ["[1]", '["a","a"]'],
    checked: ["not"],
  },
  "if, then and else split by the condition": {
    schema: {
      type: "object",
      properties: { kind: { enum: ["a", "b"] }, x: { type: "integer" } },
      required: ["kind"],
      additionalProperties: false,
      if: { properties: { kind: { const: "a" } } },
      then: { required: ["x"] },
      else: { properties: { x: false } },
    },
    generated: ['{"kind":"a","x":1}', '{"kind":"b"}'],
    not: ['{"kind":"a"}', '{"kind":"b","x":1}'],
  },
  "an enum is filtered by its sibling keywords": {
    schema: { enum: [1, 2.5, "a", "bb", { a: 1 }, [2]], type: ["integer", "string", "object"], maxLength: 1 },
    generated: ["1", '"a"', '{"a":1}', '{ "a": 1 }'],
    not: ["2.5", '"bb"', "[2]", '{"a":2}'],
  },
  "recursion becomes a named rule": {
    schema: {
      $ref: "#/$defs/node",
      $defs: {
        node: {
          type: "object",
          properties: { v: { type: "integer" }, next: { $ref: "#/$defs/node" } },
          required: ["v"],
          additionalProperties: false,
        },
      },
    },
    generated: ['{"v":1}', '{"v":1,"next":{"v":2,"next":{"v":3}}}'],
    not: ['{"next":{"v":2}}', '{"v":1,"next":{}}'],
  },
  "recursion through two merged schemas terminates": {
    schema: {
      $ref: "#/$defs/a",
      $defs: {
        a: { allOf: [{ $ref: "#/$defs/b" }], properties: { x: { $ref: "#/$defs/a" } } },
        b: {
          type: "object",
          properties: { x: { $ref: "#/$defs/b" }, y: { type: "null" } },
          additionalProperties: false,
        },
      },
    },
    generated: ["{}", '{"x":{"x":{"y":null}},"y":null}'],
    not: ['{"z":1}', '{"x":{"z":1}}'],
  },
};

describe("combined schemas", () => {
  it.each(Object.entries(scenarios))("%s", (_, scenario) => {
    expect(outcome(scenario)).toEqual(expected(scenario));
  });
});
