/**
 * Checks every response that a test or a client library gets from a Hearth server by fetch against the OpenAPI document of the
 * same route table. A violation fails the running test. Set up before each test file.
 */
import { afterEach } from "vitest";
import type { Contract } from "../contract/contract.js";
import { reportProblem, takeProblems } from "../contract/problems.js";

/** Test files that share a process run this file again; each wraps Node's original fetch. */
const nodeFetch = Symbol.for("hearth.test.node-fetch");
const scope: typeof globalThis & { [nodeFetch]?: typeof fetch } = globalThis;
const plainFetch = (scope[nodeFetch] ??= globalThis.fetch);
let contract: Promise<Contract> | null = null;

globalThis.fetch = async (input, init) => {
  const response = await plainFetch(input, init);
  if (!response.headers.has("x-request-id")) return response;
  const promised = await (contract ??= loadContract());
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
  return createContract(selectRoutes({ ollamaApi: true, metricsOpen: false }), reportProblem);
}
