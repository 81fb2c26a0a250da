/** Converts a route to an operation of the OpenAPI document. Pure. */
import type { Route, RouteErrors } from "../../server/route.js";
import type { AnswerDocs, RouteDocs, StreamDocs } from "../../server/route-docs.js";
import { failureStatuses } from "./failures.js";
import type { z } from "zod";
import type { JsonSchema, JsonSchemas } from "./schemas.js";

export interface MediaType {
  readonly schema: JsonSchema;
  readonly example?: object;
  /** For an event stream: whether its events have names, and whether `[DONE]` ends it. */
  readonly "x-hearth-stream"?: { readonly named: boolean; readonly done: boolean };
}

interface SchemaReference {
  readonly $ref: string;
}

export interface OpenApiResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, SchemaReference>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  /** The ACL that the key must have in addition to an ACL for the model. */
  readonly "x-hearth-acl"?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: true; readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, OpenApiResponse | SchemaReference>>;
}

/** Returns the path in OpenAPI notation: `/v1/models/{id}`. */
export function openapiPath({ path }: Route): string {
  return path.replace(/[:*](\w+)/g, "{$1}");
}

/** Returns the name of the response component for errors of a dialect with this status. */
export function failureName(errors: RouteErrors, status: number): string {
  return `${failureNames[errors]}${status}`;
}

const failureNames = {
  openai: "Error",
  anthropic: "AnthropicError",
  management: "ManagementError",
  ollama: "OllamaError",
  either: "EitherError",
} as const;

/** Headers of every response. */
export const answerHeaderDocs = { "x-request-id": { $ref: "#/components/headers/RequestId" } } as const;

/** Returns the operation of a route. */
export function toOperation(route: Route, schemas: JsonSchemas): Operation {
  const { docs, acl, guard } = route;
  const parameters = [...pathParameters(route), ...queryParameters(docs.query, schemas)];
  return {
    operationId: docs.operation,
    tags: [docs.tag],
    summary: docs.summary,
    description: docs.description,
    security: securities[guard],
    "x-hearth-acl": acl === null ? undefined : `${aclKind[guard]}:endpoint:${acl}`,
    parameters: parameters.length === 0 ? undefined : parameters,
    requestBody: describeRequestBody(docs, schemas),
    responses: describeResponses(route, schemas),
  };
}

function describeRequestBody(
  { body, form, example }: RouteDocs,
  schemas: JsonSchemas,
): Operation["requestBody"] {
  const schema = body ?? form;
  if (schema === undefined) return undefined;
  const media = { schema: schemas.of(schema, "request"), example };
  const type = form === undefined ? "application/json" : "multipart/form-data";
  return { required: true, content: { [type]: media } };
}

const securities: Readonly<Record<Route["guard"], Operation["security"]>> = {
  none: [],
  "api-key": [{ bearer: [] }, { apiKey: [] }],
  "management-key": [{ managementKey: [] }],
  page: [],
  session: [{ session: [] }],
};

const aclKind: Readonly<Record<Route["guard"], string>> = {
  none: "",
  "api-key": "api-key",
  "management-key": "team-token",
  page: "",
  session: "",
};

function describeResponses(route: Route, schemas: JsonSchemas): Operation["responses"] {
  const { answers, stream } = route.docs;
  const failures = failureStatuses(route).map(
    (status) => [status, { $ref: `#/components/responses/${failureName(route.errors, status)}` }] as const,
  );
  const successes = Object.entries(answers).map(
    ([status, answer]) =>
      [status, describeResponse(answer, status === "200" ? stream : undefined, schemas)] as const,
  );
  return Object.fromEntries<OpenApiResponse | SchemaReference>([...failures, ...successes]);
}

function describeResponse(
  { description, schema, contentType }: AnswerDocs,
  stream: StreamDocs | undefined,
  schemas: JsonSchemas,
): OpenApiResponse {
  const content: Readonly<Record<string, MediaType>> = {
    ...(schema === undefined ? {} : { "application/json": { schema: schemas.of(schema, "answer") } }),
    ...Object.fromEntries([contentType ?? []].flat().map((type) => [type, { schema: { type: "string" } }])),
    ...(stream && describeStream(stream, schemas)),
  };
  return {
    description: stream === undefined ? description : `${description} ${streamSentence(stream)}`,
    headers: answerHeaderDocs,
    content: Object.keys(content).length === 0 ? undefined : content,
  };
}

function describeStream(stream: StreamDocs, schemas: JsonSchemas): Readonly<Record<string, MediaType>> {
  const schema = schemas.of(stream.schema, "answer");
  if (stream.form === "lines") return { "application/x-ndjson": { schema } };
  const { named, done } = stream;
  return { "text/event-stream": { schema, "x-hearth-stream": { named, done } } };
}

function streamSentence(stream: StreamDocs): string {
  if (stream.form === "lines")
    return "Unless `stream` is false the response is a stream of JSON lines; the schema describes one line.";
  const { named, done } = stream;
  const names = named ? "The event name is the `type` of the data" : "Events have no names";
  const last = done ? "; the last event is `data: [DONE]`" : "";
  return `With \`stream: true\` the response is an event stream; the schema describes the data of one event. ${names}${last}.`;
}

function pathParameters({ path, docs }: Route): Parameter[] {
  return [...path.matchAll(/([:*])(\w+)/g)].map(([, mark = "", name = ""]) => {
    const text = docs.params?.[name] ?? "";
    const description = mark === "*" ? `${text} A slash can be encoded as \`%2F\` or left as it is.` : text;
    return { name, in: "path", required: true, description, schema: { type: "string" } };
  });
}

function queryParameters(query: z.ZodObject | undefined, schemas: JsonSchemas): Parameter[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = schemas.of(query, "request") as {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    required: required.includes(name),
    description: typeof description === "string" ? description : undefined,
    schema,
  }));
}
