import { describe, expect, it } from "vitest";
import { expected, outcome, type Scenario } from "./scenarios.js";

const integer = { type: "integer" };

const scenarios: Readonly<Record<string, Scenario>> = {
  "items repeat between minItems and maxItems": {
    schema: { type: "array", items: integer, minItems: 1, maxItems: 3 },
    generated: ["[1]", "[1, 2]", "[1,2,3]", "[\n  1,\n  2\n]"],
    not: ["[]", "[1,2,3,4]", "[1,]", '["a"]', "[1 ,2]"],
  },
  "a tuple is followed by items, and may be shorter": {
    schema: { type: "array", prefixItems: [{ const: "a" }, integer], items: { type: "null" } },
    generated: ["[]", '["a"]', '["a",1]', '["a",1,null,null]'],
    not: ["[1]", '["a",null]', '["a",1,2]'],
  },
  "items false ends a tuple": {
    schema: { type: "array", prefixItems: [integer, integer], items: false, minItems: 1 },
    generated: ["[1]", "[1,2]"],
    not: ["[]", "[1,2,3]"],
  },
  "an array longer than any block is counted exactly": {
    schema: { type: "array", items: { const: 1 }, minItems: 1500, maxItems: 2600 },
    generated: [`[${Array(1500).fill(1).join()}]`, `[${Array(2600).fill(1).join()}]`],
    not: [`[${Array(1499).fill(1).join()}]`, `[${Array(2601).fill(1).join()}]`],
  },
  "contains requires one matching item at any position": {
    schema: { type: "array", contains: { const: "x" }, items: { enum: ["x", "y"] } },
    generated: ['["x"]', '["y","x"]', '["x","y","y"]'],
    not: ["[]", '["y"]', '["y","y"]', '["z","x"]'],
  },
  "minContains and maxContains combine with the limits on items": {
    schema: {
      type: "array",
      contains: { const: "x" },
      minContains: 1,
      maxContains: 2,
      items: { enum: ["x", "y"] },
      maxItems: 3,
    },
    generated: ['["x","x","y"]', '["y","y","x"]'],
    not: ['["x","x","x"]', '["y"]', '["x","y","y","y"]'],
  },
  "uniqueItems of few values is enforced by the grammar": {
    schema: { type: "array", items: { enum: ["a", "b", "c"] }, uniqueItems: true, minItems: 1 },
    generated: ['["a"]', '["c","a","b"]'],
    not: ["[]", '["a","a"]', '["a","b","c","a"]'],
  },
  "uniqueItems of nine values, or of two out of many, is enforced by the grammar": {
    schema: {
      type: "array",
      prefixItems: [
        { type: "array", items: { enum: [1, 2, 3, 4, 5, 6, 7, 8, 9] }, uniqueItems: true },
        {
          type: "array",
          items: { enum: Array.from({ length: 30 }, (_, n) => n) },
          uniqueItems: true,
          maxItems: 2,
        },
      ],
      items: false,
    },
    generated: ["[[9,8,7,6,5,4,3,2,1],[29,0]]", "[[],[]]"],
    not: ["[[1,2,1]]", "[[],[7,7]]", "[[],[1,2,3]]"],
  },
  "uniqueItems of an enum that names values twice uses each once": {
    schema: {
      type: "array",
      items: { enum: [1, 1, { a: 1, b: 2 }, { b: 2, a: 1 }] },
      uniqueItems: true,
    },
    generated: ['[1,{"a":1,"b":2}]', '[{"a":1,"b":2},1]', "[]"],
    not: ["[1,1]", '[{"a":1,"b":2},{"b":2,"a":1}]', '[1,{"a":1,"b":2},1]'],
  },
  "uniqueItems of anything is left to the validator": {
    schema: { type: "array", items: integer, uniqueItems: true },
    generated: ["[1,2]", "[1,1]"],
    not: ['["a"]'],
    checked: ["uniqueItems"],
  },
  "unevaluatedItems applies after the items of the merged tuples": {
    schema: {
      type: "array",
      prefixItems: [integer],
      allOf: [{ prefixItems: [true, { type: "null" }] }],
      unevaluatedItems: false,
    },
    generated: ["[1,null]", "[]"],
    not: ["[1,null,1]", "[1,1]"],
  },
};

describe("arrays", () => {
  it.each(Object.entries(scenarios))("%s", (_, scenario) => {
    expect(outcome(scenario)).toEqual(expected(scenario));
  });
});
