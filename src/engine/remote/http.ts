/** Requests to remote engines. Their addresses are the operator's own setting, so that any address is allowed. */
import { Agent, request, type Dispatcher } from "undici";
import { threadClock } from "../worker/thread-clock.js";
import {
  createCause,
  engineBusy,
  engineFailed,
  engineUnreachable,
  keyRefused,
  requestFailed,
} from "./errors.js";
import { EventTooLong, eventCharactersMax, serverSentData } from "./server-sent.js";
import { silenceMsMax } from "./calls/silence.js";

const connectMsMax = 5_000;
const checkMsMax = 5_000;
/** Limit of an answer that is not streamed. */
const answerBytesMax = 33_554_432;
/** Limit of an answer that is an error: what is beyond is not read. */
const errorBytesMax = 65_536;
const errorMsMax = 5_000;
/** Sent without an event that counts: pings and empty chunks of a slow model take a few million. */
const idleBytesMax = 16_777_216;
/** What may follow the mark that ends a stream, until its connection can be used again. */
const restBytesMax = 16_384;
const restMsMax = 1_000;

const agent = new Agent({
  connect: { timeout: connectMsMax },
  headersTimeout: silenceMsMax,
  bodyTimeout: silenceMsMax,
});

export interface Server {
  readonly url: string;
  readonly apiKey: string | null;
  /** Headers of a trace, which the server may continue; absent: none. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An event of a streamed answer. */
interface StreamedEvent {
  readonly data: unknown;
  /** Says that it has a part of the answer, or that more of the prompt is evaluated. */
  readonly counts: () => void;
  /** Says that no event that counts follows: the answer ends here, and the rest is read in the background. */
  readonly ends: () => void;
}

/**
 * Posts a request and yields the events of its answer, until one that ends it, the event `[DONE]` or the end of the connection.
 * Returning from the iteration, and aborting, close the connection.
 * @throws HearthError whose cause has the server's own reason.
 */
export async function* streamEvents(
  server: Server,
  path: string,
  body: unknown,
  signal: AbortSignal,
  refusal: ReadRefusal = () => null,
): AsyncGenerator<StreamedEvent, void, undefined> {
  const response = await send(server, path, body, signal, refusal);
  // A body that is destroyed before its end emits an error, which nobody waits for and which would end the thread.
  response.body.on("error", () => undefined);
  const type = String(response.headers["content-type"] ?? "");
  if (type.startsWith("application/json")) {
    // A server that does not stream answers with the whole.
    const text = await readText(server.url, response.body).catch((thrown: unknown) => {
      throw signal.aborted ? thrown : connectionError(server.url, thrown);
    });
    yield { data: parseJson(server.url, text), counts: () => undefined, ends: () => undefined };
    return;
  }
  if (!type.startsWith("text/event-stream")) {
    response.body.destroy();
    throw engineFailed(
      server.url,
      `its answer to ${path} is no stream of events`,
      reasonIn(type, server.apiKey),
    );
  }
  let isWhole = false;
  const idle = { bytes: 0 };
  const counts = (): void => void (idle.bytes = 0);
  const ends = (): void => void (isWhole = true);
  const chunks = countIdle(server.url, response.body.iterator({ destroyOnReturn: false }), idle);
  try {
    for await (const text of serverSentData(chunks)) {
      if (text === "[DONE]") break;
      yield { data: parseJson(server.url, text), counts, ends };
      if (isWhole) return;
    }
    isWhole = true;
  } catch (thrown) {
    throw signal.aborted ? thrown : connectionError(server.url, thrown);
  } finally {
    if (isWhole) readRest(response.body);
    else response.body.destroy();
  }
}

/** Counts the bytes of a body since the last event that counts. @throws HearthError where they are too many */
async function* countIdle(
  url: string,
  body: AsyncIterable<Uint8Array>,
  idle: { bytes: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of body) {
    yield chunk;
    idle.bytes += chunk.byteLength;
    if (idle.bytes > idleBytesMax)
      throw engineFailed(url, `it has sent ${idleBytesMax} bytes without a part of the answer`);
  }
}

/** Reads what follows the end of an answer, in the background and within bounds, so that its connection can be used again. */
function readRest(body: Dispatcher.ResponseData["body"]): void {
  let bytes = 0;
  const timer = setTimeout(() => body.destroy(), restMsMax).unref();
  body.once("close", () => clearTimeout(timer));
  body.on("data", (chunk: Uint8Array) => {
    bytes += chunk.byteLength;
    if (bytes > restBytesMax) body.destroy();
  });
}

/**
 * Returns the error of a status that says that the request itself is refused; null: the server has failed.
 * @param text what the server says, for the kind of the error only. @param cause what the operator reads
 */
type ReadRefusal = (status: number, text: string, cause: Error) => Error | null;

/** Posts a request. @returns its JSON answer. @throws HearthError whose cause has the server's own reason. */
export async function postJson(
  server: Server,
  path: string,
  body: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  const response = await send(server, path, body, signal);
  return parseJson(server.url, await readText(server.url, response.body));
}

/** A server's answer to a question about itself. */
interface CheckAnswer {
  readonly status: number;
  readonly text: string;
}

/** Asks a server about itself, or, with a body, to try something. @throws HearthError `engine_unreachable` */
export async function check(server: Server, path: string, body?: unknown): Promise<CheckAnswer> {
  const { url } = server;
  try {
    const response = await request(`${url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: createHeaders(server),
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(checkMsMax),
      dispatcher: agent,
    });
    return { status: response.statusCode, text: await readText(url, response.body) };
  } catch (thrown) {
    throw connectionError(url, thrown);
  }
}

async function send(
  server: Server,
  path: string,
  body: unknown,
  signal: AbortSignal,
  refusal: ReadRefusal = () => null,
) {
  const { url, apiKey } = server;
  const options = {
    method: "POST",
    headers: createHeaders(server),
    body: JSON.stringify(body),
    signal,
  } as const;
  const once = () => request(`${url}${path}`, { ...options, dispatcher: agent });
  // A server closes connections that were used often or long ago, and a request may be just on its way.
  const response = await once()
    .catch((thrown: unknown) => {
      if (signal.aborted || !isLostConnection(thrown)) throw thrown;
      return once();
    })
    .catch((thrown: unknown) => {
      throw signal.aborted ? thrown : connectionError(url, thrown);
    });
  const { statusCode: status } = response;
  if (status === 200) return response;
  const text = await readError(response.body);
  const said = reasonIn(text, apiKey);
  const reason = `it answered ${status}`;
  if (status === 401 || status === 403) throw keyRefused(url, status, said);
  const refused = refusal(status, text, createCause(url, reason, said));
  if (refused !== null) throw refused;
  // A server that is up may answer 500 to what it cannot do for this request.
  if (status === 500) throw requestFailed(url, reason, said);
  const retryAfter = readRetryAfter(response.headers["retry-after"]);
  if (status === 429) throw engineBusy(url, reason, said, retryAfter);
  throw status > 500 ? engineUnreachable(url, reason, said, retryAfter) : engineFailed(url, reason, said);
}

/** Returns the seconds of a header that states them, or a date; null: it states neither. */
function readRetryAfter(header: string | readonly string[] | undefined): number | null {
  const stated = typeof header === "string" ? header.trim() : "";
  if (/^\d{1,6}(\.\d+)?$/.test(stated)) return Math.ceil(Number(stated));
  const date = stated === "" ? NaN : Date.parse(stated);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - threadClock.now()) / 1_000));
}

function createHeaders({ apiKey, headers }: Server): Record<string, string> {
  const type = { ...headers, "content-type": "application/json" };
  return apiKey === null ? type : { ...type, authorization: `Bearer ${apiKey}` };
}

async function readText(url: string, body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > answerBytesMax) throw engineFailed(url, `its answer has more than ${answerBytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Returns the beginning of a body, within bounds of bytes and time. */
async function readError(body: Dispatcher.ResponseData["body"]): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  body.on("error", () => undefined);
  const timer = setTimeout(() => body.destroy(), errorMsMax).unref();
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: true }) as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      if (bytes >= errorBytesMax) break;
    }
  } catch {
    // The status says enough.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).subarray(0, errorBytesMax).toString();
}

function parseJson(url: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw engineFailed(url, "its answer is not JSON", thrown);
  }
}

