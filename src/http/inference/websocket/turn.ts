/** One turn of a WebSocket: a `response.create` message as a request for a stream, and the events of the answer as messages. */
import type { IncomingMessage } from "node:http";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { z } from "zod";
import { parseJson } from "../../../core/json/parse-json.js";
import type { BodyBudget, BodyPlace } from "../../../core/requests/body-budget.js";
import type { InternalServer, RequestHead } from "../../server/internal-requests.js";
import { findTurnConversation, type KeptResponse } from "./kept-response.js";

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
export async function answerTurn(message: Buffer, options: TurnOptions): Promise<KeptResponse | null> {
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
export function errorMessage(status: number, error: TurnError): string {
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
