/** Converts the zod schemas of all routes to JSON Schema 2020-12, with named schemas as components. Pure. */
import { z } from "zod";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Requests may contain unlisted fields, answers may not. */
type Side = "request" | "answer";

export type JsonSchemas = ReturnType<typeof jsonSchemas>;

/**
 * Converts all schemas; the name of a schema is the `id` in its metadata. If a named schema differs between requests and answers,
 * it is called `<name>Input` in requests. @throws Error for a schema that JSON Schema cannot express.
 */
export function jsonSchemas(schemas: Readonly<Record<Side, Iterable<z.ZodType>>>) {
  const answers = convert([...new Set(schemas.answer)], "answer");
  const requests = convert([...new Set(schemas.request)], "request");
  const differs = (name: string): boolean =>
    name in answers.named && JSON.stringify(answers.named[name]) !== JSON.stringify(requests.named[name]);
  const requestName = (name: string): string => (differs(name) ? `${name}Input` : name);
  const sides: Readonly<Record<Side, ReadonlyMap<z.ZodType, JsonSchema>>> = {
    answer: relinkedAll(answers.schemas, (name) => name),
    request: relinkedAll(requests.schemas, requestName),
  };
  const components = [
    ...Object.entries(answers.named).map(
      ([name, schema]) => [name, relinked(schema, (same) => same)] as const,
    ),
    ...Object.entries(requests.named).map(
      ([name, schema]) => [requestName(name), relinked(schema, requestName)] as const,
    ),
  ];
  return {
    /** Returns the JSON Schema of a converted schema; a reference if it has a name. @throws Error for an unknown schema. */
    of(schema: z.ZodType, side: Side): JsonSchema {
      const found = sides[side].get(schema);
      if (found === undefined) throw new Error("unknown schema");
      return found;
    },
    /** Named schemas by name. */
    components: Object.fromEntries(components.toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

interface Converted {
  readonly schemas: ReadonlyMap<z.ZodType, JsonSchema>;
  readonly named: Readonly<Record<string, JsonSchema>>;
}

/**
 * Converts all schemas together, so that each named schema is defined once. Uses the output side of the schemas, because only that
 * describes the elements of preprocessed lists.
 */
function convert(schemas: readonly z.ZodType[], side: Side): Converted {
  const whole = z.toJSONSchema(z.object(Object.fromEntries(schemas.map((schema, at) => [at, schema]))), {
    io: "output",
    override({ zodSchema, jsonSchema }) {
      // zod marks `readonly()` types with `readOnly`, which in OpenAPI has another meaning: a field that only responses contain.
      delete jsonSchema.readOnly;
      const { def } = zodSchema._zod;
      if (side === "request" && def.type === "object" && def.catchall === undefined)
        delete jsonSchema.additionalProperties;
    },
  }) as { readonly properties: Record<string, JsonSchema>; readonly $defs?: Record<string, JsonSchema> };
  return {
    schemas: new Map(schemas.map((schema, at) => [schema, whole.properties[at] ?? {}])),
    named: whole.$defs ?? {},
  };
}

function relinkedAll(schemas: Converted["schemas"], rename: (name: string) => string) {
  return new Map([...schemas].map(([schema, json]) => [schema, relinked(json, rename)]));
}

const definition = "#/$defs/";

function relinked(schema: JsonSchema, rename: (name: string) => string): JsonSchema {
  const relink = (key: string, value: unknown): unknown =>
    key === "$ref" && typeof value === "string" && value.startsWith(definition)
      ? `#/components/schemas/${rename(value.slice(definition.length))}`
      : value;
  return JSON.parse(JSON.stringify(schema, relink)) as JsonSchema;
}
