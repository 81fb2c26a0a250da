/**
 * Converts the items of a conversation to messages. Adjacent reasoning, text and tool calls of the assistant form one message;
 * a second text, or reasoning after a text or a call, starts the next one. Pure.
 */
import type { Message, MessageContent, ToolCall } from "../../../core/generation.js";
import { drawnText, resultImage } from "../../../core/tools/server-call.js";
import { invalidValue, unsupported } from "../../field-error.js";
import { chooseImageDetail, joinParts, type MessageContentPart } from "../../message-content.js";
import { readSoundPart } from "../../sound-part.js";
import { readTextFile } from "../../text-file.js";
import { wellFormed } from "../../well-formed.js";
import { imageGenerationTool } from "../tools/server-tools.js";
import {
  imageDetail,
  type InputItem,
  type ItemContent,
  type ItemPart,
  type MessageItem,
} from "./input-item-schema.js";
import { mcpExchanges } from "./mcp/history.js";
import { type CallForms, modelName } from "../tools/call-forms.js";
import { decodeOpaque } from "./opaque-text.js";
import { textArguments } from "../../client-tools/text-input.js";

type ReasoningInput = Extract<InputItem, { type: "reasoning" }>;

type ImageCallInput = Extract<InputItem, { type: "image_generation_call" }>;

/** Stands before the summary of earlier items. */
export const summaryHeading = "What was said before, in short:\n\n";

/** The first items of a conversation, which are not in the request itself. */
export interface EarlierItems {
  readonly count: number;
  /** The field of the request that names them. */
  readonly field: string;
}

/**
 * Converts items in order. A compaction replaces what comes before it, except instructions. Calls of tools that a hosted service executed and unresolved references are skipped.
 * @throws HearthError `invalid_value` for the result of a call that is not there
 */
export function itemsToMessages(
  items: readonly InputItem[],
  earlier: EarlierItems,
  callForms: CallForms,
): readonly Message[] {
  const exchanges = mcpExchanges(items, callForms);
  const turns: (Draft | Message)[] = [];
  const calls = new Set<string>();
  const compacted = items.findLastIndex(({ type }) => type === "compaction");
  for (const [index, item] of items.entries()) {
    if (index < compacted && !isInstruction(item)) continue;
    const last = turns.at(-1);
    const open = last !== undefined && "calls" in last ? last : null;
    const param = index < earlier.count ? earlier.field : `input.${index - earlier.count}`;
    if (isCall(item)) calls.add(item.call_id ?? item.id ?? "");
    else if (isFunctionResult(item) && !calls.has(item.call_id))
      throw invalidValue(
        `${param}.call_id`,
        `no tool call with the id ${item.call_id.slice(0, 64)} comes before it`,
      );
    if (item.type === "image_generation_call") {
      const { call, result } = imageCallTurn(item);
      if (open === null) turns.push({ ...newDraft(), calls: [call] });
      else open.calls.push(call);
      turns.push(result);
      continue;
    }
    const exchange = exchanges.get(index);
    if (exchange !== undefined) {
      const draft = open ?? newDraft();
      draft.calls.push(exchange.call);
      turns.push(...(draft === open ? [] : [draft]), exchange.result);
      continue;
    }
    const turn = isAssistantItem(item) ? addToDraft(open, item) : toMessage(item, param);
    if (turn !== null && turn !== last) turns.push(turn);
  }
  return turns.map((turn) => ("calls" in turn ? toAssistantMessage(turn) : turn));
}

function isInstruction(item: InputItem): boolean {
  return item.type === "message" && (item.role === "system" || item.role === "developer");
}

function isFunctionResult(
  item: InputItem,
): item is Extract<InputItem, { type: "function_call_output" | "custom_tool_call_output" }> {
  return item.type === "function_call_output" || item.type === "custom_tool_call_output";
}

/** A message of the assistant under construction. */
interface Draft {
  readonly reasoning: string[];
  content: string | null;
  name: string | null;
  readonly calls: ToolCall[];
}

