/** Requests to servers of tests. */
import OpenAI from "openai";
import { keys } from "./six-keys.js";
import { testKey } from "./settings.js";

/** The official OpenAI client, without retries, which would hide errors. */
export function clientOf(url: string, apiKey: string = testKey): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
}

export function headersOf(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}`, "content-type": "application/json" };
}

/** Sends a chat completion. @param body JSON text, or what becomes it. */
export function post(
  server: { readonly url: string },
  body: unknown,
  init: RequestInit = {},
): Promise<Response> {
  return fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    headers: headersOf(keys.ada),
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...init,
  });
}

/** A chat completion that a scripted server answers. */
export const hello = { model: "ember-1m", messages: [{ role: "user", content: "Hello" }] };
