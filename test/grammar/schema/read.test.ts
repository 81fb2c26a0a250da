import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { measureCpuMs } from "../../kit/cpu-time.js";
import { schemaLimits } from "../../../src/grammar/schema/guards.js";
import type { SchemaNode } from "../../../src/grammar/schema/node.js";
import { readSchema } from "../../../src/grammar/schema/read.js";
import { SchemaRefusal } from "../../../src/grammar/schema/refusal.js";
import { randomSchema } from "./arbitrary.js";

function refusalOf(schema: unknown): { keyword: string | null; pointer: string; message: string } {
  try {
    readSchema(schema);
  } catch (thrown) {
    if (!(thrown instanceof SchemaRefusal)) throw thrown;
    const { keyword, pointer, message } = thrown;
    return { keyword, pointer, message };
  }
  throw new Error("the schema was read");
}

function nested(levels: number): unknown {
  let schema: unknown = true;
  for (let level = 0; level < levels; level += 1) schema = { not: schema };
  return schema;
}

function numbered<Value>(count: number, make: (nth: number) => Value): Record<string, Value> {
  return Object.fromEntries(Array.from({ length: count }, (_, nth) => [`n${nth}`, make(nth)]));
}

describe("a malformed schema is rejected with keyword and location", () => {
  const malformed: readonly (readonly [string, string, unknown])[] = [
    ["minLength", "", { minLength: "x" }],
    ["maxLength", "", { maxLength: -1 }],
    ["minItems", "/properties/a", { properties: { a: { minItems: 1.5 } } }],
    ["minimum", "/items", { items: { minimum: "3" } }],
    ["exclusiveMaximum", "", { exclusiveMaximum: "3" }],
    ["multipleOf", "", { multipleOf: 0 }],
    ["type", "", { type: "foo" }],
    ["type", "", { type: [] }],
    ["type", "/anyOf/1", { anyOf: [true, { type: ["string", "any"] }] }],
    ["required", "/properties/a~1b", { properties: { "a/b": { required: true } } }],
    ["required", "", { required: [1] }],
    ["properties", "", { properties: [] }],
    ["enum", "", { enum: [] }],
    ["enum", "", { enum: "a" }],
    ["pattern", "", { pattern: 1 }],
    ["format", "", { format: {} }],
    ["uniqueItems", "", { uniqueItems: 1 }],
    ["allOf", "", { allOf: [] }],
    ["anyOf", "", { anyOf: {} }],
    ["dependentRequired", "", { dependentRequired: { a: "b" } }],
    ["$ref", "", { $ref: 1 }],
    ["items", "", { items: [true], prefixItems: [true] }],
    [null as unknown as string, "/not", { not: null }],
    [null as unknown as string, "/properties/a", { properties: { a: "string" } }],
    ["$schema", "", { $schema: "http://json-schema.org/draft-03/schema#" }],
  ];

  it.each(malformed)("%s at %j", (keyword, pointer, schema) => {
    expect(refusalOf(schema)).toMatchObject({ keyword, pointer });
  });

  it("reports the expected and the actual value", () => {
    expect(refusalOf({ properties: { a: { minLength: "x" } } }).message).toBe(
      'minLength must be a whole number of at least 0, not "x" (at #/properties/a).',
    );
  });
});

