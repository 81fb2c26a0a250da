/** Helpers for tests of deferred completions. */
import { expect } from "vitest";
import { headersOf, hello, post } from "../server/requests.js";
import { keys } from "../server/six-keys.js";

type At = { readonly url: string };

/** Sends a deferred chat request. @returns the response. */
export function postDeferred(server: At, body: object = hello, key: string = keys.ada): Promise<Response> {
  return fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    headers: headersOf(key),
    body: JSON.stringify({ ...body, deferred: true }),
  });
}

/** Sends a deferred chat request. @returns the id with which to fetch the answer. */
export async function createDeferred(
  server: At,
  body: object = hello,
  key: string = keys.ada,
): Promise<string> {
  const response = await postDeferred(server, body, key);
  const answer = (await response.json()) as { request_id: string };
  expect(answer).toEqual({ request_id: expect.any(String) as string });
  expect(response.status).toBe(200);
  return answer.request_id;
}

export function fetchDeferred(server: At, id: string, key: string = keys.ada): Promise<Response> {
  return fetch(`${server.url}/v1/chat/deferred-completion/${id}`, { headers: headersOf(key) });
}

/** Returns the first response that is not "pending". */
export async function waitForOutcome(server: At, id: string, key: string = keys.ada): Promise<Response> {
  for (;;) {
    const response = await fetchDeferred(server, id, key);
    if (response.status !== 202) return response;
    await response.arrayBuffer();
  }
}

/** Returns an answer without fields that differ between two answers to the same request. */
export function omitFields(answer: object, ...fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(answer).filter(([field]) => !fields.includes(field)));
}

/** Returns the answer to the same direct request. */
export async function postDirect(server: Parameters<typeof post>[0], body: object): Promise<object> {
  const response = await post(server, body);
  expect(response.status).toBe(200);
  return (await response.json()) as object;
}
