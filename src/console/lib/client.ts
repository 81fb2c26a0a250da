/**
 * Requests to the API of the server, as the member who is signed in. `/console/api/auth/...` is `/auth/...`, and likewise for `/admin`,
 * `/audit` and `/v1`. The types of answers come from the schemas of the server that serves this page, so answers are not checked again.
 */
import { EventSourceParserStream } from "eventsource-parser/stream";
import { basePath } from "./base-path.js";

const base = `${basePath}/console/api`;

type Method = "GET" | "POST" | "PUT" | "DELETE";

/** Fields that are undefined or empty are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** An answer of the server that is an error, with the server's own sentence as its message. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    /** The HTTP status; 0 if the server could not be reached. */
    readonly status: number,
    message: string,
    /** The field of the request that is wrong, if the server names one. */
    readonly field: string | null,
  ) {
    super(message);
  }
}

const expiryListeners = new Set<() => void>();

/** Calls a function whenever a request finds that the session has ended. @returns removes the function */
export function onSessionEnd(listener: () => void): () => void {
  expiryListeners.add(listener);
  return () => expiryListeners.delete(listener);
}

/** Sends a GET and returns the JSON of the answer. @throws ApiError; AbortError when `signal` aborts. */
export async function get<Answer>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Answer> {
  const response = await open("GET", path + queryText(query), undefined, signal);
  return (await response.json()) as Answer;
}

/** Sends a request that changes something, and returns the JSON of the answer. @throws ApiError; AbortError when `signal` aborts. */
export async function send<Answer>(
  method: Method,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<Answer> {
  return (await (await open(method, path, body, signal)).json()) as Answer;
}

/** Changes fields of what a path leads to. @param name of the object in the body that has the fields */
export function sendChange(path: string, name: string, fields: object): Promise<unknown> {
  return send("PUT", path, { [name]: fields, fieldMask: Object.keys(fields).join() });
}

/** Saves what the server answers as a file. A link would not do: the server answers only requests that have the console's header. */
export async function download(path: string, name: string): Promise<void> {
  const response = await open("GET", path);
  saveFile(name, await response.blob());
}

/**
 * Sends a request whose answer is a stream of server-sent events, and yields the JSON of each until `[DONE]` or the end.
 * @throws ApiError; AbortError when `signal` aborts.
 */
export async function* stream<Event>(
  method: Method,
  path: string,
  body: unknown,
  signal: AbortSignal,
): AsyncGenerator<Event> {
  const answer = (await open(method, path, body, signal)).body;
  if (answer === null) return;
  const text = answer.pipeThrough(new TextDecoderStream());
  const reader = text.pipeThrough(new EventSourceParserStream()).getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (next.value.data === "[DONE]") return;
      yield JSON.parse(next.value.data) as Event;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function open(method: Method, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  const response = await fetch(`${base}${path}`, {
    method,
    headers: {
      "x-hearth-console": "1",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    body: JSON.stringify(body),
    signal,
  }).catch((thrown: unknown) => {
    if (signal?.aborted === true) throw thrown;
    throw new ApiError(0, "The server cannot be reached. Is it still running?", null);
  });
  if (response.ok) return response;
  if (response.status === 401 && path !== "/sign-in") for (const listener of expiryListeners) listener();
  throw await readError(response);
}

function queryText(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  if (given.length === 0) return "";
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()}`;
}

/** Reads both formats of errors: `{message}` of the management API, `{error: {message, param}}` of `/v1`. */
async function readError(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => "");
  const body = parsed(text);
  const inner = isObject(body["error"]) ? body["error"] : body;
  const message = typeof inner["message"] === "string" ? inner["message"] : "";
  const field = typeof inner["param"] === "string" ? inner["param"] : null;
  return new ApiError(
    response.status,
    message || `The server answered with status ${response.status}.`,
    field,
  );
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Lets the browser save a file. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
