/**
 * One WebSocket: turns in order of arrival, one at a time; the keep-alive; the time after which a connection ends.
 *
 * Modes: open -> closing (no new turn; the one in flight ends) -> closed.
 */
import type { IncomingMessage } from "node:http";
import { WebSocket, type RawData } from "ws";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { z } from "zod";
import type { BodyPlace, BodyBudget } from "../../../core/requests/body-budget.js";
import type { AppContext } from "../../server/app-context.js";
import type { InternalServer, RequestHead } from "../../server/internal-requests.js";
import { type KeptResponse, type KeptResponses, findTurnConversation } from "./kept-response.js";
import { parseJson } from "../../../core/json/parse-json.js";

/** As the hosted service's. */
const connectionMsMax = 3_600_000;
/** Turns that wait for the one in flight. */
const waitingTurnsMax = 16;
/** Bytes that a client has not read when it gets no more errors of turns that cannot wait. */
const unsentBytesMax = 1_048_576;

const goingAway = 1001;
const normalClosure = 1000;

interface ConnectionDeps extends Pick<AppContext, "clock" | "limits" | "bodyBudget"> {
  readonly internal: InternalServer;
  /** Shared by all connections. */
  readonly keptResponses: KeptResponses;
  /** What the requests of all turns have in common. */
  readonly request: RequestHead;
}

/** A turn that was received. */
interface WaitingTurn {
  readonly message: Buffer;
  readonly place: BodyPlace;
}

/** Serves a WebSocket until it closes. */
export class Connection {
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;
  readonly #socket: WebSocket;
  readonly #app: ConnectionDeps;
  readonly #left = new AbortController();
  readonly #waiting: WaitingTurn[] = [];
  #waitingBytes = 0;
  #kept: KeptResponse | null = null;
  #isBusy = false;
  /** How the connection is closed after the turn in flight. */
  #closing: { readonly code: number; readonly message: string | null } | null = null;