type AssistantItem = Extract<InputItem, { type: "reasoning" | "message" }> | CallInput;

function isAssistantItem(item: InputItem): item is AssistantItem {
  if (item.type === "message") return item.role === "assistant";
  return item.type === "reasoning" || isCall(item);
}

/** @returns the draft that contains the item: the open one or a new one; null if the item is empty. */
function addToDraft(open: Draft | null, item: AssistantItem): Draft | null {
  if (isCall(item)) {
    const draft = open ?? newDraft();
    draft.calls.push(toToolCall(item));
    return draft;
  }
  const reasoning = item.type === "reasoning" ? reasoningText(item) : null;
  if (reasoning === "") return null;
  const draft = open === null || open.content !== null || open.calls.length > 0 ? newDraft() : open;
  if (reasoning !== null) draft.reasoning.push(reasoning);
  else if (item.type === "message") {
    draft.content = toContent(item.content, "input").content;
    draft.name = item.name ?? null;
  }
  return draft;
}

function newDraft(): Draft {
  return { reasoning: [], content: null, name: null, calls: [] };
}

function toAssistantMessage({ reasoning, content, name, calls }: Draft): Message {
  return {
    role: "assistant",
    content: content ?? "",
    name: toName(name),
    reasoning: reasoning.length === 0 ? undefined : reasoning.join("\n\n"),
    toolCalls: calls.length === 0 ? undefined : calls,
  };
}

function reasoningText({ content, summary, encrypted_content: encrypted }: ReasoningInput): string {
  for (const parts of [content, summary]) {
    const text = (parts ?? []).map((part) => part.text).join("\n\n");
    if (text !== "") return wellFormed(text);
  }
  return wellFormed(decodeOpaque(encrypted ?? "") ?? "");
}

function toMessage(item: InputItem, param: string): Message | null {
  switch (item.type) {
    case "message":
      return {
        role: toRole(item),
        ...toContent(item.content, `${param}.content`),
        name: toName(item.name),
      };
    case "function_call_output":
    case "custom_tool_call_output": {
      const result = toContent(item.output, `${param}.output`);
      return { role: "tool", ...result, toolCallId: wellFormed(item.call_id) };
    }
    case "local_shell_call_output":
    case "shell_call_output":
    case "apply_patch_call_output":
    case "tool_search_output":
      return {
        role: "tool",
        content: resultText(item),
        toolCallId: wellFormed(item.call_id ?? item.id ?? ""),
      };
    case "compaction":
      return {
        role: "system",
        content: summaryHeading + (decodeOpaque(item.encrypted_content) ?? ""),
      };
    default:
      return null;
  }
}

function toRole({ role }: MessageItem): "system" | "user" {
  return role === "user" ? "user" : "system";
}

function toName(name: string | null | undefined): string | undefined {
  return wellFormed(name ?? "") || undefined;
}

/** Parts are joined without a separator. */
function toContent(content: ItemContent, param: string): MessageContent {
  if (typeof content === "string") return { content: wellFormed(content) };
  return joinParts(content.map((part, index) => toContentPart(part, `${param}.${index}`)));
}

function toContentPart(part: ItemPart, param: string): MessageContentPart {
  if (part.type === "input_text" || part.type === "output_text") return part.text;
  if (part.type === "refusal") return part.refusal;
  if (part.type === "input_image" && part.image_url != null) {
    const detail = imageDetail.safeParse(part.detail).data;
    return { url: part.image_url, detail: chooseImageDetail(detail), param: `${param}.image_url` };
  }
  if (part.type === "input_file" && part.file_data != null)
    return readTextFile({ data: part.file_data, filename: part.filename }, `${param}.file_data`);
  if (part.type === "input_audio") return readSoundPart(part, param);
  throw unsupported("input", `content parts of the type '${part.type}' are`);
}

const notDrawnText = "The image was not drawn.";

