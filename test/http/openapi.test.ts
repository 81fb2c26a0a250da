import { describe, expect, it } from "vitest";
import { errorCodes, type ErrorDialect } from "../../src/dialects/error-body.js";
import { defaultHttpLimits } from "../../src/http/deps.js";
import { openapiDocument } from "../../src/http/openapi/document.js";
import { createRoutes } from "../../src/http/routes.js";
import { compose } from "./compose.js";
import { exchange } from "./raw.js";

const routes = createRoutes({ limits: defaultHttpLimits, version: "1.2.3" } as Parameters<
  typeof createRoutes
>[0]);
const api = openapiDocument(routes, "1.2.3");
const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** Every object of the document. */
function* nodes(value: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (typeof value !== "object" || value === null) return;
  yield value as Readonly<Record<string, unknown>>;
  for (const inner of Object.values(value)) yield* nodes(inner);
}

/** The schemes and the kind of ACL of each guard. */
const asked = {
  none: { schemes: [], acl: "" },
  "api-key": { schemes: ["bearer", "apiKey"], acl: "api-key" },
  "management-key": { schemes: ["managementKey"], acl: "team-token" },
} as const;

const dialects: Readonly<Record<string, ErrorDialect>> = { Anthropic: "anthropic", Management: "management" };

function at(pointer: string): unknown {
  return pointer
    .split("/")
    .slice(1)
    .reduce<unknown>((value, key) => (value as Readonly<Record<string, unknown>> | undefined)?.[key], api);
}

