/** Requests to servers that may end, hang or be cut off at any moment. */

export interface Asked {
  readonly key: string;
  /** Absent: POST with a body, else GET. */
  readonly method?: string;
  /** A text is JSON already. */
  readonly body?: object | string | FormData;
  readonly requestId?: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

export interface AnsweredText {
  readonly status: number;
  /** The body; null when it was broken off. */
  readonly text: string | null;
}

const timeoutMsMax = 60_000;

/**
 * Sends a request and reads its answer, whatever it is.
 * @throws Error `no end` when it takes too long; what `fetch` throws when the connection is lost or the signal aborts
 */
export async function sendRequest<Result>(
  url: string,
  asked: Asked,
  read: (response: Response) => Promise<Result>,
): Promise<Result> {
  // A signal of AbortSignal.timeout is garbage collected when only AbortSignal.any refers to it, and then never fires (Node 20).
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error("no end")), asked.timeoutMs ?? timeoutMsMax);
  const signal = AbortSignal.any([late.signal, ...(asked.signal === undefined ? [] : [asked.signal])]);
  try {
    return await read(await fetch(url, { ...toInit(asked), signal }));
  } finally {
    clearTimeout(timer);
  }
}

/** Returns null when no answer began: the server does not run, or did not answer in time. */
export async function ask(url: string | null, path: string, asked: Asked): Promise<AnsweredText | null> {
  if (url === null) return null;
  const read = async (response: Response): Promise<AnsweredText> => ({
    status: response.status,
    text: await response.text().catch(() => null),
  });
  return sendRequest(`${url}${path}`, asked, read).catch(() => null);
}

/** Returns the answer of a server that succeeds, as JSON; null when it did not succeed. */
export async function askJson(
  url: string | null,
  path: string,
  asked: Asked,
): Promise<Record<string, unknown> | null> {
  const answered = await ask(url, path, asked);
  if (answered === null || answered.status !== 200 || answered.text === null) return null;
  return JSON.parse(answered.text) as Record<string, unknown>;
}

/** Returns the answer of a server as JSON. @throws Error for an answer that is no success */
export function fetchJson<Answer>(url: string, asked: Asked): Promise<Answer> {
  return sendRequest(url, asked, async (response) => {
    if (!response.ok) throw new Error(`${url} answers ${response.status}: ${await response.text()}`);
    return (await response.json()) as Answer;
  });
}

function toInit({ key, method, body, requestId }: Asked): RequestInit {
  const sent = body instanceof FormData || typeof body === "string" ? body : (JSON.stringify(body) ?? null);
  return {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: {
      authorization: `Bearer ${key}`,
      ...(sent === null || sent instanceof FormData ? {} : { "content-type": "application/json" }),
      ...(requestId === undefined ? {} : { "x-request-id": requestId }),
    },
    body: sent,
  };
}
