/**
 * The OpenAPI 3.1 document, made of the rows of the route table and of the zod schemas that stand beside their handlers. It
 * owns the document's frame; what a route says of itself is its own file's business, and what goes wrong is told by the
 * error table.
 */
import { anthropicError, managementError, openaiError } from "../../dialects/error-wire.js";
import { failureDescription, failureHeaders, failureStatuses } from "./failures.js";
import {
  answerHeaders,
  failureName,
  openapiPath,
  operationOf,
  type Operation,
  type ResponseObject,
} from "./operation.js";
import { jsonSchemas, type JsonSchema, type JsonSchemas } from "./schemas.js";
import type { Route } from "../route.js";
import { routeTags } from "../route-docs.js";

export interface OpenApiDocument {
  readonly openapi: "3.1.1";
  readonly info: object;
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly securitySchemes: object;
    readonly headers: object;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}

/** The document of these routes. @throws Error for a schema that JSON Schema has no words for. */
export function openapiDocument(routes: readonly Route[], version: string): OpenApiDocument {
  const schemas = jsonSchemas(schemasOf(routes));
  return {
    openapi: "3.1.1",
    info: {
      title: "Hearth",
      version,
      description,
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: tagsOf(routes),
    paths: pathsOf(routes, schemas),
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "`Authorization: Bearer <key>`" },
        apiKey: { type: "apiKey", in: "header", name: "x-api-key", description: "As Anthropic clients do." },
        managementKey: {
          type: "http",
          scheme: "bearer",
          description: "`Authorization: Bearer <management key>`; an API key does not do.",
        },
      },
      headers,
      responses: failuresOf(routes, schemas),
      schemas: schemas.components,
    },
  };
}

const headers = {
  RequestId: { description: "Names the request; the log has it too.", schema: { type: "string" } },
  RetryAfter: { description: "Seconds to wait.", schema: { type: "integer", minimum: 1 } },
  RetryAfterMs: { description: "Milliseconds to wait.", schema: { type: "integer", minimum: 1 } },
  ShouldRetry: {
    description: "`false` where the request alone is more than a limit allows.",
    schema: { enum: ["true", "false"] },
  },
  RateLimit: { description: "Of the limit of which least is left.", schema: { type: "integer", minimum: 1 } },
  RateLimitRemaining: { description: "What is left of it.", schema: { type: "integer", minimum: 0 } },
  RateLimitReset: {
    description: "Time until all of it is left, such as `120ms`, `1.2s` or `6m0s`.",
    schema: { type: "string" },
  },
  RateLimitResetTime: {
    description: "When all of it is left.",
    schema: { type: "string", format: "date-time" },
  },
} as const;

const description = [
  "A local model server behind the interface that clients of hosted AI services already speak.",
  "Send the key as `Authorization: Bearer <key>` or as `x-api-key`. It must have the ACL that a route names (or " +
    "`api-key:endpoint:*`), and one for the model that is asked (`api-key:model:<id>` or `api-key:model:*`).",
  "Routes of `/auth` and `/audit` ask for a management key instead, and for its ACL (or `team-token:endpoint:*`); a " +
    "management key of one team sees no other.",
  "Fields of a request that are not listed are ignored, and `null` is the same as absent.",
  "Every answer carries `x-request-id`. Answers of a model tell how long it took in the headers `x-hearth-queue-ms`, " +
    "`x-hearth-prefill-ms`, `x-hearth-ttft-ms` and `x-hearth-decode-tps` (a stream tells the last three in its trailers), and " +
    "in `x-hearth-cached-tokens` how much of the prompt had been evaluated before.",
  "A key, and what its team asks of a model, may be limited: requests in one second and in one minute, tokens in one minute. Then " +
    "every answer tells what is left in `x-ratelimit-{limit,remaining,reset}-{requests,tokens}`, to Anthropic clients in " +
    "`anthropic-ratelimit-{requests,tokens}-{limit,remaining,reset}`.",
].join("\n\n");

const errorSchemas = { openai: openaiError, anthropic: anthropicError, management: managementError } as const;

function schemasOf(routes: readonly Route[]): Parameters<typeof jsonSchemas>[0] {
  const requests = routes.flatMap(({ docs }) => [docs.body, docs.query]);
  const answers = routes.flatMap(({ docs }) => [
    ...Object.values(docs.answers).map(({ schema }) => schema),
    docs.stream?.schema,
  ]);
  return {
    request: requests.filter((schema) => schema !== undefined),
    answer: [...Object.values(errorSchemas), ...answers.filter((schema) => schema !== undefined)],
  };
}

function tagsOf(routes: readonly Route[]): OpenApiDocument["tags"] {
  const used = new Set<string>(routes.map(({ docs }) => docs.tag));
  return Object.entries(routeTags)
    .filter(([name]) => used.has(name))
    .map(([name, description]) => ({ name, description }));
}

function pathsOf(routes: readonly Route[], schemas: JsonSchemas): OpenApiDocument["paths"] {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes)
    (paths[openapiPath(route)] ??= {})[route.method.toLowerCase()] = operationOf(route, schemas);
  return paths;
}

function failuresOf(routes: readonly Route[], schemas: JsonSchemas): Record<string, ResponseObject> {
  const failures: Record<string, ResponseObject> = {};
  for (const route of routes)
    for (const status of failureStatuses(route))
      failures[failureName(route, status)] ??= {
        description: failureDescription(status, route.errors),
        headers: {
          ...answerHeaders,
          ...referring(failureHeaders(status, route.errors)),
        },
        content: {
          "application/json": {
            schema: schemas.of(errorSchemas[route.errors], "answer"),
          },
        },
      };
  return failures;
}

function referring(names: Readonly<Record<string, string>>): NonNullable<ResponseObject["headers"]> {
  const references = Object.entries(names).map(
    ([header, name]) => [header, { $ref: `#/components/headers/${name}` }] as const,
  );
  return Object.fromEntries(references);
}
