/** The frames of a response's stream that is read beside its making: while it goes on, or when it is over. */
import { inflateRawSync } from "node:zlib";
import { HearthError } from "../../core/errors.js";
import type { EventLog } from "../../inference/responses/event-log.js";
import { isUnended, type StoredResponse } from "../../inference/responses/stored-response.js";
import { responsesErrorEvent } from "../../dialects/openai-responses/errors.js";
import type { ResponseEvent } from "../../dialects/openai-responses/event-schema.js";
import { replayResponse } from "../../dialects/openai-responses/replay.js";
import type { ResponseObject } from "../../dialects/openai-responses/wire.js";
import { doneFrame, eventFrame } from "../../dialects/sse.js";
import type { Memory } from "../../inference/responses/stored-responses.js";

/** What a kept stream may come to when it is unpacked. */
const eventsBytesMax = 1_073_741_824;

/**
 * The stream of a stored response from the event of that number on: what was kept of it, or what can be told again, or what is
 * being made now.
 * @throws HearthError `invalid_value` for one that is being made and was not asked for as a stream.
 */
export async function streamOf(
  memory: Memory,
  stored: StoredResponse,
  from: number,
): Promise<(left: AbortSignal) => AsyncIterable<string>> {
  if (isUnended(stored)) {
    if (!stored.streamed) throw notStreamed();
    const log = memory.logs.open(stored.id);
    const now = await stillThere(memory, stored);
    if (isUnended(now)) return followResponse(log, from);
    // It was over before the log was opened again.
    memory.logs.close(stored.id);
    return streamOf(memory, now, from);
  }
  const packed = await memory.events(stored);
  if (packed !== null) return tellAgain(unpackEvents(packed), from);
  const events = replayResponse(JSON.parse(stored.body) as ResponseObject);
  // It had more events than can be told again, and other numbers: whoever saw more of them is still told its end.
  return tellAgain(events, Math.min(from, events.length - 1));
}

/** Follows a log from the event of that number on, up to its end or until the signal aborts. */
export function followResponse(
  log: EventLog<object>,
  from: number,
): (left: AbortSignal) => AsyncIterable<string> {
  return async function* (left) {
    let last: object | null = null;
    for await (const event of log.from(from, left)) {
      last = event;
      yield frameOf(event);
    }
    if (left.aborted) return;
    const end = last ?? log.items().at(-1);
    if (!isLast(end)) yield frameOf(responsesErrorEvent(cutShort(), log.length));
    // Of one that another process began and this one gave up, `from` counts what is not in this log.
    else if (last === null) yield frameOf(end);
    yield doneFrame;
  };
}

/** The response as it is now. @throws HearthError `not_found` when it was deleted meanwhile; then its log is closed again. */
async function stillThere(memory: Memory, { id, teamId }: StoredResponse): Promise<StoredResponse> {
  try {
    return await memory.find(id, teamId);
  } catch (thrown) {
    memory.logs.close(id);
    throw thrown;
  }
}

function tellAgain(events: readonly object[], from: number): () => AsyncIterable<string> {
  return async function* () {
    for (const event of events.slice(from)) yield frameOf(event);
    yield doneFrame;
  };
}

function unpackEvents(packed: Uint8Array): readonly object[] {
  return JSON.parse(
    inflateRawSync(packed, { maxOutputLength: eventsBytesMax }).toString(),
  ) as readonly object[];
}

function frameOf(event: object): string {
  return eventFrame((event as ResponseEvent).type, event);
}

const lastTypes: readonly string[] = ["response.completed", "response.incomplete", "response.failed"];

function isLast(event: object | undefined): event is object {
  return event !== undefined && lastTypes.includes((event as ResponseEvent).type);
}

function notStreamed(): HearthError {
  return new HearthError(
    "invalid_value",
    "stream: this response was not asked for with stream: true, so its stream cannot be read before it is over",
    { param: "stream" },
  );
}

function cutShort(): HearthError {
  return new HearthError(
    "overloaded",
    "The stream was cut short because the server is closing, or could not store the response.",
    {
      retryAfterSeconds: 5,
    },
  );
}
