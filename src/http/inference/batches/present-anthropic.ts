/** The shape of message batches for Anthropic clients. */
import { z } from "zod";
import { countField, responseArray, responseObject } from "../../../dialects/response-fields.js";
import type { Context } from "../../server/context.js";
import type { Batch, BatchPage } from "../../../jobs/batches/batch.js";

const timeOrNull = z.iso.datetime().nullable();

export const messageBatchSchema = responseObject({
  id: z.string(),
  type: z.literal("message_batch"),
  processing_status: z.enum(["in_progress", "canceling", "ended"]),
  request_counts: responseObject({
    processing: countField("Requests that have no result yet."),
    succeeded: countField("Requests with an answer."),
    errored: countField("Requests with an error."),
    canceled: countField("Requests that were canceled."),
    expired: countField("Requests that expired."),
  }),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  ended_at: timeOrNull,
  cancel_initiated_at: timeOrNull,
  archived_at: z.null(),
  results_url: z.string().nullable().describe("Where the results are once the batch has ended."),
}).meta({ id: "MessageBatch" });

export const messageBatchPageSchema = responseObject({
  data: responseArray(messageBatchSchema),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
}).meta({ id: "MessageBatchList" });

/** Returns the origin of the server's own URLs, as the client addressed it. */
export function readOrigin({ protocol, host }: Context): string {
  return `${protocol}://${host}`;
}

/** Returns a batch as Anthropic clients read it. @param origin of the server's own URL */
export function presentMessageBatch(batch: Batch, origin: string): z.infer<typeof messageBatchSchema> {
  const { id, lines, succeeded, errored, dropped, endTime, outputFileId, state } = batch;
  return {
    id,
    type: "message_batch",
    processing_status: endTime !== null ? "ended" : state === "cancelling" ? "canceling" : "in_progress",
    request_counts: {
      processing: endTime === null ? lines - succeeded - errored : 0,
      succeeded,
      errored,
      canceled: state === "cancelled" ? dropped : 0,
      expired: state === "expired" ? dropped : 0,
    },
    created_at: new Date(batch.createTime).toISOString(),
    expires_at: new Date(batch.expireTime).toISOString(),
    ended_at: timeText(endTime),
    cancel_initiated_at: timeText(batch.cancelTime),
    archived_at: null,
    results_url:
      endTime === null || outputFileId === null ? null : `${origin}/v1/messages/batches/${id}/results`,
  };
}

/** Returns a page of batches. */
export function presentMessageBatchPage(
  { batches, hasMore }: BatchPage,
  origin: string,
): z.infer<typeof messageBatchPageSchema> {
  return {
    data: batches.map((batch) => presentMessageBatch(batch, origin)),
    has_more: hasMore,
    first_id: batches[0]?.id ?? null,
    last_id: batches.at(-1)?.id ?? null,
  };
}

function timeText(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