describe("references", () => {
  const string: Pick<SchemaNode, "types"> = { types: new Set(["string"]) };
  const targets: readonly (readonly [string, unknown])[] = [
    ["#/$defs/s", { $defs: { s: { type: "string" } } }],
    ["#/definitions/s", { definitions: { s: { type: "string" } } }],
    ["#/x-parts/0/s", { "x-parts": [{ s: { type: "string" } }] }],
    ["#/$defs/a~1b~0%25%20c", { $defs: { "a/b~% c": { type: "string" } } }],
    ["#/$defs/100%", { $defs: { "100%": { type: "string" } } }],
    ["#/$defs/__proto__", JSON.parse('{"$defs":{"__proto__":{"type":"string"}}}')],
    ["#named", { $defs: { s: { $anchor: "named", type: "string" } } }],
    ["#named", { $defs: { s: { $id: "#named", type: "string" } } }],
    ["part.json", { $defs: { s: { $id: "part.json", type: "string" } } }],
    [
      "https://a.test/part.json",
      { $id: "https://a.test/x", $defs: { s: { $id: "part.json", type: "string" } } },
    ],
    ["https://a.test/x#/$defs/s", { $id: "https://a.test/x", $defs: { s: { type: "string" } } }],
    ["urn:uuid:1#/$defs/s", { $id: "urn:uuid:1", $defs: { s: { type: "string" } } }],
  ];

  it.each(targets)("%s resolves to its subschema", (reference, document) => {
    const root = readSchema({ ...(document as object), properties: { p: { $ref: reference } } });
    expect(root.properties?.get("p")?.ref).toMatchObject(string);
  });

  it("builds one node per location, so that # is the root node itself", () => {
    const root = readSchema({ items: { $ref: "#" }, properties: { a: { $ref: "#/items" } } });
    expect(root.items?.ref).toBe(root);
    expect(root.properties?.get("a")?.ref).toBe(root.items);
  });

  it("resolves # inside an embedded resource to that resource", () => {
    const root = readSchema({
      $ref: "inner",
      $defs: { i: { $id: "inner", type: "array", items: { $ref: "#" } } },
    });
    expect(root.ref?.items?.ref).toBe(root.ref);
  });

  it("resolves pointers relative to the document root below an id that changes the base", () => {
    const items = { id: "http://a.test/inner", $ref: "#/definitions/s" };
    const root = readSchema({
      properties: { p: { id: "/p", items } },
      definitions: { s: { type: "string" } },
    });
    expect(root.properties?.get("p")?.items?.ref).toMatchObject(string);
  });

  it("resolves $dynamicRef and $recursiveRef if they have one target", () => {
    const dynamic = readSchema({ $dynamicAnchor: "node", items: { $dynamicRef: "#node" } });
    const recursive = readSchema({ $recursiveAnchor: true, items: { $recursiveRef: "#" } });
    expect(dynamic.items?.ref).toBe(dynamic);
    expect(recursive.items?.ref).toBe(recursive);
  });

  const refused: readonly (readonly [string, unknown])[] = [
    ["$ref", { $ref: "https://a.test/other.json" }],
    ["$ref", { $ref: "other.json#/definitions/a" }],
    ["$ref", { $ref: "file:///etc/passwd" }],
    ["$ref", { $ref: "#/$defs/absent" }],
    ["$ref", { $ref: "#/$defs/toString", $defs: {} }],
    ["$ref", { $ref: "#absent" }],
    ["$ref", { $ref: "#" }],
    ["$ref", { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } }],
    ["$ref", { anyOf: [{ type: "string" }, { $ref: "#" }] }],
    ["$ref", { dependentSchemas: { a: { $ref: "#" } } }],
    ["$ref", { $ref: "#twice", $defs: { a: { $anchor: "twice" }, b: { $anchor: "twice" } } }],
    [
      "$dynamicRef",
      {
        $dynamicRef: "#t",
        $defs: { a: { $dynamicAnchor: "t" }, b: { $id: "b", $dynamicAnchor: "t" } },
      },
    ],
  ];

  it.each(refused)("D2: %s is rejected in %j", (keyword, schema) => {
    expect(refusalOf(schema).keyword).toBe(keyword);
  });
});

