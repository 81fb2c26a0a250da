/**
 * The conversation of a response, from wire items to the house's own messages. What an assistant thought, said and called,
 * one item after another, is one message; a second text or a new thought begins the next. Pure.
 */
import type { Message, ToolCall } from "../../../core/generation.js";
import { unsupported } from "../../field-error.js";
import { detailOf, together, type Content, type Piece } from "../../pieces.js";
import { wellFormed } from "../../well-formed.js";
import {
  imageDetail,
  type InputItem,
  type ItemContent,
  type ItemPart,
  type MessageItem,
  type ReasoningInput,
} from "./item-schema.js";
import { unseal } from "./sealed.js";

/**
 * Reads items in their order; calls of tools that ran elsewhere, and references that nobody resolved, are left out.
 * @param before how many of the items are not the request's own.
 */
export function messagesOf(items: readonly InputItem[], before: number): readonly Message[] {
  const turns: (Draft | Message)[] = [];
  for (const [index, item] of items.entries()) {
    const last = turns.at(-1);
    const open = last !== undefined && "calls" in last ? last : null;
    const param = index < before ? "previous_response_id" : `input.${index - before}`;
    const turn = isAnswer(item) ? addAnswer(open, item) : messageOf(item, param);
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
    draft.content = contentOf(item.content, "input").content;
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

function messageOf(item: InputItem, param: string): Message | null {
  switch (item.type) {
    case "message":
      return { role: roleOf(item), ...contentOf(item.content, `${param}.content`), ...named(item.name) };
    case "function_call_output": {
      const result = contentOf(item.output, `${param}.output`);
      return { role: "tool", ...result, toolCallId: wellFormed(item.call_id) };
    }
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
function contentOf(content: ItemContent, param: string): Content {
  if (typeof content === "string") return { content: wellFormed(content) };
  return together(content.map((part, index) => pieceOf(part, `${param}.${index}`)));
}

function pieceOf(part: ItemPart, param: string): Piece {
  if (part.type === "input_text" || part.type === "output_text") return part.text;
  if (part.type === "refusal") return part.refusal;
  if (part.type === "input_image" && part.image_url != null) {
    const detail = imageDetail.safeParse(part.detail).data;
    return { url: part.image_url, detail: detailOf(detail), param: `${param}.image_url` };
  }
  throw unsupported("input", `content parts of the type '${part.type}' are`);
}
