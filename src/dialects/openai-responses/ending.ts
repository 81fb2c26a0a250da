/** Ends responses that never ran: they failed before their run started or were cancelled in the queue. Pure. */
import type { HearthError } from "../../core/errors.js";
import { responseError } from "./errors.js";
import type { ResponseEvent } from "./event-schema.js";
import { zeroUsage } from "./usage.js";
import type { ResponseObject } from "./response-schema.js";

/** Returns the response with the status `failed` or `cancelled`. @param error null if the response was cancelled. */
export function endedResponse(response: ResponseObject, error: HearthError | null): ResponseObject {
  const ended = { ...response, usage: response.usage ?? zeroUsage };
  if (error === null) return { ...ended, status: "cancelled" };
  return { ...ended, status: "failed", error: responseError(error) };
}

/** Returns the last event of such a response's stream. */
export function endingEvent(response: ResponseObject, sequenceNumber: number): ResponseEvent {
  const type = response.status === "failed" ? "response.failed" : "response.incomplete";
  return { type, sequence_number: sequenceNumber, response };
}
