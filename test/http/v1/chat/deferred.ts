/** What the tests of deferred completions ask with. */
import { expect } from "vitest";
import { headersOf, hello, keys, post } from "../../compose.js";

type At = { readonly url: string };

/** Puts a chat request off. @returns the answer as it came. */
export function putOff(server: At, body: object = hello, key: string = keys.ada): Promise<Response> {
  return fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    headers: headersOf(key),
    body: JSON.stringify({ ...body, deferred: true }),
  });
}

/** Puts a chat request off. @returns the id to fetch its answer with. */
export async function putOffId(server: At, body: object = hello, key: string = keys.ada): Promise<string> {
  const response = await putOff(server, body, key);
  const answer = (await response.json()) as { request_id: string };
  expect(answer).toEqual({ request_id: expect.any(String) as string });
  expect(response.status).toBe(200);
  return answer.request_id;
}

export function fetchDeferred(server: At, id: string, key: string = keys.ada): Promise<Response> {
  return fetch(`${server.url}/v1/chat/deferred-completion/${id}`, { headers: headersOf(key) });
}

/** The first answer that is not "pending". */
export async function outcomeOf(server: At, id: string, key: string = keys.ada): Promise<Response> {
  for (;;) {
    const response = await fetchDeferred(server, id, key);
    if (response.status !== 202) return response;
    await response.arrayBuffer();
  }
}

/** What two answers to the same request differ in. */
export function without(answer: object, ...fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(answer).filter(([field]) => !fields.includes(field)));
}

/** The answer to the same request, asked for directly. */
export async function answerOf(server: Parameters<typeof post>[0], body: object): Promise<object> {
  const response = await post(server, body);
  expect(response.status).toBe(200);
  return (await response.json()) as object;
}
