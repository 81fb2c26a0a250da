/**
 * Checks every response that a test or a client library gets from a Hearth server by fetch against the OpenAPI document of the
 * same route table. A violation fails the running test. Set up before each test file.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, inject } from "vitest";
import type { OpenApiDocument } from "../../../src/http/about/openapi/document.js";
import type { Route } from "../../../src/http/server/route.js";
import type { Contract } from "../contract/contract.js";
import { reportProblem, takeProblems } from "../contract/problems.js";

/** Test files that share a process run this file again; each wraps Node's original fetch, and all have one contract. */
const nodeFetch = Symbol.for("hearth.test.node-fetch");
const ofProcess = Symbol.for("hearth.test.contract");
const scope: typeof globalThis & { [nodeFetch]?: typeof fetch; [ofProcess]?: Promise<Contract> } = globalThis;
const plainFetch = (scope[nodeFetch] ??= globalThis.fetch);

globalThis.fetch = async (input, init) => {
  const response = await plainFetch(input, init);
  if (!response.headers.has("x-request-id")) return response;
  const promised = await (scope[ofProcess] ??= loadContract());
  const method = init?.method ?? (input instanceof Request ? input.method : "GET");
  // The console calls the routes of the API below a path of its own, and a server may be below a path of its proxy.
  const path = new URL(response.url).pathname
    .replace(/^\/hearth(?=\/)/, "")
    .replace(/^\/console\/api(?=\/(v1|auth|admin|audit|metrics)\b)/, "");
  return promised.watch(method.toUpperCase(), path, response);
};

afterEach(() => {
  const problems = takeProblems();
  if (problems.length > 0) throw new Error(problems.join("\n"));
});

/** Loaded only when needed, because most test files send no requests. */
async function loadContract(): Promise<Contract> {
  const [{ createContract }, { selectRoutes }] = await Promise.all([
    import("../contract/contract.js"),
    import("../../../src/http/routes.js"),
  ]);
  const routes = selectRoutes({ ollamaApi: true, metricsOpen: false });
  return createContract(routes, await readDocument(routes), reportProblem);
}

/** Returns the OpenAPI document of the routes, which the first process that needs it makes for all: it takes seconds. */
async function readDocument(routes: readonly Route[]): Promise<OpenApiDocument> {
  const file = join(inject("sharedFolder"), "openapi.json");
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as OpenApiDocument;
  const { openapiDocument } = await import("../../../src/http/about/openapi/document.js");
  const document = openapiDocument(routes, "0");
  const part = `${file}.${process.pid}`;
  writeFileSync(part, JSON.stringify(document));
  renameSync(part, file);
  return document;
}
