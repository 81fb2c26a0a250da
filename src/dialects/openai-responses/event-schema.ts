/** The events of a streamed response on the wire, numbered from 0 without a gap. */
import { z } from "zod";
import {
  outputItemSchema,
  outputTextSchema,
  responseSchema,
  sampledLogprobSchema,
  summaryTextSchema,
} from "./wire.js";

const place = { item_id: z.string(), output_index: z.int().min(0) };
const summaryPlace = { ...place, summary_index: z.int().min(0) };
const contentPlace = { ...place, content_index: z.int().min(0) };
const logprobs = z.array(sampledLogprobSchema).readonly();

/** What a stream tells of its response. */
export const responseEventSchema = z
  .discriminatedUnion("type", [
    z.object({ ...told("response.created"), response: responseSchema }).readonly(),
    z.object({ ...told("response.queued"), response: responseSchema }).readonly(),
    z.object({ ...told("response.in_progress"), response: responseSchema }).readonly(),
    z.object({ ...told("response.completed"), response: responseSchema }).readonly(),
    z.object({ ...told("response.incomplete"), response: responseSchema }).readonly(),
    z.object({ ...told("response.failed"), response: responseSchema }).readonly(),
    z
      .object({ ...told("response.output_item.added"), output_index: z.int().min(0), item: outputItemSchema })
      .readonly(),
    z
      .object({ ...told("response.output_item.done"), output_index: z.int().min(0), item: outputItemSchema })
      .readonly(),
    z
      .object({ ...told("response.reasoning_summary_part.added"), ...summaryPlace, part: summaryTextSchema })
      .readonly(),
    z
      .object({ ...told("response.reasoning_summary_text.delta"), ...summaryPlace, delta: z.string() })
      .readonly(),
    z
      .object({ ...told("response.reasoning_summary_text.done"), ...summaryPlace, text: z.string() })
      .readonly(),
    z
      .object({ ...told("response.reasoning_summary_part.done"), ...summaryPlace, part: summaryTextSchema })
      .readonly(),
    z.object({ ...told("response.content_part.added"), ...contentPlace, part: outputTextSchema }).readonly(),
    z
      .object({ ...told("response.output_text.delta"), ...contentPlace, delta: z.string(), logprobs })
      .readonly(),
    z
      .object({ ...told("response.output_text.done"), ...contentPlace, text: z.string(), logprobs })
      .readonly(),
    z.object({ ...told("response.content_part.done"), ...contentPlace, part: outputTextSchema }).readonly(),
    z.object({ ...told("response.function_call_arguments.delta"), ...place, delta: z.string() }).readonly(),
    z
      .object({
        ...told("response.function_call_arguments.done"),
        ...place,
        name: z.string(),
        arguments: z.string(),
      })
      .readonly(),
  ])
  .meta({ id: "ResponseEvent", description: "A piece of a streamed response." });

/** What stands in place of the rest of a stream that cannot be told to its end: flat and nested, for clients of either form. */
export const responsesErrorEventSchema = z
  .object({
    ...told("error"),
    code: z.string(),
    message: z.string(),
    param: z.string().nullable(),
    error: z
      .object({ type: z.string(), code: z.string(), message: z.string(), param: z.string().nullable() })
      .readonly(),
  })
  .readonly()
  .meta({ id: "ResponseErrorEvent", description: "Stands in place of the rest of a stream that failed." });

export type ResponseEvent = z.infer<typeof responseEventSchema>;
export type ResponsesErrorEvent = z.infer<typeof responsesErrorEventSchema>;

function told<T extends string>(type: T) {
  return { type: z.literal(type), sequence_number: z.int().min(0) };
}
