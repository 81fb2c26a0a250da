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
  // A signal of AbortSignal.timeout is garbage collected when only AbortSignal.any refers to it, and then never fires (Node 20).
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), asked.timeoutMs ?? timeoutMsMax);
  const signal = AbortSignal.any([late.signal, ...(asked.signal === undefined ? [] : [asked.signal])]);
  try {
    const response = await fetch(`${url}${path}`, { ...initOf(asked), signal });
    return { status: response.status, text: await response.text().catch(() => null) };
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

function initOf({ key, method, body, requestId }: Asked): RequestInit {
  const isForm = body instanceof FormData;
  return {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: {
      authorization: `Bearer ${key}`,
      ...(isForm || body === undefined ? {} : { "content-type": "application/json" }),
      ...(requestId === undefined ? {} : { "x-request-id": requestId }),
    },
    body: isForm ? body : body === undefined ? null : JSON.stringify(body),
  };
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
