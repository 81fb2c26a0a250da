/** The zod schemas of all routes as JSON Schema 2020-12, with the named ones among them as components. Pure. */
import { z } from "zod";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Requests may hold more fields than are listed, answers may not. */
export type Side = "request" | "answer";

export interface JsonSchemas {
  /** Of a schema that was given; a named one is a reference. @throws Error for any other. */
  of(schema: z.ZodType, side: Side): JsonSchema;
  /** By name. */
  readonly components: Readonly<Record<string, JsonSchema>>;
}

/**
 * Converts them all; a schema's name is the `id` of its metadata. What is asked and answered under one name and is not the
 * same on both sides is `<name>Input` among requests. @throws Error for a schema that JSON Schema has no words for.
 */
export function jsonSchemas(given: Readonly<Record<Side, Iterable<z.ZodType>>>): JsonSchemas {
  const answers = convert([...new Set(given.answer)], "answer");
  const requests = convert([...new Set(given.request)], "request");
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
    of(schema, side) {
      const found = sides[side].get(schema);
      if (found === undefined) throw new Error("the schema was not given");
      return found;
    },
    components: Object.fromEntries(components.toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

interface Converted {
  readonly schemas: ReadonlyMap<z.ZodType, JsonSchema>;
  readonly named: Readonly<Record<string, JsonSchema>>;
}

/** All at once, so that a name is written once. Both sides are told as parsing leaves them: a list's elements are known then. */
function convert(schemas: readonly z.ZodType[], side: Side): Converted {
  const whole = z.toJSONSchema(z.object(Object.fromEntries(schemas.map((schema, at) => [at, schema]))), {
    io: "output",
    override({ zodSchema, jsonSchema }) {
      // A word for fields that only the server sets; here it would only say that the type is.
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
