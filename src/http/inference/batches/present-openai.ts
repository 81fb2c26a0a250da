/** The shape of batches for OpenAI clients. */
import { z } from "zod";
import {
  countField,
  responseArray,
  responseObject,
  unixSecondsField,
} from "../../../dialects/response-fields.js";
import type { Batch, BatchError, BatchPage } from "../../../jobs/batches/batch.js";

const secondsOrNull = unixSecondsField.nullable();

export const batchSchema = responseObject({
  id: z.string(),
  object: z.literal("batch"),
  endpoint: z.string(),
  errors: responseObject({
    object: z.literal("list"),
    data: responseArray(
      responseObject({
        code: z.string(),
        message: z.string(),
        param: z.string().nullable(),
        line: z.number().nullable().describe("Line of the input file, counted from 1."),
      }),
    ),
  }).nullable(),
  input_file_id: z.string(),
  completion_window: z.literal("24h"),
  status: z.enum([
    "validating",
    "in_progress",
    "finalizing",
    "cancelling",
    "completed",
    "failed",
    "expired",
    "cancelled",
  ]),
  output_file_id: z.string().nullable(),
  error_file_id: z.string().nullable(),
  created_at: unixSecondsField,
  in_progress_at: secondsOrNull,
  expires_at: unixSecondsField,
  finalizing_at: secondsOrNull,
  completed_at: secondsOrNull,
  failed_at: secondsOrNull,
  expired_at: secondsOrNull,
  cancelling_at: secondsOrNull,
  cancelled_at: secondsOrNull,
  request_counts: responseObject({
    total: countField("Requests of the batch."),
    completed: countField("Requests with an answer."),
    failed: countField("Requests with an error."),
  }),
  usage: responseObject({
    input_tokens: countField("Tokens of all prompts."),
    input_tokens_details: responseObject({
      cached_tokens: countField("The part of these tokens that was cached."),
    }),
    output_tokens: countField("Tokens of all answers."),
    output_tokens_details: responseObject({ reasoning_tokens: countField("Tokens of reasoning.") }),
    total_tokens: countField("Both together."),
  }),
  metadata: z.record(z.string(), z.string()).nullable(),
}).meta({ id: "Batch" });

export const batchPageSchema = responseObject({
  object: z.literal("list"),
  data: responseArray(batchSchema),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
}).meta({ id: "BatchList" });

/** A batch; times are in seconds. */
export type WireBatch = z.infer<typeof batchSchema>;

/** Returns a batch as OpenAI clients read it. */
export function presentBatch(batch: Batch): WireBatch {
  const { promptTokens, completionTokens, state, endTime } = batch;
  const endedAs = (final: Batch["state"]): number | null => (state === final ? seconds(endTime) : null);
  return {
    id: batch.id,
    object: "batch",
    endpoint: batch.endpoint,
    errors:
      batch.errors === null
        ? null
        : { object: "list", data: JSON.parse(batch.errors) as readonly BatchError[] },
    input_file_id: batch.inputFileId ?? "",
    completion_window: "24h",
    status: state,
    output_file_id: batch.outputFileId,
    error_file_id: batch.errorFileId,
    created_at: Math.floor(batch.createTime / 1000),
    in_progress_at: seconds(batch.startTime),
    expires_at: Math.floor(batch.expireTime / 1000),
    finalizing_at: seconds(batch.finalizeTime),
    completed_at: endedAs("completed"),
    failed_at: endedAs("failed"),
    expired_at: endedAs("expired"),
    cancelling_at: seconds(batch.cancelTime),
    cancelled_at: endedAs("cancelled"),
    request_counts: { total: batch.lines, completed: batch.succeeded, failed: batch.errored },
    usage: {
      input_tokens: promptTokens,
      input_tokens_details: { cached_tokens: batch.cachedTokens },
      output_tokens: completionTokens,
      output_tokens_details: { reasoning_tokens: batch.reasoningTokens },
      total_tokens: promptTokens + completionTokens,
    },
    metadata:
      batch.metadata === null ? null : (JSON.parse(batch.metadata) as Readonly<Record<string, string>>),
  };
}

/** Returns a page of batches. */
export function presentBatchPage({ batches, hasMore }: BatchPage): z.infer<typeof batchPageSchema> {
  return {
    object: "list",
    data: batches.map(presentBatch),
    first_id: batches[0]?.id ?? null,
    last_id: batches.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}

function seconds(time: number | null): number | null {
  return time === null ? null : Math.floor(time / 1000);
}
