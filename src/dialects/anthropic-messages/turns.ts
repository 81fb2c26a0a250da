/**
 * The conversation of a messages request, from wire blocks to the house's own messages. Turns of one role that follow one
 * another are one turn. Blocks of people and tools are apart by an empty line; an answer's texts are one text. Pure.
 */
import type { Message, ToolCall } from "../../core/generation.js";
import { invalidValue, unsupported } from "../field-error.js";
import { prefixed, together, type Content, type Piece } from "../pieces.js";
import { wellFormed } from "../well-formed.js";
import type { BlockBody, MessageBody, MessagesRequestBody } from "./schema.js";

/** A conversation; where its last turn is the assistant's, that one is to be continued. */
export interface Conversed {
  readonly messages: readonly Message[];
  /** What the answer begins with, and which field says so; null when it begins anew. */
  readonly prefill: { readonly text: string; readonly param: string } | null;
}

interface PlacedBlock {
  readonly block: BlockBody;
  readonly param: string;
}

interface Turn {
  readonly role: MessageBody["role"];
  /** Of its last message. */
  readonly param: string;
  readonly blocks: readonly PlacedBlock[];
}

/**
 * Reads system prompt and messages.
 * @throws HearthError `invalid_value` naming the block that is not served, or the last turn when it cannot be continued.
 */
export function parseTurns({ system, messages }: MessagesRequestBody): Conversed {
  const told = messages.map(({ role, content }, index) => placed(role, content, `messages.${index}`));
  const turns = merged(system == null ? told : [placed("system", system, "system"), ...told]);
  const last = turns.at(-1);
  if (last?.role !== "assistant") return { messages: turns.flatMap(readTurn), prefill: null };
  return { messages: turns.slice(0, -1).flatMap(readTurn), prefill: readPrefill(last) };
}

function placed(role: Turn["role"], content: MessageBody["content"], param: string): Turn {
  if (typeof content === "string") return { role, param, blocks: [{ block: text(content), param }] };
  const at = param === "system" ? param : `${param}.content`;
  return { role, param, blocks: content.map((block, index) => ({ block, param: `${at}.${index}` })) };
}

function text(content: string): BlockBody {
  return { type: "text", text: content };
}

function merged(turns: readonly Turn[]): readonly Turn[] {
  const out: Turn[] = [];
  for (const turn of turns) {
    const last = out.at(-1);
    if (last?.role === turn.role) out[out.length - 1] = { ...turn, blocks: [...last.blocks, ...turn.blocks] };
    else out.push(turn);
  }
  return out;
}

function readTurn(turn: Turn): readonly Message[] {
  if (turn.role === "system") return [{ role: "system", ...paragraphs(turn.blocks.map(readPiece)) }];
  return turn.role === "user" ? readUser(turn) : [readAnswer(turn)];
}

/** Results of calls are messages of their own, in their place among the texts. */
function readUser({ blocks }: Turn): readonly Message[] {
  const messages: Message[] = [];
  let said: Piece[] = [];
  const flush = (): void => {
    const told = paragraphs(said);
    const isEmpty = told.content === "" && told.images === undefined;
    if (!isEmpty || messages.length === 0) messages.push({ role: "user", ...told });
    said = [];
  };
  for (const { block, param } of blocks) {
    if (block.type !== "tool_result") {
      said.push(readPiece({ block, param }));
      continue;
    }
    if (said.length > 0) flush();
    messages.push({
      role: "tool",
      ...readResult(block, param),
      toolCallId: wellFormed(block.tool_use_id),
    });
  }
  if (said.length > 0 || messages.length === 0) flush();
  return messages;
}

type ResultBody = Extract<BlockBody, { type: "tool_result" }>;

function readResult({ content, is_error: isError }: ResultBody, param: string): Content {
  const blocks = content == null ? [] : placed("user", content, param).blocks;
  const result = paragraphs(blocks.map(readPiece));
  if (isError !== true) return result;
  return result.content === "" && result.images === undefined
    ? { content: "Error" }
    : prefixed("Error: ", result);
}

/** What a person or a tool said, or showed, in one block. */
function readPiece({ block, param }: PlacedBlock): Piece {
  if (block.type === "text") return wellFormed(block.text);
  if (block.type === "image") return readImage(block, param);
  if (block.type !== "document") throw unsupported(param, `content blocks of the type '${block.type}' are`);
  const { source, title, context, citations } = block;
  if (citations?.enabled === true) throw unsupported(`${param}.citations`, "citations are");
  if (source.type !== "text")
    throw unsupported(`${param}.source`, `documents of the source type '${source.type}' are`);
  return wellFormed([title ?? "", context ?? "", source.data].filter((part) => part !== "").join("\n"));
}

type ImageBody = Extract<BlockBody, { type: "image" }>;

function readImage({ source }: ImageBody, param: string): Piece {
  switch (source.type) {
    case "base64": {
      const url = `data:${source.media_type};base64,${source.data}`;
      return { url, detail: "auto", param: `${param}.source.data` };
    }
    case "url":
      return { url: source.url, detail: "auto", param: `${param}.source.url` };
    case "file":
      throw unsupported(`${param}.source`, "images that were uploaded are");
  }
}

function paragraphs(pieces: readonly Piece[]): Content {
  return together(pieces, "\n\n");
}

/** Redacted thinking is of another server's making: nobody here can read it. */
function readAnswer({ blocks }: Turn): Message {
  const calls = blocks.flatMap(({ block }) => (block.type === "tool_use" ? [readCall(block)] : []));
  const reasoning = blocks.map(({ block }) => (block.type === "thinking" ? block.thinking : "")).join("");
  return {
    role: "assistant",
    content: wellFormed(answerText(blocks)),
    ...(reasoning === "" ? {} : { reasoning: wellFormed(reasoning) }),
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
  };
}

function readCall({ id, name, input }: Extract<BlockBody, { type: "tool_use" }>): ToolCall {
  return { id: wellFormed(id), name: wellFormed(name), arguments: wellFormed(JSON.stringify(input)) };
}

function answerText(blocks: readonly PlacedBlock[]): string {
  return blocks.map(({ block }) => (block.type === "text" ? block.text : "")).join("");
}

function readPrefill({ blocks, param }: Turn): Conversed["prefill"] {
  for (const { block, param: at } of blocks)
    if (block.type !== "text")
      throw invalidValue(at, `is a block of the type '${block.type}'; a last turn that is continued is text`);
  const begun = wellFormed(answerText(blocks));
  if (/\s$/.test(begun)) throw invalidValue(param, "must not end with white space, since it is continued");
  return begun === "" ? null : { text: begun, param };
}
