/** Errors as a response and its stream tell them. Pure. */
import type { HearthError } from "../../core/errors.js";
import { openaiErrorFrame } from "../error-body.js";
import type { ResponsesErrorEvent } from "./event-schema.js";
import type { ResponseObject } from "./wire.js";

/** The error of a response that failed; what is the server's own fault has OpenAI's one word for it. */
export function responseError(error: HearthError): NonNullable<ResponseObject["error"]> {
  const { type, code, message } = openaiErrorFrame(error).error;
  return { code: type === "server_error" ? "server_error" : code, message };
}

/** Stands in place of the rest of a stream that cannot be told to its end. */
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
