/** The events of a stored response. */
import { inflateRawSync } from "node:zlib";
import { endingEvent } from "../../dialects/openai-responses/ending.js";
import { replayResponse } from "../../dialects/openai-responses/replay.js";
import type { ResponseObject } from "../../dialects/openai-responses/response-schema.js";

/** Largest size of stored events after decompression. */
const eventsBytesMax = 1_073_741_824;

/** Returns the events that were stored with a response. @throws Error when they are larger than the limit. */
export function unpackEvents(packed: Uint8Array): readonly object[] {
  return JSON.parse(
    inflateRawSync(packed, { maxOutputLength: eventsBytesMax }).toString(),
  ) as readonly object[];
}

/**
 * Returns the events of a response that has ended which follow the first `have`. Without stored events, they are derived from the
 * response; to one that has events already, that is its last.
 */
export function eventsAfter(
  { body }: { readonly body: string },
  packed: Uint8Array | null,
  have: number,
): readonly object[] {
  if (packed !== null) return unpackEvents(packed).slice(have);
  const response = JSON.parse(body) as ResponseObject;
  return have === 0 ? replayResponse(response) : [endingEvent(response, have)];
}
