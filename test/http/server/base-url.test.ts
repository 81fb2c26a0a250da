/** What clients read whose base URL lacks /v1, or has it where the client adds it. */
import { expect, it } from "vitest";
import { startServer } from "../../kit/server.js";
import { headersOf } from "../../kit/server/requests.js";
import { keys } from "../../kit/server/six-keys.js";

const noSuchPath = "This server has no such path.";
const under = (path: string): string =>
  `${noSuchPath} The path is ${path}: check the base URL of the client.`;

it("a path without /v1, or with it twice, answers 404 with the right path, and no other unknown path does", async () => {
  const { url } = await startServer({ engine: () => [] });
  const requests: readonly (readonly [method: string, path: string, message: string])[] = [
    ["POST", "/chat/completions", under("/v1/chat/completions")],
    ["GET", "/chat/completions", under("/v1/chat/completions")],
    ["POST", "/v1/v1/chat/completions", under("/v1/chat/completions")],
    ["POST", "/responses", under("/v1/responses")],
    ["DELETE", "/responses/resp_1", under("/v1/responses/{response_id}")],
    ["POST", "/responses/input_tokens", under("/v1/responses/input_tokens")],
    ["POST", "/images/generations", under("/v1/images/generations")],
    ["POST", "/messages", under("/v1/messages")],
    ["POST", "/v1/v1/messages", under("/v1/messages")],
    ["GET", "/models", under("/v1/models")],
    ["GET", "/v1/v1/models", under("/v1/models")],
    ["GET", "/models/org/name:q4", under("/v1/models/{id}")],
    ["GET", "/v1/v1", noSuchPath],
    ["GET", "/auth/nothing", noSuchPath],
    ["OPTIONS", "/models", noSuchPath],
  ];
  for (const [method, path, message] of requests) {
    const response = await fetch(url + path, { method, headers: headersOf(keys.ada) });
    const text = await response.text();
    expect([method, path, response.status, text]).toEqual([
      method,
      path,
      404,
      expect.stringContaining(`"message":"${message}"`),
    ]);
  }
  expect((await fetch(`${url}/images/generations`, { method: "PUT" })).status).toBe(405);
});
