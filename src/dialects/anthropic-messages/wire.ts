/** The shapes of a messages answer on the wire, streamed and whole. */
import { z } from "zod";
import { count, shape, shapes } from "../shape.js";

const stopReason = z.enum([
  "end_turn",
  "max_tokens",
  "stop_sequence",
  "tool_use",
  "model_context_window_exceeded",
]);

const counts = {
  input_tokens: count("Tokens of the prompt that had to be evaluated."),
  cache_creation_input_tokens: count("Always 0 here."),
  cache_read_input_tokens: count("Tokens of the prompt that had been evaluated before."),
  output_tokens: count("Tokens of the answer, thinking included."),
};
const usage = shape(counts).meta({ id: "MessageUsage" });

const textBlock = shape({ type: z.literal("text"), text: z.string() });
const thinkingBlock = shape({
  type: z.literal("thinking"),
  thinking: z.string(),
  signature: z.string().describe("Nothing is verified when it comes back."),
});
const toolUseBlock = shape({
  type: z.literal("tool_use"),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()).readonly(),
});
const contentBlock = z
  .discriminatedUnion("type", [textBlock, thinkingBlock, toolUseBlock])
  .meta({ id: "ContentBlock", description: "Text, thinking, or a tool call." });

export const message = shape({
  id: z.string(),
  type: z.literal("message"),
  role: z.literal("assistant"),
  model: z.string().describe("The model's id, whatever alias it was asked for by."),
  content: shapes(contentBlock),
  stop_reason: stopReason.nullable().describe("Null while the answer goes on."),
  stop_sequence: z.string().nullable().describe("The stop sequence that was met."),
  usage: shape({ ...counts, service_tier: z.literal("standard") }),
}).meta({ id: "Message", description: "An answer." });

const blockDelta = z.discriminatedUnion("type", [
  shape({ type: z.literal("text_delta"), text: z.string() }),
  shape({ type: z.literal("thinking_delta"), thinking: z.string() }),
  shape({ type: z.literal("signature_delta"), signature: z.string() }),
  shape({
    type: z.literal("input_json_delta"),
    partial_json: z.string().describe("All pieces together are the JSON of `input`."),
  }),
]);

const index = count("The block's place in the message.");
const ping = shape({ type: z.literal("ping") });

export const messageEvent = z
  .discriminatedUnion("type", [
    shape({ type: z.literal("message_start"), message }),
    ping,
    shape({ type: z.literal("content_block_start"), index, content_block: contentBlock }),
    shape({ type: z.literal("content_block_delta"), index, delta: blockDelta }),
    shape({ type: z.literal("content_block_stop"), index }),
    shape({
      type: z.literal("message_delta"),
      delta: shape({ stop_reason: stopReason, stop_sequence: z.string().nullable() }),
      usage,
    }),
    shape({ type: z.literal("message_stop") }),
  ])
  .meta({ id: "MessageEvent", description: "A piece of a streamed answer." });

export const tokenCount = shape({
  input_tokens: count("Tokens of the prompt, by the model's own template and tokenizer."),
}).meta({ id: "MessageTokenCount" });

export type MessageStopReason = z.infer<typeof stopReason>;
export type MessageUsage = z.infer<typeof usage>;
export type ContentBlock = z.infer<typeof contentBlock>;
export type Message = z.infer<typeof message>;
export type BlockDelta = z.infer<typeof blockDelta>;
export type MessageEvent = z.infer<typeof messageEvent>;
