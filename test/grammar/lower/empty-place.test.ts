import { expect, it } from "vitest";
import { convertSchema } from "../../../src/grammar/convert.js";

it.each([
  ["minItems", "/properties/a", { type: "array", items: { enum: [1, 2] }, uniqueItems: true, minItems: 3 }],
  [
    "minItems",
    "/properties/a",
    { type: "array", items: { type: "integer", minimum: 1, maximum: 70 }, uniqueItems: true, minItems: 80 },
  ],
  ["minimum", "/properties/a", { type: "integer", minimum: 5, maximum: 3 }],
  ["not", "/properties/a", { type: "string", not: { type: ["string", "null"] } }],
  ["oneOf", "/properties/a/items", { type: "array", items: { oneOf: [true, true] }, minItems: 1 }],
  [
    "enum",
    "/properties/a/properties/b",
    { type: "object", properties: { b: { enum: [1], type: "string" } }, required: ["b"] },
  ],
])("D13: a schema without values is rejected with its place: %s at %s", (keyword, pointer, a) => {
  for (const open of [true, false])
    expect(() =>
      convertSchema({ type: "object", properties: { a }, required: ["a"] }, { additionalProperties: open }),
    ).toThrow(expect.objectContaining({ name: "SchemaRefusal", keyword, pointer }));
});