/** Whether a connection ended before anything was answered, which a new one may not do. */
function isLostConnection(thrown: unknown): boolean {
  const { code = "" } = (thrown ?? {}) as { readonly code?: string };
  return ["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"].includes(code);
}

function connectionError(url: string, thrown: unknown): Error {
  if (thrown instanceof Error && thrown.name === "HearthError") return thrown;
  if (thrown instanceof EventTooLong)
    return engineFailed(url, `an event of its answer has more than ${eventCharactersMax} characters`);
  const { code = "", name = "" } = (thrown ?? {}) as { readonly code?: string; readonly name?: string };
  const isSlow = name === "TimeoutError" || /TIMEOUT/.test(String(code));
  const reason =
    code === "ECONNREFUSED"
      ? "nothing listens there"
      : isSlow
        ? "it does not answer in time"
        : "the connection was lost";
  return engineUnreachable(url, reason, thrown);
}

/**
 * Returns the message of a server's error, in one line; "" if it has none. It is for the operator only.
 * @param apiKey what the server was sent, and may repeat
 */
export function reasonIn(text: string, apiKey: string | null): string {
  let found: unknown = text;
  try {
    found = JSON.parse(text);
  } catch {
    // The text is the reason.
  }
  return readReason(found, apiKey);
}

/** As `reasonIn`, of a value of JSON. Values in it that are neither text nor number say nothing: they may be nested to any depth. */
export function readReason(value: unknown, apiKey: string | null): string {
  const error = readRecord(value).error ?? value;
  const message = readRecord(error).message ?? error;
  const text = typeof message === "string" || typeof message === "number" ? String(message) : "";
  const said = apiKey === null ? text : text.replaceAll(apiKey, "[key]");
  return said.replace(/\s+/g, " ").trim().slice(0, 300);
}

function readRecord(value: unknown): { readonly error?: unknown; readonly message?: unknown } {
  return typeof value === "object" && value !== null ? value : {};
}