describe("drafts", () => {
  const draft = (version: string): string => `http://json-schema.org/draft-0${version}/schema#`;

  it("reads exclusiveMinimum true as making minimum exclusive", () => {
    const node = readSchema({ minimum: 3, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false });
    expect(node).toEqual({ pointer: "", exclusiveMinimum: 3, maximum: 9 });
  });

  it("reads an array of items as a tuple and additionalItems as the schema of the remaining items", () => {
    const node = readSchema({ items: [{ type: "null" }], additionalItems: false });
    expect(node.prefixItems).toMatchObject([{ pointer: "/items/0", types: new Set(["null"]) }]);
    expect(node.items).toEqual({ pointer: "/additionalItems", always: false });
  });

  it("ignores additionalItems without a tuple", () => {
    expect(readSchema({ additionalItems: false })).toEqual({ pointer: "" });
  });

  it("reads dependencies as dependentRequired and dependentSchemas", () => {
    const node = readSchema({ dependencies: { a: ["b"], c: { type: "object" } } });
    expect(node.dependentRequired).toEqual(new Map([["a", ["b"]]]));
    expect(node.dependentSchemas?.get("c")).toMatchObject({ pointer: "/dependencies/c" });
  });

  it("ignores siblings of $ref up to draft 7 and applies them in later drafts", () => {
    const schema = { $ref: "#/$defs/s", minLength: 2, description: "x", $defs: { s: { type: "string" } } };
    expect(readSchema({ $schema: draft("7"), ...schema }).minLength).toBeUndefined();
    expect(readSchema({ $schema: "https://json-schema.org/draft/2019-09/schema", ...schema }).minLength).toBe(
      2,
    );
    expect(readSchema(schema).minLength).toBe(2);
  });

  it("applies both const and enum", () => {
    const node = readSchema({ const: 1, enum: [1, 2] });
    expect(node).toEqual({ pointer: "", values: [1, 2], allOf: [{ pointer: "/const", values: [1] }] });
  });

  it("treats unknown keywords, unknown formats, $async and nullable as annotations", () => {
    const schema = { $async: true, format: "grid", nullable: true, "x-order": 1, $comment: [], title: 5 };
    expect(readSchema(schema)).toEqual({ pointer: "" });
  });
});

describe("guards", () => {
  const wide = { type: "string" };
  const over: readonly (readonly [string, unknown, RegExp])[] = [
    ["50,000 levels", nested(50_000), /64 levels/],
    ["65 levels", nested(65), /64 levels/],
    ["256 KB", { description: "x".repeat(schemaLimits.bytesMax) }, /262144 bytes/],
    ["5,000 properties", { properties: numbered(5001, () => true) }, /5000 properties/],
    ["10,000 enum values", { enum: Array.from({ length: 10_001 }, (_, nth) => nth) }, /10000 values/],
    ["200 KB of enums", { enum: [..."abc"].map((one) => one.repeat(70_000)) }, /204800 bytes/],
    ["2 KB of pattern", { pattern: "a".repeat(2049) }, /2048 bytes/],
    ["2 KB of a pattern of names", { patternProperties: { ["a".repeat(2049)]: true } }, /2048 bytes/],
    [
      "2,000 references",
      {
        $defs: numbered(2001, () => wide),
        anyOf: Array.from({ length: 2001 }, (_, n) => ({ $ref: `#/$defs/n${n}` })),
      },
      /2000 different/,
    ],
    [
      "200 schemas for one value",
      { $ref: "#/$defs/n0", $defs: numbered(300, (n) => (n === 299 ? true : { $ref: `#/$defs/n${n + 1}` })) },
      /200 nested schemas/,
    ],
  ];

  it.each(over)(
    "D2: more than %s is rejected with the limit, without much work",
    async (_, schema, message) => {
      const cpuMs = await measureCpuMs(() => expect(refusalOf(schema).message).toMatch(message));
      expect(cpuMs).toBeLessThan(2_000);
    },
  );

  it("counts a subschema once, however often it is referenced", () => {
    const anyOf = Array.from({ length: 3000 }, () => ({ $ref: "#/$defs/a" }));
    expect(readSchema({ $defs: { a: wide }, anyOf }).anyOf).toHaveLength(3000);
  });

  it("rejects a value that is not JSON or contains itself", () => {
    const cyclic: Record<string, unknown> = {};
    cyclic["not"] = cyclic;
    expect(refusalOf(cyclic).message).toMatch(/64 levels/);
    expect(refusalOf({ const: undefined }).message).toMatch(/JSON/);
    expect(refusalOf({ const: 1n }).message).toMatch(/JSON/);
  });

  it("returns a node or throws a SchemaRefusal for any JSON", () => {
    const keywords = ["type", "items", "$ref", "enum", "properties", "dependencies", "if", "$id", "pattern"];
    const anything = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(fc.constantFrom(...keywords), fc.jsonValue()),
      randomSchema,
    );
    const property = fc.property(anything, (schema) => {
      try {
        readSchema(schema);
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(SchemaRefusal);
      }
    });
    fc.assert(property, { numRuns: 2000 });
  });
});
