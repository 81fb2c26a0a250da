/** Requests to servers that may end, hang or be cut off at any moment. */
import type { ChaosServer } from "./server.js";

export interface Asked {
  readonly key: string;
  readonly method?: string;
  readonly body?: object | FormData;
  readonly requestId?: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

export interface Answered {
  readonly status: number;
  /** The body; null when it was broken off. */
  readonly text: string | null;
}

const timeoutMsMax = 60_000;

/** Returns null when no answer began: the server does not run, or did not answer in time. */
export async function ask(server: ChaosServer, path: string, asked: Asked): Promise<Answered | null> {
  const url = server.url();
  if (url === null) return null;
  const { key, body, requestId, signal } = asked;
  const timeout = AbortSignal.timeout(asked.timeoutMs ?? timeoutMsMax);
  const isForm = body instanceof FormData;
  let response: Response;
  try {
    response = await fetch(`${url}${path}`, {
      method: asked.method ?? (body === undefined ? "GET" : "POST"),
      headers: {
        authorization: `Bearer ${key}`,
        ...(isForm || body === undefined ? {} : { "content-type": "application/json" }),
        ...(requestId === undefined ? {} : { "x-request-id": requestId }),
      },
      body: isForm ? body : body === undefined ? null : JSON.stringify(body),
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
  } catch {
    return null;
  }
  const text = await response.text().catch(() => null);
  return { status: response.status, text };
}

/** Returns the answer of a server that succeeds, as JSON; null when it did not succeed. */
export async function askJson(
  server: ChaosServer,
  path: string,
  asked: Asked,
): Promise<Record<string, unknown> | null> {
  const answered = await ask(server, path, asked);
  if (answered === null || answered.status !== 200 || answered.text === null) return null;
  return JSON.parse(answered.text) as Record<string, unknown>;
}
