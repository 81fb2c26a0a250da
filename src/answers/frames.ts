/** The frames of OpenAI's streams of unnamed events. */
import type { RunEvent } from "../core/run-event.js";
import { openaiErrorFrame } from "../dialects/error-body.js";
import { dataFrame, doneFrame, pingFrame } from "../dialects/sse.js";
import type { StreamPresenter } from "./endpoint.js";

/** @param encode returns the chunks of an event */
export function presentChunks(encode: (event: RunEvent) => readonly object[]): StreamPresenter {
  return {
    frames: (event) => encode(event).map(dataFrame),
    closing: doneFrame,
    failure: (error) => dataFrame(openaiErrorFrame(error)),
    ping: pingFrame,
  };
}