  constructor(socket: WebSocket, app: ConnectionDeps) {
    this.#socket = socket;
    this.#app = app;
    this.closed = new Promise((resolve) => socket.once("close", () => resolve()));
    const stopPinging = keepAlive(socket, app.clock, app.limits.pingEveryMs);
    const stopTimer = app.clock.after(connectionMsMax, () => this.#startClosing(normalClosure, tooOld));
    socket.on("message", (data: RawData) => this.#receive(toBuffer(data)));
    // A protocol error, or a message above the limit: the library closes the connection with the code of the reason.
    socket.on("error", () => undefined);
    socket.once("close", () => {
      stopPinging();
      stopTimer();
      this.#left.abort();
      this.#keep(null);
    });
  }

  /** Ends the connection because the server closes, after the turn in flight. */
  close(): void {
    this.#startClosing(goingAway, null);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  #receive(message: Buffer): void {
    const { limits, bodyBudget } = this.#app;
    const { bodyBytesMax } = limits;
    if (this.#waiting.length >= waitingTurnsMax || this.#waitingBytes + message.length > bodyBytesMax)
      return this.#refuse(tooManyTurns);
    const place = bodyBudget.open();
    // The message is in memory: it cannot wait for its bytes.
    if (!place.tryReserve(message.length)) return this.#refuse(tooManyBodies);
    this.#waiting.push({ message, place });
    this.#waitingBytes += message.length;
    if (!this.#isBusy) void this.#answerWaiting();
  }

  #refuse(error: string): void {
    if (this.#socket.bufferedAmount > unsentBytesMax) this.terminate();
    else void this.#send(error);
  }

  async #answerWaiting(): Promise<void> {
    this.#isBusy = true;
    while (this.#closing === null) {
      const turn = this.#waiting.shift();
      if (turn === undefined) break;
      this.#waitingBytes -= turn.message.length;
      this.#keep(await this.#answer(turn));
    }
    this.#isBusy = false;
    this.#dropWaiting();
    await this.#close();
  }

  #dropWaiting(): void {
    for (const { place } of this.#waiting.splice(0)) place.release();
  }

  async #answer({ message, place }: WaitingTurn): Promise<KeptResponse | null> {
    const { internal, request, bodyBudget } = this.#app;
    const budget = { bodyBudget, place };
    const send = (message: string): Promise<void> => this.#send(message);
    try {
      const options = { internal, request, kept: this.#kept, signal: this.#left.signal, send };
      return await answerTurn(message, { ...options, ...budget });
    } catch {
      await this.#send(cutShort);
      return null;
    } finally {
      place.release();
    }
  }

  #keep(next: KeptResponse | null): void {
    const { keptResponses } = this.#app;
    this.#kept = keptResponses.replace(this.#kept, this.#left.signal.aborted ? null : next);
  }

  #startClosing(code: number, message: string | null): void {
    this.#closing ??= { code, message };
    if (!this.#isBusy) void this.#close();
  }

  async #close(): Promise<void> {
    if (this.#closing === null) return;
    const { code, message } = this.#closing;
    if (message !== null) await this.#send(message);
    this.#socket.close(code);
  }

  /** Resolves when the message has left; disconnects a client that reads nothing. */
  async #send(message: string): Promise<void> {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    const { clock, limits } = this.#app;
    const giveUp = clock.after(limits.stalledReaderMs, () => this.#socket.terminate());
    await new Promise<void>((resolve) => this.#socket.send(message, () => resolve()));
    giveUp();
  }
}

const cutShort = errorMessage(500, {
  type: "server_error",
  code: "internal_error",
  message: "The answer was cut short.",
});
const tooManyTurns = errorMessage(429, {
  code: "too_many_turns",
  message: `At most ${waitingTurnsMax} turns wait on a connection, with the size of one request: wait for the response in flight.`,
});
const tooManyBodies = errorMessage(503, {
  type: "server_error",
  code: "overloaded",
  message: "The server is reading too many large requests. Please try again later.",
});
const tooOld = errorMessage(400, {
  code: "websocket_connection_limit_reached",
  message: "This connection has reached its limit of 60 minutes: open a new one.",
});

/** Sends pings; ends a connection that has not answered the last one when the next is due. @returns a function that stops this */
function keepAlive(socket: WebSocket, clock: ConnectionDeps["clock"], everyMs: number): () => void {
  let isAlive = true;
  let stop = (): void => undefined;
  const beat = (): void => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
    stop = clock.after(everyMs, beat);
  };
  socket.on("pong", () => (isAlive = true));
  stop = clock.after(everyMs, beat);
  return () => stop();
}

function toBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}

// One turn of a WebSocket: a `response.create` message as a request for a stream, and the events of the answer as messages.

interface TurnOptions {
  readonly bodyBudget: BodyBudget;
  /** Holds the bytes of the message, until a request has them. */
  readonly place: BodyPlace;
  readonly internal: InternalServer;
  readonly request: RequestHead;
  /** The last response of the connection. */
  readonly kept: KeptResponse | null;
  /** Aborts when the client has left. */
  readonly signal: AbortSignal;
  /** Sends a message; resolves when the client can receive the next one. */
  readonly send: (message: string) => Promise<void>;
}

/** Sends the events of a turn, or one error. @returns what is kept for the next turn */
async function answerTurn(message: Buffer, options: TurnOptions): Promise<KeptResponse | null> {
  const { internal, request, kept, signal, send } = options;
  let turn: unknown;
  try {
    turn = (await options.bodyBudget.work(message.length, () => parseJson(message))).value;
  } catch (thrown) {
    await send(errorMessage(400, { code: "malformed", message: describeError(thrown) }));
    return kept;
  }
  const refusal = findRefusal(turn);
  if (refusal !== null) {
    await send(errorMessage(400, refusal));
    return kept;
  }
  const { continues, replaced, keep } = findTurnConversation(turn, kept);
  options.place.release();
  const answer = await internal.request({
    ...request,
    headers: { ...request.headers, "content-type": "application/json", accept: "text/event-stream" },
    method: "POST",
    body: withFields(message, { ...replaced, stream: true }),
    signal,
  });
  if (answer.statusCode !== 200) {
    await send(await refusedMessage(answer));
    // A continuation that failed can have left the conversation in a state that the client does not know.
    return continues === null ? kept : null;
  }
  const finished = await forward(answer, send, continues?.id ?? null);
  return keep(finished);
}

/** Appends fields to a JSON object. Where a name is repeated, the last value counts; the rest of the text stays exact. */
function withFields(object: Buffer, fields: Readonly<Record<string, unknown>>): Buffer {
  const end = object.lastIndexOf("}");
  return Buffer.concat([object.subarray(0, end), Buffer.from(`,${JSON.stringify(fields).slice(1)}`)]);
}

const createMessage = z.object({
  type: z.literal("response.create"),
  background: z.literal(false).nullish(),
});

interface TurnError {
  readonly type?: string;
  readonly code?: string | null;
  readonly message: string;
  readonly param?: string | null;
}

function findRefusal(turn: unknown): TurnError | null {
  const parsed = createMessage.safeParse(turn);
  if (parsed.success) return null;
  return parsed.error.issues.some(({ path: [field] }) => field === "background")
    ? { code: "invalid_value", param: "background", message: "background: is not available over a WebSocket" }
    : { code: "invalid_value", param: "type", message: 'type: must be "response.create"' };
}

/** Returns an error in the form that WebSockets have. @param status as over HTTP */
function errorMessage(status: number, error: TurnError): string {
  const { type = "invalid_request_error", code = null, message, param = null } = error;
  return JSON.stringify({ type: "error", status, error: { type, code, message, param } });
}

const errorBody = z.object({
  error: z.object({
    type: z.string().optional(),
    code: z.string().nullish(),
    message: z.string(),
    param: z.string().nullish(),
  }),
});

async function refusedMessage(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const { error } = errorBody.parse(JSON.parse(Buffer.concat(chunks).toString()));
  return errorMessage(answer.statusCode ?? 500, error);
}

/** Events that have the response. */
const withResponse = /^response\.(created|queued|in_progress|completed|incomplete|failed)$/;
const last = /^response\.(completed|incomplete|failed)$/;

/**
 * Sends the events of a stream, one message each.
 * @param previousId what the response continues, where the route was not asked to.
 * @returns the response of the last event; null when the stream ended without it
 */
async function forward(
  answer: IncomingMessage,
  send: TurnOptions["send"],
  previousId: string | null,
): Promise<unknown> {
  let finished: unknown = null;
  const events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => void events.push(event) });
  answer.setEncoding("utf8");
  for await (const chunk of answer) {
    parser.feed(chunk as string);
    for (const { event = "", data } of events.splice(0)) {
      if (data === "[DONE]") continue;
      if (event === "error") await send(errorMessage(500, errorBody.parse(JSON.parse(data)).error));
      else if (!withResponse.test(event)) await send(data);
      else {
        const whole = JSON.parse(data) as { response: { previous_response_id: string | null } };
        if (previousId !== null) whole.response.previous_response_id = previousId;
        if (last.test(event)) finished = whole.response;
        await send(previousId === null ? data : JSON.stringify(whole));
      }
    }
  }
  return finished;
}

function describeError(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
