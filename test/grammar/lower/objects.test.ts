import { describe, expect, it } from "vitest";
import { expected, outcome, type Scenario } from "./scenarios.js";

const string = { type: "string" };

const scenarios: Readonly<Record<string, Scenario>> = {
  "declared keys follow the order of the schema, and any optional key can be omitted": {
    schema: { type: "object", properties: { a: string, b: string, c: string }, required: ["b"] },
    additionalProperties: false,
    generated: ['{"b":""}', '{"a":"","b":"","c":""}', '{"b":"","c":"x"}', '{ "a": "x", "b": "" }'],
    not: ["{}", '{"a":""}', '{"b":"","a":""}', '{"b":1}', '{"b":"",}', '{"b":"","d":""}'],
  },
  "absent additionalProperties closes only objects that declare keys": {
    schema: { properties: { a: { type: "object", required: ["x"] } }, type: "object" },
    additionalProperties: false,
    generated: ["{}", '{"a":{"x":1}}', '{"a":{"x":1,"y":[]}}'],
    not: ['{"b":1}', '{"a":{}}'],
  },
  "empty properties close an object that need not have a key": {
    schema: {
      type: "object",
      properties: {
        a: { type: "object", properties: {} },
        b: { properties: {}, minProperties: 1, type: "object" },
      },
    },
    additionalProperties: false,
    generated: ["{}", '{"a":{}}', '{"b":{"x":1}}'],
    not: ['{"a":{"p0":"Call"}}', '{"b":{}}'],
  },
  "keys declared by any branch of allOf count as declared": {
    schema: {
      allOf: [
        { properties: { a: string }, required: ["a"] },
        { properties: { b: string }, required: ["b"] },
      ],
      type: "object",
    },
    additionalProperties: false,
    generated: ['{"a":"","b":""}'],
    not: ['{"a":""}', '{"a":"","b":"","c":""}'],
  },
  "additionalProperties false considers only its sibling keywords, also inside allOf": {
    schema: {
      allOf: [{ properties: { a: string }, additionalProperties: false }, { properties: { b: string } }],
      type: "object",
    },
    generated: ["{}", '{"a":""}'],
    not: ['{"b":""}', '{"c":""}'],
  },
  "a declared key never occurs again as an extra key": {
    schema: { type: "object", properties: { ab: { type: "integer" } }, additionalProperties: string },
    generated: ['{"ab":1,"abc":"","a":""}', '{"":""}'],
    not: ['{"ab":""}', '{"a":1}', '{"ab":1,"ab":""}'],
  },
  "patterns partition the extra keys, and overlapping patterns apply together": {
    schema: {
      type: "object",
      patternProperties: { "^a": { type: "integer" }, b$: { minimum: 5 } },
      additionalProperties: false,
    },
    generated: ['{"a":1}', '{"ab":7}', '{"b":5.5}', '{"b":"x"}'],
    not: ['{"ab":1}', '{"ab":5.5}', '{"a":"x"}', '{"c":1}'],
  },
  "what requires or forbids a key applies to a key that only a pattern declares": {
    schema: {
      type: "object",
      patternProperties: { "^[a-c]$": { type: "integer" } },
      dependentRequired: { a: ["b"] },
      not: { required: ["c"] },
    },
    additionalProperties: false,
    generated: ["{}", '{"b":1}', '{"b":2,"a":1}'],
    not: ['{"a":1}', '{"c":1}', '{"b":2,"a":1,"c":1}'],
  },
  "a pattern applies to declared keys too": {
    schema: {
      type: "object",
      properties: { ab: { minimum: 2 } },
      patternProperties: { "^a": { type: "integer" } },
      additionalProperties: false,
    },
    generated: ['{"ab":2}', '{"ac":1}'],
    not: ['{"ab":1}', '{"ab":2.5}', '{"ab":"x"}'],
  },
  "propertyNames restricts every key": {
    schema: { type: "object", propertyNames: { pattern: "^[ab]+$", maxLength: 2 }, properties: { c: true } },
    generated: ['{"ab":1}', "{}"],
    not: ['{"c":1}', '{"aaa":1}'],
  },
  "minProperties and maxProperties are enforced": {
    schema: {
      type: "object",
      properties: { a: { type: "null" }, b: { type: "null" }, c: { type: "null" } },
      additionalProperties: false,
      minProperties: 1,
      maxProperties: 2,
    },
    generated: ['{"a":null}', '{"c":null}', '{"a":null,"c":null}'],
    not: ["{}", '{"a":null,"b":null,"c":null}'],
  },
  "propertyNames of a list make keys that never repeat, are counted, and keep the order of the list": {
    schema: {
      type: "object",
      propertyNames: { enum: ["b", "a", "c"] },
      additionalProperties: { type: "null" },
      minProperties: 2,
    },
    generated: ['{"b":null,"a":null}', '{"a":null,"c":null}', '{"b":null,"a":null,"c":null}'],
    not: ["{}", '{"a":null}', '{"b":null,"b":null}', '{"d":null,"a":null}'],
  },
  "a pattern of few names makes keys that never repeat, beside those that a pattern cannot list": {
    schema: {
      type: "object",
      patternProperties: { "^[xy]$": { const: 1 }, "^n[0-9]+$": { const: 2 } },
      additionalProperties: false,
    },
    generated: ['{"x":1,"y":1,"n7":2}', '{"n7":2,"n8":2}', "{}"],
    not: ['{"x":1,"x":1}', '{"x":2}', '{"z":1}'],
  },
  "the names that a pattern lists have the order of the pattern": {
    schema: {
      type: "object",
      patternProperties: { "^(windows|macos|linux)$": { type: "null" }, "^(tv|car)$": { const: 1 } },
      additionalProperties: false,
    },
    generated: ['{"windows":null,"macos":null,"linux":null,"tv":1,"car":1}', '{"linux":null,"car":1}'],
    not: ['{"linux":null,"macos":null}', '{"car":1,"tv":1}', '{"mac":null}'],
  },
  "a name that is part of an earlier one has its own place in the order of the pattern": {
    schema: {
      type: "object",
      patternProperties: { "^(?:giant|bee|ant)$": { type: "null" } },
      additionalProperties: false,
    },
    generated: ['{"giant":null,"bee":null,"ant":null}', '{"bee":null,"ant":null}'],
    not: ['{"ant":null,"bee":null}', '{"giant":null,"ant":null,"bee":null}'],
  },
  "the names that propertyNames lists in a pattern have the order of the pattern": {
    schema: {
      type: "object",
      propertyNames: { pattern: "^(zebra|ant)$" },
      additionalProperties: { type: "null" },
    },
    generated: ['{"zebra":null,"ant":null}', '{"ant":null}'],
    not: ['{"ant":null,"zebra":null}', '{"zeb":null}'],
  },
  "minProperties is left to the validator if repeated extra keys could satisfy it": {
    schema: { type: "object", minProperties: 2 },
    generated: ['{"a":1,"b":2}'],
    not: ['{"a":1}'],
    checked: ["minProperties"],
  },
  "dependentRequired works for earlier and later keys": {
    schema: {
      type: "object",
      properties: { a: { type: "null" }, b: { type: "null" }, c: { type: "null" } },
      additionalProperties: false,
      dependentRequired: { b: ["a", "c"] },
    },
    generated: ["{}", '{"a":null}', '{"a":null,"b":null,"c":null}', '{"a":null,"c":null}'],
    not: ['{"b":null}', '{"a":null,"b":null}', '{"b":null,"c":null}'],
  },
  "dependentSchemas splits objects by the presence of the key": {
    schema: {
      type: "object",
      properties: { a: { type: "null" }, b: { type: "integer" } },
      dependentSchemas: { a: { properties: { b: { minimum: 3 } }, required: ["b"] } },
      additionalProperties: false,
    },
    generated: ["{}", '{"b":1}', '{"a":null,"b":3}'],
    not: ['{"a":null}', '{"a":null,"b":1}'],
  },
  "unevaluatedProperties considers the names that every merged part evaluates": {
    schema: {
      type: "object",
      properties: { a: string },
      allOf: [{ properties: { b: string } }],
      anyOf: [{ properties: { c: { const: 1 } }, required: ["c"] }, { properties: { d: { const: 1 } } }],
      unevaluatedProperties: false,
    },
    generated: ['{"a":"","b":"","c":1}', '{"a":"","d":1}', "{}"],
    not: ['{"e":1}', '{"c":2}'],
  },
  "a root that is closed by default may name its schema, and nothing else that is undeclared": {
    schema: {
      $schema: "http://json-schema.org/draft-07/schema#",
      $id: "https://example.com/it.json",
      type: "object",
      properties: { a: { type: "object", properties: { b: string } } },
    },
    additionalProperties: false,
    generated: [
      '{"$schema":"https://example.com/it.json","a":{}}',
      '{"$schema":"http://json-schema.org/draft-07/schema#"}',
      "{}",
    ],
    not: ['{"$schema":"x"}', '{"a":{"$schema":"https://example.com/it.json"}}', '{"$id":"x"}'],
  },
  "a root that declares its own key $schema has the values that it declares": {
    schema: {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: { a: string, $schema: { enum: ["https://example.com/config.json"] } },
    },
    additionalProperties: false,
    generated: ['{"a":"","$schema":"https://example.com/config.json"}', '{"a":""}'],
    not: ['{"$schema":"http://json-schema.org/draft-07/schema#"}'],
  },
  "a root with additionalProperties false, or whose schema does not name its draft, does not name it": {
    schema: {
      oneOf: [
        { type: "object", properties: { a: string }, additionalProperties: false, required: ["a"] },
        { type: "object", properties: { b: string }, required: ["b"] },
      ],
    },
    additionalProperties: false,
    generated: ['{"a":""}', '{"b":""}'],
    not: ['{"$schema":"x","a":""}', '{"$schema":"x","b":""}'],
  },
  "keys are escaped as JSON requires": {
    schema: {
      type: "object",
      properties: { 'a"\\\n😀': { const: 1 }, __proto__x: { const: 2 } },
      additionalProperties: false,
    },
    generated: ['{"a\\"\\\\\\n😀":1,"__proto__x":2}'],
    not: ['{"a"\\\n😀":1}'],
  },
  "__proto__ is an ordinary key": {
    schema: JSON.parse('{"type":"object","properties":{"__proto__":{"const":1}},"required":["__proto__"]}'),
    additionalProperties: false,
    generated: ['{"__proto__":1}'],
    not: ["{}", '{"__proto__":2}'],
  },
};

describe("objects", () => {
  it.each(Object.entries(scenarios))("%s", (_, scenario) => {
    expect(outcome(scenario)).toEqual(expected(scenario));
  });
});
