/**
 * The conversation of a response, from wire items to the house's own messages. What an assistant thought, said and called,
 * one item after another, is one message; a second text or a new thought begins the next. Pure.
 */
import type { Message, ToolCall } from "../../core/generation.js";
import { unsupported } from "../field-error.js";
import { wellFormed } from "../well-formed.js";
import type { InputItem, ItemContent, MessageItem, ReasoningInput } from "./item-schema.js";
import { unseal } from "./sealed.js";

/** Reads items in their order; calls of tools that ran elsewhere, and references that nobody resolved, are left out. */
export function messagesOf(items: readonly InputItem[]): readonly Message[] {
  const turns: (Draft | Message)[] = [];
  for (const item of items) {
    const last = turns.at(-1);
    const open = last !== undefined && "calls" in last ? last : null;
    const turn = isAnswer(item) ? addAnswer(open, item) : messageOf(item);
    if (turn !== null && turn !== last) turns.push(turn);
  }
  return turns.map((turn) => ("calls" in turn ? answerOf(turn) : turn));
}

/** A message of the assistant that is being put together. */
interface Draft {
  readonly reasoning: string[];
  content: string | null;
  name: string | null;
  readonly calls: ToolCall[];
}

type AnswerItem = Extract<InputItem, { type: "reasoning" | "function_call" | "message" }>;

function isAnswer(item: InputItem): item is AnswerItem {
  if (item.type === "message") return item.role === "assistant";
  return item.type === "reasoning" || item.type === "function_call";
}

/** @returns the draft that the item is in: the open one, or another that it begins; null where the item says nothing. */
function addAnswer(open: Draft | null, item: AnswerItem): Draft | null {
  if (item.type === "function_call") {
    const draft = open ?? newDraft();
    const { call_id: id, name, arguments: json } = item;
    draft.calls.push({ id: wellFormed(id), name: wellFormed(name), arguments: wellFormed(json) });
    return draft;
  }
  const thought = item.type === "reasoning" ? reasoningText(item) : null;
  if (thought === "") return null;
  const draft = open === null || open.content !== null || open.calls.length > 0 ? newDraft() : open;
  if (thought !== null) draft.reasoning.push(thought);
  else if (item.type === "message") {
    draft.content = textOf(item.content);
    draft.name = item.name ?? null;
  }
  return draft;
}

function newDraft(): Draft {
  return { reasoning: [], content: null, name: null, calls: [] };
}

function answerOf({ reasoning, content, name, calls }: Draft): Message {
  return {
    role: "assistant",
    content: content ?? "",
    ...named(name),
    ...(reasoning.length === 0 ? {} : { reasoning: reasoning.join("\n\n") }),
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
  };
}

function reasoningText({ content, summary, encrypted_content: sealed }: ReasoningInput): string {
  for (const parts of [content, summary]) {
    const text = (parts ?? []).map((part) => part.text).join("\n\n");
    if (text !== "") return wellFormed(text);
  }
  return wellFormed(unseal(sealed ?? "") ?? "");
}

function messageOf(item: InputItem): Message | null {
  switch (item.type) {
    case "message":
      return { role: roleOf(item), content: textOf(item.content), ...named(item.name) };
    case "function_call_output":
      return { role: "tool", content: textOf(item.output), toolCallId: wellFormed(item.call_id) };
    case "compaction":
      return {
        role: "system",
        content: `What was said before, in short:\n\n${unseal(item.encrypted_content) ?? ""}`,
      };
    default:
      return null;
  }
}

function roleOf({ role }: MessageItem): "system" | "user" {
  return role === "user" ? "user" : "system";
}

function named(name: string | null | undefined): { readonly name?: string } {
  return name == null || name === "" ? {} : { name: wellFormed(name) };
}

/** Parts follow one another without anything between them. */
function textOf(content: ItemContent): string {
  if (typeof content === "string") return wellFormed(content);
  const texts = content.map((part) => {
    if (part.type === "input_text" || part.type === "output_text") return part.text;
    if (part.type === "refusal") return part.refusal;
    throw unsupported("input", `content parts of the type '${part.type}' are`);
  });
  return wellFormed(texts.join(""));
}
