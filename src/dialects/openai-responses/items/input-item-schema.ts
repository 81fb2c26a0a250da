/**
 * Schemas of the items of a conversation: those that clients send and those that are stored of requests and responses. Calls of
 * tools that a hosted service executed are stored unchanged and never read.
 */
import { z } from "zod";
import { mcpApprovalRequest, mcpApprovalResponse, mcpCall, mcpListTools } from "./mcp/input-items.js";
import { argumentsField, toArgumentsText, toResult } from "../../call-fields.js";
import { prefixField } from "../../generation/continuation.js";
import { soundPart } from "../../sound-part.js";
import { boundedArray } from "../../request-fields.js";

const partsMax = 10_000;
const annotationsMax = 100_000;
const toolsMax = 1_000;

const id = z.string().nullish();
const status = z.enum(["in_progress", "completed", "incomplete"]).nullish();
const opaque = boundedArray(z.unknown(), annotationsMax).nullish();

/** Detail level of an image. Stored items are not validated against it. */
export const imageDetail = z.enum(["auto", "low", "high", "original"]).nullish();

const part = z.discriminatedUnion("type", [
  z.object({ type: z.literal("input_text"), text: z.string() }),
  z.object({ type: z.literal("output_text"), text: z.string(), annotations: opaque, logprobs: opaque }),
  z.object({ type: z.literal("refusal"), refusal: z.string() }),
  z.object({
    type: z.literal("input_image"),
    image_url: z.string().nullish(),
    file_id: z.string().nullish(),
    detail: z.string().nullish(),
  }),
  z.object({ type: z.literal("input_video") }),
  z.object({
    type: z.literal("input_file"),
    file_data: z
      .string()
      .nullish()
      .describe("A text file in UTF-8 or a PDF file, as a data URL or in base64."),
    file_id: z.string().nullish().describe("An uploaded file of the key's team."),
    file_url: z.string().nullish().describe("http(s), if the operator allows it."),
    filename: z.string().nullish(),
  }),
  soundPart,
]);
const content = z.union([z.string(), boundedArray(part, partsMax)]);

const message = z.object({
  id,
  type: z.literal("message"),
  role: z.enum(["user", "assistant", "system", "developer"]),
  status,
  content,
  name: z.string().nullish(),
  prefix: prefixField,
  phase: z.enum(["commentary", "final_answer"]).nullish(),
});
const functionCall = z.object({
  id,
  type: z.literal("function_call"),
  call_id: z.string(),
  name: z.string(),
  namespace: z.string().nullish(),
  arguments: z.string(),
  status,
});
/** Calls of tools with a text input, and their results. */
const customCall = z.looseObject({
  id,
  type: z.literal("custom_tool_call"),
  call_id: z.string(),
  name: z.string(),
  namespace: z.string().nullish(),
  input: z.string(),
});
const customCallOutput = z.looseObject({
  id,
  type: z.literal("custom_tool_call_output"),
  call_id: z.string(),
  output: content,
});
const anyStatus = z.string().nullish();
/** Calls of tools with fields of their own, which are the arguments, and their results, which are text or JSON. */
const typedCall = z.looseObject({
  id,
  type: z.enum(["local_shell_call", "shell_call", "apply_patch_call", "tool_search_call"]),
  call_id: z.string().nullish(),
  status: anyStatus,
  action: z.unknown().optional(),
  operation: z.unknown().optional(),
  arguments: z.unknown().optional(),
  execution: z.string().nullish(),
});
const typedCallOutput = z.looseObject({
  id,
  type: z.enum(["local_shell_call_output", "shell_call_output", "apply_patch_call_output"]),
  call_id: z.string().nullish(),
  status: anyStatus,
  output: z.unknown().optional(),
});
const addedTools = boundedArray(z.unknown(), toolsMax);
/** Tools that become available in the course of the conversation. */
const toolSearchOutput = z.looseObject({
  id,
  type: z.literal("tool_search_output"),
  call_id: z.string().nullish(),
  status: anyStatus,
  execution: z.string().nullish(),
  tools: addedTools,
});
const additionalTools = z.looseObject({ id, type: z.literal("additional_tools"), tools: addedTools });
const functionCallOutput = z.object({
  id,
  type: z.literal("function_call_output"),
  call_id: z.string(),
  output: content,
  status,
});
const reasoning = z.object({
  id,
  type: z.literal("reasoning"),
  status,
  summary: boundedArray(z.object({ type: z.literal("summary_text"), text: z.string() }), partsMax).nullish(),
  content: boundedArray(
    z.object({ type: z.literal("reasoning_text"), text: z.string() }),
    partsMax,
  ).nullish(),
  encrypted_content: z.string().nullish(),
});
const reference = z.object({ id: z.string(), type: z.literal("item_reference") });
const compaction = z.object({ id, type: z.literal("compaction"), encrypted_content: z.string() });

/** A call that this or a hosted server has executed: the model knows what was drawn. */
const imageCall = z.looseObject({
  id,
  type: z.literal("image_generation_call"),
  status: anyStatus,
  result: z.string().nullish(),
  revised_prompt: z.string().nullish(),
  output_format: z.enum(["png", "jpeg", "webp"]).nullish().catch(null),
});

/** Items of tools that a hosted service executed. They are not passed to the model. */
const hostedToolItem = z.looseObject({
  id,
  type: z.enum([
    "web_search_call",
    "x_search_call",
    "file_search_call",
    "code_interpreter_call",
    "computer_call",
    "computer_call_output",
    "program",
    "program_output",
    "ghost_snapshot",
  ]),
});

/**
 * One item. `type` is optional for messages and for references, which have only an id. Arguments and results of calls have the forms of
 * chat completions, and are stored in the form of this API.
 */
export const inputItemSchema = z
  .preprocess(
    toItem,
    z.discriminatedUnion("type", [
      message,
      functionCall,
      functionCallOutput,
      reasoning,
      reference,
      compaction,
      customCall,
      customCallOutput,
      typedCall,
      typedCallOutput,
      toolSearchOutput,
      additionalTools,
      imageCall,
      mcpListTools,
      mcpCall,
      mcpApprovalRequest,
      mcpApprovalResponse,
      hostedToolItem,
    ]),
  )
  .meta({ id: "ResponseItem", description: "`type` is optional for messages and references." });

export type InputItem = z.infer<typeof inputItemSchema>;
export type MessageItem = Extract<InputItem, { type: "message" }>;
export type ItemContent = MessageItem["content"];
export type ItemPart = Exclude<ItemContent, string>[number];

function toItem(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const item = new Map<string, unknown>(Object.entries(value));
  if (item.get("type") == null) {
    const isReference = item.has("id") && !item.has("role") && !item.has("content");
    item.set("type", isReference ? "item_reference" : "message");
  }
  switch (item.get("type")) {
    case "function_call":
      item.set("arguments", toText(item.get("arguments")));
      break;
    case "custom_tool_call":
      item.set("input", toResult(item.get("input")));
      break;
    case "function_call_output":
    case "custom_tool_call_output":
      item.set("output", toResult(item.get("output")));
      break;
    case "message":
      if (item.get("role") === "assistant" && item.get("content") == null) item.set("content", "");
      break;
  }
  return Object.fromEntries(item);
}

function toText(given: unknown): unknown {
  const read = argumentsField.safeParse(given);
  return read.success ? toArgumentsText(read.data) : given;
}
