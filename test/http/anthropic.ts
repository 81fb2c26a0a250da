/** What the tests of Anthropic's routes ask with: the wire itself, and the official client. */
import Anthropic from "@anthropic-ai/sdk";
import { keys, type TestServer } from "./compose.js";

export const weather = {
  name: "get_weather",
  description: "Tells the weather.",
  input_schema: { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] },
};

export const params = {
  model: "ember-1m",
  max_tokens: 64,
  messages: [{ role: "user" as const, content: "Hello" }],
};

/** A request to /v1/messages, or to `path` below it. */
export function postMessage(
  server: TestServer,
  body: unknown,
  path = "",
  headers: Record<string, string> = {},
) {
  return fetch(`${server.url}/v1/messages${path}`, {
    method: "POST",
    headers: { "x-api-key": keys.ada, "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** The official client, without the retries that would hide an error. */
export function anthropicOf(server: TestServer, apiKey: string = keys.ada): Anthropic {
  return new Anthropic({ baseURL: server.url, apiKey, maxRetries: 0 });
}