/** An image that the server did not draw has the text of its call only if the item has it. */
function imageCallTurn({
  id,
  result: base64,
  revised_prompt: prompt,
  output_format: format,
}: ImageCallInput): { readonly call: ToolCall; readonly result: Message } {
  const callId = wellFormed(id ?? "");
  const isDrawn = base64 != null && base64 !== "";
  const content = isDrawn ? drawnText : notDrawnText;
  return {
    call: {
      id: callId,
      name: imageGenerationTool.name,
      arguments: JSON.stringify({ prompt: wellFormed(prompt ?? "") }),
    },
    result: {
      role: "tool",
      content,
      toolCallId: callId,
      images: isDrawn ? [resultImage({ base64, format: format ?? "png" }, content)] : undefined,
    },
  };
}

// Converts the calls and results of tools in a conversation to calls and results of functions, as the model knows them. Pure.

type TypedCallInput = Extract<
  InputItem,
  { type: "local_shell_call" | "shell_call" | "apply_patch_call" | "tool_search_call" }
>;
type CallInput = Extract<InputItem, { type: "function_call" | "custom_tool_call" }> | TypedCallInput;

const callTypes: ReadonlySet<string> = new Set<CallInput["type"]>([
  "function_call",
  "custom_tool_call",
  "local_shell_call",
  "shell_call",
  "apply_patch_call",
  "tool_search_call",
]);

/** A search that a hosted service executed is not one. */
function isCall(item: InputItem): item is CallInput {
  return callTypes.has(item.type) && !isHostedSearch(item);
}

function isHostedSearch(item: InputItem): boolean {
  return item.type === "tool_search_call" && item.execution === "server";
}

function toToolCall(item: CallInput): ToolCall {
  const id = wellFormed(item.call_id ?? item.id ?? "");
  if (item.type === "function_call" || item.type === "custom_tool_call") {
    const json = item.type === "function_call" ? item.arguments : textArguments(wellFormed(item.input));
    return { id, name: wellFormed(modelName(item.name, item.namespace)), arguments: wellFormed(json) };
  }
  return { id, name: item.type.replace(/_call$/, ""), arguments: wellFormed(typedArguments(item)) };
}

/** Returns the fields that the client knows as the arguments that the model wrote. */
function typedArguments({ type, action, operation, arguments: searched }: TypedCallInput): string {
  const fields = type === "tool_search_call" ? searched : type === "apply_patch_call" ? operation : action;
  if (typeof fields === "string") return fields;
  if (typeof fields !== "object" || fields === null) return "{}";
  const given = Object.entries(fields).filter(([, value]) => value !== null);
  const written =
    type === "local_shell_call" ? given.filter(([name]) => !["type", "env", "user"].includes(name)) : given;
  return JSON.stringify(Object.fromEntries(written));
}

type TypedResult = Extract<
  InputItem,
  { type: "local_shell_call_output" | "shell_call_output" | "apply_patch_call_output" | "tool_search_output" }
>;

/** Returns a result as the text that the model reads. */
function resultText(item: TypedResult): string {
  if (item.type === "tool_search_output") return wellFormed(`Available tools: ${toolNames(item.tools)}`);
  const { output, status } = item;
  const text = typeof output === "string" ? output : (JSON.stringify(output ?? null) ?? "");
  if (item.type !== "apply_patch_call_output") return wellFormed(text);
  const outcome = output == null || text === "" ? "" : `: ${text}`;
  return wellFormed(`${status ?? "completed"}${outcome}`);
}

function toolNames(tools: readonly unknown[]): string {
  const names = tools.flatMap((tool): string[] => {
    if (typeof tool !== "object" || tool === null || !("name" in tool) || typeof tool.name !== "string")
      return [];
    const { name } = tool;
    if (!("tools" in tool) || !Array.isArray(tool.tools)) return [name];
    return tool.tools.map((inner: unknown) => modelName(readName(inner), name));
  });
  return names.length === 0 ? "none" : names.join(", ");
}

function readName(tool: unknown): string {
  return typeof tool === "object" && tool !== null && "name" in tool && typeof tool.name === "string"
    ? tool.name
    : "";
}
