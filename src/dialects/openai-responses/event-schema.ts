/** Schemas of the events of a streamed response. `sequence_number` counts from 0 without a gap. */
import { z } from "zod";
import {
  outputItemSchema,
  outputTextSchema,
  responseSchema,
  sampledLogprobSchema,
  summaryTextSchema,
} from "./response-schema.js";
import { mcpEvents } from "./items/mcp/output-items.js";

const itemPosition = { item_id: z.string(), output_index: z.int().min(0) };
const summaryPosition = { ...itemPosition, summary_index: z.int().min(0) };
const contentPosition = { ...itemPosition, content_index: z.int().min(0) };
const logprobs = z.array(sampledLogprobSchema).readonly();

/** An event of a streamed response. */
export const responseEventSchema = z
  .discriminatedUnion("type", [
    z.object({ ...eventFields("response.created"), response: responseSchema }).readonly(),
    z.object({ ...eventFields("response.queued"), response: responseSchema }).readonly(),
    z.object({ ...eventFields("response.in_progress"), response: responseSchema }).readonly(),
    z.object({ ...eventFields("response.completed"), response: responseSchema }).readonly(),
    z.object({ ...eventFields("response.incomplete"), response: responseSchema }).readonly(),
    z.object({ ...eventFields("response.failed"), response: responseSchema }).readonly(),
    z
      .object({
        ...eventFields("response.output_item.added"),
        output_index: z.int().min(0),
        item: outputItemSchema,
      })
      .readonly(),
    z
      .object({
        ...eventFields("response.output_item.done"),
        output_index: z.int().min(0),
        item: outputItemSchema,
      })
      .readonly(),
    z
      .object({
        ...eventFields("response.reasoning_summary_part.added"),
        ...summaryPosition,
        part: summaryTextSchema,
      })
      .readonly(),
    z
      .object({
        ...eventFields("response.reasoning_summary_text.delta"),
        ...summaryPosition,
        delta: z.string(),
      })
      .readonly(),
    z
      .object({
        ...eventFields("response.reasoning_summary_text.done"),
        ...summaryPosition,
        text: z.string(),
      })
      .readonly(),
    z
      .object({
        ...eventFields("response.reasoning_summary_part.done"),
        ...summaryPosition,
        part: summaryTextSchema,
      })
      .readonly(),
    z
      .object({ ...eventFields("response.content_part.added"), ...contentPosition, part: outputTextSchema })
      .readonly(),
    z
      .object({
        ...eventFields("response.output_text.delta"),
        ...contentPosition,
        delta: z.string(),
        logprobs,
      })
      .readonly(),
    z
      .object({ ...eventFields("response.output_text.done"), ...contentPosition, text: z.string(), logprobs })
      .readonly(),
    z
      .object({ ...eventFields("response.content_part.done"), ...contentPosition, part: outputTextSchema })
      .readonly(),
    z
      .object({
        ...eventFields("response.function_call_arguments.delta"),
        ...itemPosition,
        delta: z.string(),
      })
      .readonly(),
    z
      .object({
        ...eventFields("response.function_call_arguments.done"),
        ...itemPosition,
        name: z.string(),
        arguments: z.string(),
      })
      .readonly(),
    z
      .object({
        ...eventFields("response.custom_tool_call_input.delta"),
        ...itemPosition,
        delta: z.string(),
      })
      .readonly(),
    z
      .object({
        ...eventFields("response.custom_tool_call_input.done"),
        ...itemPosition,
        input: z.string(),
      })
      .readonly(),
    z.object({ ...eventFields("response.image_generation_call.in_progress"), ...itemPosition }).readonly(),
    z.object({ ...eventFields("response.image_generation_call.generating"), ...itemPosition }).readonly(),
    z.object({ ...eventFields("response.image_generation_call.completed"), ...itemPosition }).readonly(),
    ...mcpEvents,
  ])
  .meta({ id: "ResponseEvent", description: "One event of a streamed response." });

/** Replaces the rest of a stream that failed. The error is both flat and nested, because clients read one or the other. */
export const responsesErrorEventSchema = z
  .object({
    ...eventFields("error"),
    code: z.string(),
    message: z.string(),
    param: z.string().nullable(),
    error: z
      .object({ type: z.string(), code: z.string(), message: z.string(), param: z.string().nullable() })
      .readonly(),
  })
  .readonly()
  .meta({ id: "ResponseErrorEvent", description: "Replaces the rest of a stream that failed." });

export type ResponseEvent = z.infer<typeof responseEventSchema>;

function eventFields<T extends string>(type: T) {
  return { type: z.literal(type), sequence_number: z.int().min(0) };
}
