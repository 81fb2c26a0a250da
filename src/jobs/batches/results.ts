/** The lines of a batch's output, in the format of the API that created it. Pure. */
import type { HearthError } from "../../core/errors.js";
import { errorBody, errorStatus } from "../../dialects/error-body.js";
import type { Batch } from "./batch.js";

/** A line of a batch, as its result names it. */
export interface ResultLine {
  readonly batchId: string;
  readonly format: Batch["format"];
  readonly line: number;
  readonly customId: string;
}

/**
 * Returns the result of a line that was answered.
 * @param answer JSON text of the body.
 * @param warnings what was not applied of the request: sentences that the route sends as a header.
 */
export function succeeded(line: ResultLine, answer: string, warnings: readonly string[]): string {
  const { format, customId } = line;
  const more = warnings.length === 0 ? "" : `,"hearth_warnings":${JSON.stringify(warnings)}`;
  if (format === "anthropic")
    return `{"custom_id":${JSON.stringify(customId)},"result":{"type":"succeeded","message":${answer}}${more}}`;
  const { id, requestId } = toIds(line);
  return `{"id":${id},"custom_id":${JSON.stringify(customId)},"response":{"status_code":200,"request_id":${requestId},"body":${answer}},"error":null${more}}`;
}

/** Returns the result of a line whose request failed, with the body that the route would have sent. */
export function errored(line: ResultLine, error: HearthError): string {
  const { format, customId, batchId, line: at } = line;
  const requestId = toLineJobId(batchId, at);
  const body = errorBody(error, format, requestId);
  if (format === "anthropic")
    return JSON.stringify({ custom_id: customId, result: { type: "errored", error: body } });
  return JSON.stringify({
    id: requestId,
    custom_id: customId,
    response: { status_code: errorStatus(error, format), request_id: requestId, body },
    error: null,
  });
}

/** Returns the result of a line that was not answered. */
export function dropped(line: ResultLine, outcome: Batch["outcome"]): string {
  const { format, customId, batchId, line: at } = line;
  const isExpired = outcome === "expired";
  if (format === "anthropic")
    return JSON.stringify({ custom_id: customId, result: { type: isExpired ? "expired" : "canceled" } });
  const error = isExpired
    ? {
        code: "batch_expired",
        message: "This request could not be executed before the completion window expired.",
      }
    : { code: "batch_cancelled", message: "The batch was cancelled before this request was executed." };
  return JSON.stringify({ id: toLineJobId(batchId, at), custom_id: customId, response: null, error });
}

function toIds({ batchId, line }: ResultLine): { readonly id: string; readonly requestId: string } {
  const id = JSON.stringify(toLineJobId(batchId, line));
  return { id, requestId: id };
}

/** Returns the id of the job that answers a line, which is also the id of its request. */
function toLineJobId(batchId: string, line: number): string {
  return `batch_req_${batchId.slice(batchId.indexOf("_") + 1)}_${line}`;
}
