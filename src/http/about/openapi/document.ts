/**
 * The OpenAPI 3.1 document, built from the route table and the zod schemas of the handlers. Error responses come from the error
 * table.
 */
import { z } from "zod";
import { anthropicError, managementError, ollamaError, openaiError } from "../../../dialects/error-schema.js";
import { failureDescription, failureHeaders, failureStatuses } from "./failures.js";
import {
  answerHeaderDocs,
  failureName,
  openapiPath,
  toOperation,
  type Operation,
  type OpenApiResponse,
} from "./operation.js";
import { jsonSchemas, type JsonSchema, type JsonSchemas } from "./schemas.js";
import type { Route } from "../../server/route.js";
import { routeTags } from "../../server/route-docs.js";

export interface OpenApiDocument {
  readonly openapi: "3.1.1";
  readonly info: object;
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly securitySchemes: object;
    readonly headers: object;
    readonly responses: Readonly<Record<string, OpenApiResponse>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}

/**
 * Returns the document of these routes.
 * @param basePath what addresses of the server have before the path of a route, such as `/hearth`
 * @throws Error for a schema that JSON Schema cannot express.
 */
export function openapiDocument(routes: readonly Route[], version: string, basePath = ""): OpenApiDocument {
  const schemas = jsonSchemas(listSchemas(routes));
  return {
    openapi: "3.1.1",
    info: {
      title: "Hearth",
      version,
      description,
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: basePath === "" ? "/" : basePath }],
    tags: listTags(routes),
    paths: describePaths(routes, schemas),
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "`Authorization: Bearer <key>`" },
        apiKey: { type: "apiKey", in: "header", name: "x-api-key", description: "For Anthropic clients." },
        managementKey: {
          type: "http",
          scheme: "bearer",
          description: "`Authorization: Bearer <management key>`; API keys are not accepted.",
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "hearth-console",
          description: "The session of a member; the name of the cookie ends with the port of the server.",
        },
      },
      headers,
      responses: describeFailures(routes, schemas),
      schemas: schemas.components,
    },
  };
}

const headers = {
  RequestId: { description: "Id of the request; the log contains it.", schema: { type: "string" } },
  RetryAfter: { description: "Seconds to wait.", schema: { type: "integer", minimum: 1 } },
  RetryAfterMs: { description: "Milliseconds to wait.", schema: { type: "integer", minimum: 1 } },
  ShouldRetry: {
    description: "`false` if the request alone exceeds a limit.",
    schema: { enum: ["true", "false"] },
  },
  RateLimit: {
    description: "The limit with the smallest remainder.",
    schema: { type: "integer", minimum: 1 },
  },
  RateLimitRemaining: { description: "The remainder of the limit.", schema: { type: "integer", minimum: 0 } },
  RateLimitReset: {
    description: "Time until the limit is fully available, such as `120ms`, `1.2s` or `6m0s`.",
    schema: { type: "string" },
  },
  RateLimitResetTime: {
    description: "When the limit is fully available.",
    schema: { type: "string", format: "date-time" },
  },
} as const;

const description = [
  "A local model server with the APIs of hosted AI services.",
  "Send the key as `Authorization: Bearer <key>` or as `x-api-key`. It must have the ACL of the endpoint (or " +
    "`api-key:endpoint:*`) and an ACL for the requested model (`api-key:model:<id>` or `api-key:model:*`).",
  "Endpoints of `/auth`, `/audit` and `/v1/billing`, and `/api/pull` and `/api/delete`, require a management key with their ACL " +
    "(or `team-token:endpoint:*`); a management key for one team cannot access other teams.",
  "Fields of a request that are not listed are ignored; `null` is the same as absent.",
  "Every response has the header `x-request-id`. Answers of a model report timings in the headers `x-hearth-queue-ms`, " +
    "`x-hearth-prefill-ms`, `x-hearth-ttft-ms` and `x-hearth-decode-tps` (a stream sends the last three as trailers), and the " +
    "number of cached prompt tokens in `x-hearth-cached-tokens`. `x-hearth-model` is the ID of the model, also where the request has an " +
    "alias. `x-hearth-cost-ticks` is what the request was charged, in ticks (1 USD = 10^10 ticks); a stream sends it as a trailer. " +
    "`x-hearth-budget-warning` says which soft limits of budgets are reached.",
  "A key, and the use of a model by a team, can have limits: requests per second, requests per minute, tokens per minute. " +
    "Every response then reports the remainder in `x-ratelimit-{limit,remaining,reset}-{requests,tokens}`, or for Anthropic " +
    "clients in `anthropic-ratelimit-{requests,tokens}-{limit,remaining,reset}`.",
].join("\n\n");

const errorSchemas = {
  openai: openaiError,
  anthropic: anthropicError,
  management: managementError,
  ollama: ollamaError,
  either: z.union([openaiError, anthropicError]),
} as const;

function listSchemas(routes: readonly Route[]): Parameters<typeof jsonSchemas>[0] {
  const requests = routes.flatMap(({ docs }) => [docs.body, docs.form, docs.query]);
  const answers = routes.flatMap(({ docs }) => [
    ...Object.values(docs.answers).map(({ schema }) => schema),
    docs.stream?.schema,
  ]);
  return {
    request: requests.filter((schema) => schema !== undefined),
    answer: [...Object.values(errorSchemas), ...answers.filter((schema) => schema !== undefined)],
  };
}

function listTags(routes: readonly Route[]): OpenApiDocument["tags"] {
  const used = new Set<string>(routes.map(({ docs }) => docs.tag));
  return Object.entries(routeTags)
    .filter(([name]) => used.has(name))
    .map(([name, description]) => ({ name, description }));
}

function describePaths(routes: readonly Route[], schemas: JsonSchemas): OpenApiDocument["paths"] {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes)
    (paths[openapiPath(route)] ??= {})[route.method.toLowerCase()] = toOperation(route, schemas);
  return paths;
}

function describeFailures(routes: readonly Route[], schemas: JsonSchemas): Record<string, OpenApiResponse> {
  const failures: Record<string, OpenApiResponse> = {};
  for (const route of routes)
    for (const status of failureStatuses(route))
      failures[failureName(route.errors, status)] ??= {
        description: failureDescription(status, route.errors),
        headers: {
          ...answerHeaderDocs,
          ...headerReferences(failureHeaders(status, route.errors)),
        },
        content: {
          "application/json": {
            schema: schemas.of(errorSchemas[route.errors], "answer"),
          },
        },
      };
  return failures;
}

function headerReferences(names: Readonly<Record<string, string>>): NonNullable<OpenApiResponse["headers"]> {
  const references = Object.entries(names).map(
    ([header, name]) => [header, { $ref: `#/components/headers/${name}` }] as const,
  );
  return Object.fromEntries(references);
}
