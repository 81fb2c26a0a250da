/** What a server of texts says of a request that it will not answer. */
import { HearthError } from "../../../core/errors.js";

/** Returns the error of a request that is wrong in itself; null: the server has failed. */
export function refusalOf(status: number, reason: string, text: string): HearthError | null {
  if (![400, 404, 413, 422].includes(status)) return null;
  if (status === 404)
    return new HearthError("model_unavailable", `The engine of this model does not have it: ${reason}`, {
      param: "model",
      code: "engine_failed",
    });
  const isTooLong = /context_length_exceeded|maximum context|context (?:length|window)/i.test(text);
  return isTooLong
    ? new HearthError("context_length_exceeded", `messages: the server of this model says: ${reason}`, {
        param: "messages",
        code: "context_length_exceeded",
      })
    : new HearthError("invalid_value", `The server of this model refuses the request: ${reason}`);
}
