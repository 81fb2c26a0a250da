/** Responses that end without having been begun: failed before their run, or cancelled in the queue. Pure. */
import type { HearthError } from "../../core/errors.js";
import { responseError } from "./errors.js";
import type { ResponseEvent } from "./event-schema.js";
import { unused } from "./usage.js";
import type { ResponseObject } from "./wire.js";

/** A response that comes to nothing. @param because an error, or null when somebody cancelled it. */
export function endedResponse(response: ResponseObject, because: HearthError | null): ResponseObject {
  const ended = { ...response, usage: response.usage ?? unused };
  if (because === null) return { ...ended, status: "cancelled" };
  return { ...ended, status: "failed", error: responseError(because) };
}

/** The last event of its stream. */
export function endingEvent(response: ResponseObject, sequenceNumber: number): ResponseEvent {
  const type = response.status === "failed" ? "response.failed" : "response.incomplete";
  return { type, sequence_number: sequenceNumber, response };
}
