/**
 * Every answer of a Hearth server that a test, or a client library in it, gets by fetch is held against the OpenAPI document
 * of the very same route table: what is not as the document says fails the test that runs. Set up before each test file.
 */
import { afterEach } from "vitest";
import type { Contract } from "./contract/contract.js";
import { reportProblem, takeProblems } from "./contract/problems.js";

const plainFetch = globalThis.fetch;
let contract: Promise<Contract> | null = null;

globalThis.fetch = async (input, init) => {
  const response = await plainFetch(input, init);
  if (!response.headers.has("x-request-id")) return response;
  const promised = await (contract ??= loadContract());
  const method = init?.method ?? (input instanceof Request ? input.method : "GET");
  return promised.watch(method.toUpperCase(), new URL(response.url).pathname, response);
};

afterEach(() => {
  const problems = takeProblems();
  if (problems.length > 0) throw new Error(problems.join("\n"));
});

/** Most test files ask no server for anything: they need not load one. */
async function loadContract(): Promise<Contract> {
  const [{ createContract }, { createRoutes }, { defaultHttpLimits }] = await Promise.all([
    import("./contract/contract.js"),
    import("../src/http/routes.js"),
    import("../src/http/deps.js"),
  ]);
  // The table's rows are made without being called.
  const deps = { limits: defaultHttpLimits, version: "0" } as Parameters<typeof createRoutes>[0];
  return createContract(createRoutes(deps), reportProblem);
}
