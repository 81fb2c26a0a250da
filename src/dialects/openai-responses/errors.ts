/** Encodes errors for a response and its stream. Pure. */
import type { z } from "zod";
import type { HearthError } from "../../core/errors.js";
import { openaiErrorFrame } from "../error-body.js";
import type { ResponseObject } from "./response-schema.js";
import type { responsesErrorEventSchema } from "./event-schema.js";

type ResponsesErrorEvent = z.infer<typeof responsesErrorEventSchema>;

/** Returns the error of a failed response. All errors of the server have OpenAI's code `server_error`. */
export function responseError(error: HearthError): NonNullable<ResponseObject["error"]> {
  const { type, code, message } = openaiErrorFrame(error).error;
  return { code: type === "server_error" ? "server_error" : code, message };
}

/** Returns the event that replaces the rest of a stream that failed. */
export function responsesErrorEvent(error: HearthError, sequenceNumber: number): ResponsesErrorEvent {
  const { type, code, message, param } = openaiErrorFrame(error).error;
  return {
    type: "error",
    sequence_number: sequenceNumber,
    code,
    message,
    param,
    error: { type, code, message, param },
  };
}
