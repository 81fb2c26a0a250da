import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { errorCodes, type ErrorDialect } from "../../../src/dialects/error-body.js";
import { openapiDocument } from "../../../src/http/about/openapi/document.js";
import { selectRoutes } from "../../../src/http/routes.js";
import { version } from "../../../src/system/version.js";
import { fileServer, startServer } from "../../kit/server.js";
import { exchange } from "../../kit/clients/raw.js";

const shared = fileServer({ engine: () => [] });

const routes = selectRoutes({ ollamaApi: true, metricsOpen: false });
const api = openapiDocument(routes, "1.2.3");
const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** Returns every object in the document. */
function* nodes(value: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (typeof value !== "object" || value === null) return;
  yield value as Readonly<Record<string, unknown>>;
  for (const inner of Object.values(value)) yield* nodes(inner);
}

/** The security schemes and the ACL kind of each guard. */
const guards = {
  none: { schemes: [], acl: "" },
  "api-key": { schemes: ["bearer", "apiKey"], acl: "api-key" },
  "management-key": { schemes: ["managementKey"], acl: "team-token" },
  page: { schemes: [], acl: "" },
  session: { schemes: ["session"], acl: "" },
} as const;

const dialects: Readonly<Record<string, readonly ErrorDialect[]>> = {
  Anthropic: ["anthropic"],
  Management: ["management"],
  Ollama: ["ollama"],
  Either: ["openai", "anthropic"],
};

function at(pointer: string): unknown {
  return pointer
    .split("/")
    .slice(1)
    .reduce<unknown>((value, key) => (value as Readonly<Record<string, unknown>> | undefined)?.[key], api);
}

describe("the OpenAPI document", () => {
  it("contains exactly the routes of the endpoint guide", () => {
    const guide = readFileSync(new URL("../../../src/docs/endpoints.md", import.meta.url), "utf8");
    const rows = guide.split("\n").filter((line) => line.startsWith("| `"));
    const documented = rows.flatMap((row) => row.match(/(?<=`)(?:GET|POST|PUT|DELETE) [^`]+(?=`)/g) ?? []);
    const described = operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    expect(described.toSorted()).toEqual([...new Set(documented)].toSorted());
  });

  it("has an operation with a unique id for every route of the table", () => {
    expect(operations).toHaveLength(routes.length);
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(routes.length);
  });

  it("resolves every reference within itself, and has no unused component", () => {
    const references = [...nodes(api)].flatMap(({ $ref }) => (typeof $ref === "string" ? [$ref] : []));
    expect(references.length).toBeGreaterThan(100);
    expect(references.filter((reference) => at(reference) === undefined)).toEqual([]);
    const components = Object.entries(api.components)
      .filter(([kind]) => kind !== "securitySchemes")
      .flatMap(([kind, named]) => Object.keys(named).map((name) => `#/components/${kind}/${name}`));
    expect(components.filter((component) => !references.includes(component))).toEqual([]);
  });

  it("declares and describes every parameter of a path", () => {
    for (const { path, operation } of operations) {
      const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === "path");
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect([path, declared.map(({ name }) => name)]).toEqual([path, names]);
      expect(
        declared.filter(({ required, description = "" }) => !required || description.length < 5),
      ).toEqual([]);
    }
  });

  it("gives every operation a described tag, a summary, and an answer with a body", () => {
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

  it("requires a key where the route does, and names the ACL", () => {
    for (const { method, path, operation } of operations) {
      const row = routes.find(({ docs }) => docs.operation === operation.operationId);
      const schemes = operation.security.flatMap((scheme) => Object.keys(scheme));
      expect([method, path, schemes]).toEqual([method, path, guards[row?.guard ?? "none"].schemes]);
      const acl = row?.acl ?? null;
      const kind = guards[row?.guard ?? "none"].acl;
      expect(operation["x-hearth-acl"]).toBe(acl === null ? undefined : `${kind}:endpoint:${acl}`);
    }
  });

  it("contains the limits of requests, including those of list elements", () => {
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
    // Requests allow unknown fields, answers do not.
    expect(chat).not.toHaveProperty("additionalProperties");
    expect(api.components.schemas["ChatCompletion"]).toHaveProperty("additionalProperties", false);
  });

  it("limits the length of every list in request bodies", () => {
    const requestBodies = operations.map(({ operation }) => operation.requestBody);
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
    look(requestBodies);
    // Token ids in a list of prompts are limited by the size of the body.
    expect(endless).toEqual([{ type: "array", items: { type: "integer", minimum: 0, maximum: 2147483647 } }]);
  });

  it("describes errors as the error table does", () => {
    const { responses } = api.components;
    for (const [name, { description }] of Object.entries(responses)) {
      const [, dialect = "", status] = /^(Anthropic|Management|Ollama|Either)?Error(\d+)$/.exec(name) ?? [];
      const of = dialects[dialect] ?? ["openai"];
      const codes = of.flatMap((each) => errorCodes(each).get(Number(status)) ?? []);
      expect(codes.length).toBeGreaterThan(0);
      // Ollama's errors have no codes.
      for (const code of codes) expect(description.includes(`\`${code}\``)).toBe(dialect !== "Ollama");
    }
    expect(api.paths["/v1/messages"]?.["post"]?.responses).toMatchObject({
      529: { $ref: "#/components/responses/AnthropicError529" },
    });
  });
});

it("says that answers of Ollama's interface are streamed where a request does not say it, and no others", () => {
  const { paths, components } = openapiDocument(routes, version) as unknown as {
    readonly paths: Readonly<Record<string, object>>;
    readonly components: { readonly schemas: Readonly<Record<string, StreamingSchema>> };
  };
  const streamed = Object.entries(paths).filter(([, operations]) => {
    const names = [...JSON.stringify(operations).matchAll(/"#\/components\/schemas\/(\w+)"/g)];
    const bodies = names.flatMap(([, name = ""]) => components.schemas[name] ?? []);
    return bodies.some(({ properties }) => properties?.stream?.default === true) || isInline(operations);
  });
  expect(streamed.map(([path]) => path).sort()).toEqual(["/api/chat", "/api/generate", "/api/pull"]);
});

describe("GET /openapi.json", () => {
  it("returns the document of the server's routes and version without a key", async () => {
    const server = await startServer({ engine: () => [], config: { trustProxy: true } });
    const response = await fetch(`${server.url}/openapi.json`);
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(openapiDocument(routes, version))));
  });

  it.each(["/openapi.json", "/docs"])(
    "and %s answer 304 to a client that has the current version",
    async (path) => {
      const { url, port } = shared();
      const first = await fetch(url + path);
      const etag = first.headers.get("etag") ?? "";
      expect(etag).toMatch(/^"\S{43}"$/);
      expect(first.headers.get("cache-control")).toBe("no-cache");
      await first.text();
      const send = (known: string) =>
        exchange(
          port,
          `GET ${path} HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: ${known}\r\nConnection: close\r\n\r\n`,
        );
      expect(await send(etag)).toMatch(/^HTTP\/1.1 304 [^]*\r\n\r\n$/);
      expect(await send('"other"')).toMatch(/^HTTP\/1.1 200 /);
    },
  );
});

interface StreamingSchema {
  readonly properties?: { readonly stream?: { readonly default?: unknown } };
}

/** Whether a body that has no name of its own is streamed by default. */
function isInline(operations: object): boolean {
  return /"stream":\{[^{}]*"default":true/.test(JSON.stringify(operations));
}
