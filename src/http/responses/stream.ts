/** The frames of a response's stream that is read beside its making: while it goes on, or when it is over. */
import { inflateRawSync } from "node:zlib";
import { HearthError } from "../../core/errors.js";
import type { EventLog } from "../../core/event-log.js";
import type { StoredResponse } from "../../core/stored-response.js";
import { responsesErrorEvent } from "../../dialects/openai-responses/errors.js";
import type { ResponseEvent } from "../../dialects/openai-responses/event-schema.js";
import { replayResponse } from "../../dialects/openai-responses/replay.js";
import type { ResponseObject } from "../../dialects/openai-responses/wire.js";
import { doneFrame, eventFrame } from "../../dialects/sse.js";
import type { Memory } from "../../inference/remember.js";

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
  if (!isOver(stored)) {
    if (!stored.streamed) throw notStreamed();
    const log = memory.logs.open(stored.id);
    const now = await memory.find(stored.id, stored.teamId);
    if (!isOver(now)) return followResponse(log, from);
    // It was over before the log was opened again.
    memory.logs.close(stored.id);
    return streamOf(memory, now, from);
  }
  const packed = await memory.events(stored);
  if (packed !== null) return tellAgain(unpackEvents(packed), from);
  return tellAgain(replayResponse(JSON.parse(stored.body) as ResponseObject), from);
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
    if (!isLast(last ?? log.items().at(-1))) yield frameOf(responsesErrorEvent(cutShort(), log.length));
    yield doneFrame;
  };
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

function isLast(event: object | null | undefined): boolean {
  return event != null && lastTypes.includes((event as ResponseEvent).type);
}

function isOver({ status }: StoredResponse): boolean {
  return status !== "queued" && status !== "in_progress";
}

function notStreamed(): HearthError {
  return new HearthError(
    "invalid_value",
    "stream: this response was not asked for with stream: true, so its stream cannot be read before it is over",
    { param: "stream" },
  );
}

function cutShort(): HearthError {
  return new HearthError("overloaded", "The stream was cut short because the server is closing.", {
    retryAfterSeconds: 5,
  });
}