describe("the OpenAPI document", () => {
  it("tells exactly these routes", () => {
    expect(operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`)).toEqual([
      "POST /v1/chat/completions",
      "GET /v1/chat/deferred-completion/{request_id}",
      "POST /v1/messages",
      "POST /v1/messages/count_tokens",
      "POST /v1/completions",
      "POST /v1/complete",
      "POST /v1/tokenize-text",
      "POST /v1/responses",
      "POST /v1/responses/input_tokens",
      "POST /v1/responses/compact",
      "GET /v1/responses/{response_id}",
      "DELETE /v1/responses/{response_id}",
      "GET /v1/responses/{response_id}/input_items",
      "POST /v1/responses/{response_id}/cancel",
      "POST /v1/images/generations",
      "GET /images/{name}",
      "GET /v1/models",
      "GET /v1/models/{id}",
      "GET /v1/language-models",
      "GET /v1/language-models/{id}",
      "GET /v1/image-generation-models",
      "GET /v1/image-generation-models/{id}",
      "GET /v1/hearth/ps",
      "GET /v1/api-key",
      "POST /auth/teams/{teamId}/api-keys",
      "GET /auth/teams/{teamId}/api-keys",
      "PUT /auth/api-keys/{apiKeyId}",
      "DELETE /auth/api-keys/{apiKeyId}",
      "POST /auth/api-keys/{apiKeyId}/rotate",
      "GET /auth/api-keys/{apiKeyId}/propagation",
      "GET /auth/management-keys/validation",
      "POST /auth/teams",
      "GET /auth/teams",
      "PUT /auth/teams/{teamId}",
      "GET /auth/teams/{teamId}/models",
      "GET /auth/teams/{teamId}/limits",
      "PUT /auth/teams/{teamId}/limits",
      "GET /auth/teams/{teamId}/endpoints",
      "GET /audit/teams/{teamId}/events",
      "POST /auth/teams/{teamId}/members",
      "GET /auth/teams/{teamId}/members",
      "PUT /auth/members/{memberId}",
      "DELETE /auth/members/{memberId}",
      "GET /v1/billing/teams/{teamId}/prepaid/balance",
      "POST /v1/billing/teams/{teamId}/prepaid/top-up",
      "GET /v1/billing/teams/{teamId}/postpaid/spending-limits",
      "POST /v1/billing/teams/{teamId}/postpaid/spending-limits",
      "GET /v1/billing/teams/{teamId}/postpaid/invoice/preview",
      "POST /v1/billing/teams/{teamId}/usage",
      "GET /healthz",
      "GET /readyz",
      "GET /metrics",
      "GET /openapi.json",
      "GET /docs",
      "GET /docs/guides",
      "GET /docs/guides/{name}",
      "GET /docs/guides/pictures/{name}",
      "GET /",
    ]);
  });

  it("has an operation for every row of the route table, under a name of its own", () => {
    expect(operations).toHaveLength(routes.length);
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(routes.length);
  });

  it("resolves every reference within itself, and leaves no component unused", () => {
    const references = [...nodes(api)].flatMap(({ $ref }) => (typeof $ref === "string" ? [$ref] : []));
    expect(references.length).toBeGreaterThan(100);
    expect(references.filter((reference) => at(reference) === undefined)).toEqual([]);
    const components = Object.entries(api.components)
      .filter(([kind]) => kind !== "securitySchemes")
      .flatMap(([kind, named]) => Object.keys(named).map((name) => `#/components/${kind}/${name}`));
    expect(components.filter((component) => !references.includes(component))).toEqual([]);
  });

  it("declares every parameter of a path, and says what it stands for", () => {
    for (const { path, operation } of operations) {
      const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === "path");
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect([path, declared.map(({ name }) => name)]).toEqual([path, names]);
      expect(
        declared.filter(({ required, description = "" }) => !required || description.length < 5),
      ).toEqual([]);
    }
  });

  it("gives every operation a tag that is described, a summary, and an answer with a body", () => {
    const tags = api.tags.map(({ name }) => name);
    for (const { path, operation } of operations) {
      expect([path, tags.filter((tag) => operation.tags.includes(tag)).length]).toEqual([path, 1]);
      expect(operation.summary).not.toBe("");
      expect(Object.keys(operation.responses).length).toBeGreaterThan(2);
    }
    expect(tags.filter((tag) => !operations.some(({ operation }) => operation.tags.includes(tag)))).toEqual(
      [],
    );
  });

  it("asks for a key wherever the route does, and names the ACL", () => {
    for (const { method, path, operation } of operations) {
      const row = routes.find(({ docs }) => docs.operation === operation.operationId);
      const schemes = operation.security.flatMap((scheme) => Object.keys(scheme));
      expect([method, path, schemes]).toEqual([method, path, asked[row?.guard ?? "none"].schemes]);
      const acl = row?.endpointAcl ?? null;
      const kind = asked[row?.guard ?? "none"].acl;
      expect(operation["x-hearth-acl"]).toBe(acl === null ? undefined : `${kind}:endpoint:${acl}`);
    }
  });

  it("knows the bounds of requests, the elements of their lists among them", () => {
    const chat = api.components.schemas["ChatCompletionRequest"];
    expect(chat).toMatchObject({
      required: ["model", "messages"],
      properties: {
        messages: {
          type: "array",
          minItems: 1,
          maxItems: 10_000,
          items: { $ref: "#/components/schemas/ChatMessage" },
        },
        n: { anyOf: [{ type: "integer", minimum: 1, maximum: 128 }, { type: "null" }] },
        logit_bias: { anyOf: [{ maxProperties: 1_024 }, { type: "null" }] },
      },
    });
    // Unknown fields are ignored, which an answer's are not.
    expect(chat).not.toHaveProperty("additionalProperties");
    expect(api.components.schemas["ChatCompletion"]).toHaveProperty("additionalProperties", false);
  });

  it("leaves no list without an end in the bodies of requests", () => {
    const asked = operations.map(({ operation }) => operation.requestBody);
    const seen = new Set<string>();
    const endless: unknown[] = [];
    const look = (value: unknown): void => {
      for (const node of nodes(value)) {
        if (typeof node["$ref"] === "string" && !seen.has(node["$ref"])) {
          seen.add(node["$ref"]);
          look(at(node["$ref"]));
        }
        if (node["type"] === "array" && node["maxItems"] === undefined) endless.push(node);
      }
    };
    look(asked);
    // Token ids in a list of prompts: all of them together are bounded by the body.
    expect(endless).toEqual([{ type: "array", items: { type: "integer", minimum: 0, maximum: 2147483647 } }]);
  });

  it("tells of errors what the error table knows", () => {
    const { responses } = api.components;
    for (const [name, { description }] of Object.entries(responses)) {
      const [, dialect = "", status] = /^(Anthropic|Management)?Error(\d+)$/.exec(name) ?? [];
      const codes = errorCodes(dialects[dialect] ?? "openai").get(Number(status)) ?? [];
      expect(codes.length).toBeGreaterThan(0);
      for (const code of codes) expect(description).toContain(`\`${code}\``);
    }
    expect(api.paths["/v1/messages"]?.["post"]?.responses).toMatchObject({
      529: { $ref: "#/components/responses/AnthropicError529" },
    });
  });
});

describe("GET /openapi.json", () => {
  it("answers to anybody with the document of the server's own routes and version", async () => {
    const server = await compose(() => []);
    const response = await fetch(`${server.url}/openapi.json`);
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(openapiDocument(routes, "0.0.0"))));
  });

  it.each(["/openapi.json", "/docs"])("and %s is sent again only to who has another one", async (path) => {
    const { url, port } = await compose(() => []);
    const first = await fetch(url + path);
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"\S{43}"$/);
    expect(first.headers.get("cache-control")).toBe("no-cache");
    await first.text();
    const ask = (known: string) =>
      exchange(
        port,
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: ${known}\r\nConnection: close\r\n\r\n`,
      );
    expect(await ask(etag)).toMatch(/^HTTP\/1.1 304 [^]*\r\n\r\n$/);
    expect(await ask('"other"')).toMatch(/^HTTP\/1.1 200 /);
  });
});
