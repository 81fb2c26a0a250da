/** Helpers for tests of Anthropic routes: plain HTTP and the official client. */
import Anthropic from "@anthropic-ai/sdk";
import type { ScriptedServer } from "../kit/server.js";
import { keys } from "../kit/server/six-keys.js";

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

/** Sends a request to /v1/messages, or to `path` below it. */
export function postMessage(
  server: ScriptedServer,
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

/** Builds the official client without retries, which would hide errors. */
export function anthropicOf(server: ScriptedServer, apiKey: string = keys.ada): Anthropic {
  return new Anthropic({ baseURL: server.url, apiKey, maxRetries: 0 });
}
