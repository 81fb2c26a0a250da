/** The frames that several endpoints share: OpenAI's streams of unnamed events, and Anthropic's of named ones. */
import type { HearthError } from "../core/errors.js";
import type { RunEvent } from "../core/run-event.js";
import { errorBody, openaiErrorFrame } from "../dialects/error-body.js";
import { dataFrame, doneFrame, eventFrame, pingFrame } from "../dialects/sse.js";
import { requestsStream, type StreamForm, type StreamPresenter, type UnreadRequest } from "./endpoint.js";

/** @param encode returns the chunks of an event */
export function presentChunks(encode: (event: RunEvent) => readonly object[]): StreamPresenter {
  return {
    frames: (event) => encode(event).map(dataFrame),
    closing: doneFrame,
    failure: failureFrame,
  };
}

/** Returns how chunks are streamed, if the request asks for it. */
export function chunkForm(unread: UnreadRequest): StreamForm | null {
  return requestsStream(unread) ? { ping: pingFrame, refusal: failureFrame } : null;
}

function failureFrame(error: HearthError): string {
  return dataFrame(openaiErrorFrame(error));
}

/** Returns how Anthropic's events are streamed, if the request asks for it. */
export function anthropicForm(unread: UnreadRequest): StreamForm | null {
  if (!requestsStream(unread)) return null;
  return {
    ping: eventFrame("ping", { type: "ping" }),
    refusal: (error) => anthropicFailure(error, unread.requestId),
  };
}

/** Returns the last frame of an answer that fails. */
export function anthropicFailure(error: HearthError, requestId: string): string {
  return eventFrame("error", errorBody(error, "anthropic", requestId));
}
