/** Schemas that caused problems for other servers, and the expected result of each. */

type Schema = Readonly<Record<string, unknown>>;

/**
 * `refused`: a 400 with the reason; `served`: a valid answer, or the beginning of one if it was truncated; `judged`: the same,
 * or an error if the generated text is invalid.
 */
export type Fate = "refused" | "served" | "judged";

export interface Hostile {
  readonly name: string;
  /** The schema as JSON text if it is too deep to be serialized recursively. */
  readonly schema: Schema | string;
  readonly fate: Fate;
  /** Expected pattern of the error message. */
  readonly says?: RegExp;
}

function nested(levels: number, wrap: (inner: unknown) => Schema): Schema {
  let schema: Schema = { type: "string" };
  for (let level = 0; level < levels; level += 1) schema = wrap(schema);
  return schema;
}

function deepText(open: string, close: string): string {
  return `${open.repeat(50_000)}true${close.repeat(50_000)}`;
}

function diamonds(levels: number): Schema {
  const defs: Record<string, Schema> = { [`d${levels}`]: { type: "integer", minimum: 0, maximum: 9 } };
  for (let level = 0; level < levels; level += 1) {
    const next = { $ref: `#/$defs/d${level + 1}` };
    defs[`d${level}`] = { anyOf: [next, next] };
  }
  return { $ref: "#/$defs/d0", $defs: defs };
}

const ofText = (keywords: Schema): Schema => ({
  type: "object",
  properties: { text: { type: "string", ...keywords } },
  required: ["text"],
});
const pattern = (source: string): Schema => ofText({ pattern: source });

export const patterns: readonly Hostile[] = [
  { name: "a repetition repeated", schema: pattern("foo**"), fate: "refused" },
  { name: "brackets that do not close", schema: pattern("([a-z"), fate: "refused" },
  { name: "a back reference", schema: pattern("^(a|b)\\1$"), fate: "refused" },
  { name: "a look behind", schema: pattern("^(?<=x)y$"), fate: "refused" },
  {
    name: "100,000 groups in one another",
    schema: pattern("(".repeat(1e5) + ")".repeat(1e5)),
    fate: "refused",
  },
  {
    name: "1,000 groups in one another",
    schema: pattern("(".repeat(1e3) + "a" + ")".repeat(1e3)),
    fate: "refused",
  },
  { name: "backtracking without end", schema: pattern("^(a+)+$"), fate: "served" },
  {
    name: "counts of counts of counts",
    schema: pattern("^((((a{1,40}){1,40}){1,40}){1,40})$"),
    fate: "refused",
  },
  { name: "an exponential number of states", schema: pattern("^[ab]*a[ab]{30}$"), fate: "refused" },
];

export const shapes: readonly Hostile[] = [
  { name: "24 levels of diamonds", schema: diamonds(24), fate: "served" },
  { name: "a reference to itself", schema: { $ref: "#" }, fate: "refused", says: /\$ref/ },
  {
    name: "recursion through allOf",
    schema: { $ref: "#/$defs/a", $defs: { a: { allOf: [{ $ref: "#/$defs/a" }, { type: "object" }] } } },
    fate: "refused",
  },
  {
    name: "two that are each other",
    schema: {
      $ref: "#/$defs/a",
      $defs: { a: { anyOf: [{ $ref: "#/$defs/b" }] }, b: { oneOf: [{ $ref: "#/$defs/a" }] } },
    },
    fate: "refused",
  },
  {
    name: "an object that needs itself",
    schema: { type: "object", properties: { next: { $ref: "#" } }, required: ["next"] },
    fate: "refused",
  },
  { name: "50,000 levels of items", schema: deepText('{"items":', "}"), fate: "refused" },
  {
    name: "100 levels of anyOf",
    schema: nested(100, (inner) => ({ anyOf: [inner, true] })),
    fate: "refused",
  },
  { name: "a type that there is not", schema: { type: "text" }, fate: "refused", says: /type/ },
  { name: "nothing that fits", schema: { allOf: [{ type: "string" }, { type: "object" }] }, fate: "refused" },
  {
    name: "a required property that is forbidden",
    schema: { type: "object", properties: { a: false }, required: ["a"] },
    fate: "refused",
  },
  { name: "$async", schema: { $async: true, enum: ["yes"] }, fate: "served" },
  { name: "an empty schema", schema: {}, fate: "served" },
  {
    name: "properties called __proto__ and constructor",
    schema: JSON.parse(
      '{"type":"object","properties":{"__proto__":{"const":1},"constructor":{"const":2}},"required":["__proto__","constructor"]}',
    ) as Schema,
    fate: "served",
  },
  {
    name: "20,000 values",
    schema: { enum: Array.from({ length: 20_000 }, (_, at) => `v${at}`) },
    fate: "refused",
  },
  {
    name: "10,000 values",
    schema: { enum: Array.from({ length: 10_000 }, (_, at) => `v${at}`) },
    fate: "served",
  },
  {
    name: "6,000 properties",
    schema: {
      type: "object",
      properties: Object.fromEntries(Array.from({ length: 6_000 }, (_, at) => [`p${at}`, {}])),
    },
    fate: "refused",
  },
  { name: "half a megabyte", schema: { description: "x".repeat(500_000) }, fate: "refused" },
  { name: "any of 50,000 levels", schema: deepText('{"anyOf":[', "]}"), fate: "refused" },
  {
    name: "alternatives multiplied",
    schema: {
      allOf: Array.from({ length: 12 }, (_, at) => ({
        anyOf: Array.from({ length: 8 }, (__, to) => ({
          type: "object",
          properties: { [`p${at}`]: { const: to } },
          required: [`p${at}`],
        })),
      })),
    },
    fate: "judged",
  },
];

const threeDeep = (count: number): Schema => {
  const bounds = { type: "array", maxItems: count };
  return { ...bounds, items: { ...bounds, items: { ...bounds, items: { type: "boolean" } } } };
};

export const sizes: readonly Hostile[] = [
  { name: "maxLength of a billion", schema: ofText({ maxLength: 1e9 }), fate: "served" },
  { name: "minLength of 5,000", schema: ofText({ minLength: 5000 }), fate: "served" },
  {
    name: "minItems of a million",
    schema: { type: "array", items: { type: "integer" }, minItems: 1e6 },
    fate: "served",
  },
  { name: "1,900 times 1,900 times 1,900 items", schema: threeDeep(1900), fate: "served" },
  { name: "a range of 1e300", schema: { type: "integer", minimum: -1e300, maximum: 1e300 }, fate: "served" },
  { name: "a multiple of a huge number", schema: { type: "integer", multipleOf: 1e15 + 1 }, fate: "judged" },
  {
    name: "a bound of 1e9 properties",
    schema: { type: "object", minProperties: 1e9, additionalProperties: true },
    fate: "served",
  },
];
