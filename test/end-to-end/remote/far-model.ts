/** What tests of models on a server of texts share: its settings, and requests to its model. */
import { expect } from "vitest";
import type { TestServer } from "../../kit/server.js";
import { testKey } from "../../kit/server/settings.js";

export const model = "far-model";
export const secret = "sk-the-key-of-the-foreign-server";
export const engineOf = (url: string | readonly string[], apiKey = secret, name = "other") =>
  JSON.stringify([{ kind: "openai", url, apiKey, models: [{ id: model, name, contextTokens: 4096 }] }]);
export const tools = [
  {
    type: "function",
    function: {
      name: "add",
      parameters: { type: "object", properties: { a: { type: "integer" } }, required: ["a"] },
    },
  },
];

export async function post(app: TestServer, more: object = {}): Promise<Response> {
  return fetch(`${app.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }], ...more }),
  });
}

export interface Body {
  readonly choices: readonly { readonly message: Record<string, unknown>; readonly finish_reason: string }[];
  readonly usage: Record<string, unknown>;
}

export async function bodyOf(answer: Promise<Response>): Promise<Body> {
  const response = await answer;
  expect(response.status).toBe(200);
  return (await response.json()) as Body;
}
