/** The stream of a stored response: follows an unfinished response, or replays a finished one. */
import { HearthError } from "../../../core/errors.js";
import type { EventLog } from "../../../inference/responses/event-log.js";
import { isUnfinished, type StoredResponse } from "../../../inference/responses/stored-response.js";
import { responsesErrorEvent } from "../../../dialects/openai-responses/errors.js";
import type { ResponseEvent } from "../../../dialects/openai-responses/event-schema.js";
import { replayResponse } from "../../../dialects/openai-responses/replay.js";
import type { ResponseObject } from "../../../dialects/openai-responses/response-schema.js";
import { unpackEvents } from "../../../answers/responses/stored-events.js";
import { doneFrame, eventFrame } from "../../../dialects/sse.js";
import type { StoredResponses } from "../../../inference/responses/stored-responses.js";

/**
 * Returns the stream of a stored response, beginning with the event number `from`: live events, stored events, or events that are
 * derived from the stored response.
 * @throws HearthError `invalid_value` for an unfinished response that was not created with `stream: true`.
 */
export async function openResponseStream(
  storedResponses: StoredResponses,
  stored: StoredResponse,
  from: number,
): Promise<(left: AbortSignal) => AsyncIterable<string>> {
  if (isUnfinished(stored)) {
    if (!stored.streamed) throw notStreamed();
    const log = storedResponses.logs.open(stored.id);
    const now = await findAgain(storedResponses, stored);
    if (isUnfinished(now)) {
      storedResponses.relay.fill(now);
      return followResponse(log, from);
    }
    // The response finished before the log was opened.
    closeUnused(storedResponses, stored.id);
    return openResponseStream(storedResponses, now, from);
  }
  const packed = await storedResponses.events(stored);
  if (packed !== null) return replayEvents(unpackEvents(packed), from);
  const events = replayResponse(JSON.parse(stored.body) as ResponseObject);
  // The original stream had more events and other numbers; a client that has seen more of them still receives the last event.
  return replayEvents(events, Math.min(from, events.length - 1));
}

/** Follows a log from the event number `from` to its end, or until the signal aborts. */
export function followResponse(
  log: EventLog<object>,
  from: number,
): (left: AbortSignal) => AsyncIterable<string> {
  return async function* (left) {
    let last: object | null = null;
    for await (const event of log.from(from, left)) {
      last = event;
      yield writeFrame(event);
    }
    if (left.aborted) return;
    const end = last ?? log.items().at(-1);
    if (!isLast(end)) yield writeFrame(responsesErrorEvent(cutShort(), log.length));
    // If another process began the response and this one gave it up, `from` counts events that are not in this log.
    else if (last === null) yield writeFrame(end);
    yield doneFrame;
  };
}

/** Reads the current state of a response. @throws HearthError `not_found` if it was deleted; closes its log then. */
async function findAgain(
  storedResponses: StoredResponses,
  { id, teamId }: StoredResponse,
): Promise<StoredResponse> {
  try {
    return await storedResponses.find(id, teamId);
  } catch (thrown) {
    closeUnused(storedResponses, id);
    throw thrown;
  }
}

/** Closes a log without a writer; one with events has a writer, which may still append the last of them. */
function closeUnused({ logs }: StoredResponses, id: string): void {
  if (logs.find(id)?.length === 0) logs.close(id);
}

function replayEvents(events: readonly object[], from: number): () => AsyncIterable<string> {
  return async function* () {
    for (const event of events.slice(from)) yield writeFrame(event);
    yield doneFrame;
  };
}

function writeFrame(event: object): string {
  return eventFrame((event as ResponseEvent).type, event);
}

const lastTypes: readonly string[] = ["response.completed", "response.incomplete", "response.failed"];

function isLast(event: object | undefined): event is object {
  return event !== undefined && lastTypes.includes((event as ResponseEvent).type);
}

function notStreamed(): HearthError {
  return new HearthError(
    "invalid_value",
    "stream: this response was not created with stream: true, so its stream cannot be read before it has finished",
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
