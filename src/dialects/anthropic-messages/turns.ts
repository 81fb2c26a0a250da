/**
 * Parses the conversation of a messages request. Adjacent turns of the same role are merged. Blocks of users and tools are
 * joined with an empty line; texts of the assistant are joined without a separator. Pure.
 */
import type { Message, MessageContent, ToolCall } from "../../core/generation.js";
import { mayRoundNumbers, memberTexts } from "../../core/json/member-texts.js";
import { toArgumentsText } from "../call-fields.js";
import { invalidValue, unsupported } from "../field-error.js";
import { withPrefix, joinParts, type MessageContentPart } from "../message-content.js";
import { wellFormed } from "../well-formed.js";
import { instruction, type CitedDocuments } from "./documents/cited.js";
import { RequestDocuments } from "./documents/read.js";
import type { LocatedBlock } from "./located-block.js";
import { blocksToLastResult, calledName, splitAtResults } from "./mcp/history.js";
import type { McpToolNames } from "./mcp/tools.js";
import type { BlockBody, MessageBody, MessagesRequestBody } from "./schema.js";

/** A conversation. If its last turn is the assistant's, the answer continues it. */
interface ParsedConversation {
  readonly messages: readonly Message[];
  /** The beginning of the answer and the field that contains it; null if there is none. */
  readonly prefill: { readonly text: string; readonly param: string } | null;
  /** The documents that the answer may cite. */
  readonly documents: CitedDocuments;
}

interface Turn {
  readonly role: MessageBody["role"];
  /** The field of the turn's last message. */
  readonly param: string;
  readonly blocks: readonly LocatedBlock[];
}

/**
 * Parses the system prompt and the messages.
 * @param bodyText the JSON text of the body if it may have numbers that JSON.parse rounds; the inputs of calls keep them.
 * @param mcpTools the tools of MCP servers that the request offers.
 * @throws HearthError `invalid_value` that names an unsupported block, or the last turn if it cannot be continued.
 */
export function parseTurns(
  { system, messages }: MessagesRequestBody,
  bodyText: string | null = null,
  mcpTools: McpToolNames = new Map(),
): ParsedConversation {
  const given = messages.map(({ role, content }, index) => toTurn(role, content, `messages.${index}`));
  const whole = mergeTurns(system == null ? given : [toTurn("system", system, "system"), ...given]);
  const turns = mergeTurns(afterCompaction(whole));
  const last = turns.at(-1);
  for (const { block, param } of last?.blocks ?? [])
    if (block.type === "container_upload" && last?.role === "user")
      throw unsupported(`${param}.type`, "files for a container are");
  const inputs = inputTexts(turns, bodyText);
  const documents = new RequestDocuments();
  const calls: CallReading = { inputs, mcpTools };
  const read = (turn: Turn): readonly Message[] => readTurn(turn, calls, documents);
  const ending = last?.role === "assistant" ? splitLastTurn(last) : null;
  const prefill = ending === null ? null : readPrefill(ending.continued);
  const before = ending === null ? turns : [...turns.slice(0, -1), ...ending.before];
  const conversation = before.flatMap(read);
  const { cited } = documents;
  return {
    messages: cited.size === 0 ? conversation : withInstruction(conversation),
    prefill,
    documents: cited,
  };
}

/** Adds the instruction to cite to the first system message, or as one. */
function withInstruction(messages: readonly Message[]): readonly Message[] {
  const [first, ...others] = messages;
  if (first?.role !== "system") return [{ role: "system", content: instruction }, ...messages];
  return [{ ...first, content: `${first.content}\n\n${instruction}` }, ...others];
}

/** The JSON texts of the inputs of tool calls, by the field of the call. */
type InputTexts = ReadonlyMap<string, string>;

/** What calls are read with. */
interface CallReading {
  readonly inputs: InputTexts;
  readonly mcpTools: McpToolNames;
}

/** An answer is continued after the last result of an MCP server in it: what comes before is part of the conversation. */
function splitLastTurn(turn: Turn): { readonly before: readonly Turn[]; readonly continued: Turn } {
  const count = blocksToLastResult(turn.blocks);
  const before = count === 0 ? [] : [{ ...turn, blocks: turn.blocks.slice(0, count) }];
  return { before, continued: { ...turn, blocks: turn.blocks.slice(count) } };
}

function inputTexts(turns: readonly Turn[], bodyText: string | null): InputTexts {
  if (bodyText === null) return new Map();
  const calls = turns.flatMap(({ blocks }) =>
    blocks.filter(
      ({ block }) =>
        (block.type === "tool_use" || block.type === "mcp_tool_use") && typeof block.input !== "string",
    ),
  );
  const texts = memberTexts(
    bodyText,
    calls.map(({ param }) => `${param}.input`),
  );
  return new Map(
    calls.flatMap(({ param }, index) => {
      const text = texts[index];
      return text !== undefined && mayRoundNumbers(text) ? [[param, text] as const] : [];
    }),
  );
}

function toTurn(role: Turn["role"], content: string | readonly BlockBody[], param: string): Turn {
  if (typeof content === "string") return { role, param, blocks: [{ block: text(content), param }] };
  const contentParam = param === "system" ? param : `${param}.content`;
  return {
    role,
    param,
    blocks: content.map((block, index) => ({ block, param: `${contentParam}.${index}` })),
  };
}

function text(content: string): BlockBody {
  return { type: "text", text: content };
}

function mergeTurns(turns: readonly Turn[]): readonly Turn[] {
  const merged: Turn[] = [];
  for (const turn of turns) {
    const last = merged.at(-1);
    if (last?.role === turn.role)
      merged[merged.length - 1] = { ...turn, blocks: [...last.blocks, ...turn.blocks] };
    else merged.push(turn);
  }
  return merged;
}

/** Returns the turns with the last summary in place of what it summarizes. System messages stay. */
function afterCompaction(turns: readonly Turn[]): readonly Turn[] {
  const at = turns.findLastIndex(({ blocks }) => blocks.some(isSummary));
  const turn = turns[at];
  if (turn === undefined) return turns;
  const place = turn.blocks.findLastIndex(isSummary);
  const summary = turn.blocks[place];
  const content = summary?.block.type === "compaction" ? (summary.block.content ?? "") : "";
  const rest = turn.blocks.slice(place + 1);
  return [
    ...turns.slice(0, at).filter(({ role }) => role === "system"),
    toTurn("user", `${summaryHeading}\n\n${content}`, turn.param),
    ...(rest.length === 0 ? [] : [{ ...turn, blocks: rest }]),
    ...turns.slice(at + 1),
  ];
}

function isSummary({ block }: LocatedBlock): boolean {
  return block.type === "compaction" && (block.content ?? "") !== "";
}

const summaryHeading = "This conversation was summarized. The summary of everything before:";

function readTurn(turn: Turn, reading: CallReading, documents: RequestDocuments): readonly Message[] {
  if (turn.role === "system") return readSystemTurn(turn, documents);
  return turn.role === "user" ? readUserTurn(turn, documents) : readAssistantTurn(turn, reading);
}

/** Changes of the tools are not part of the text. */
function readSystemTurn({ blocks }: Turn, documents: RequestDocuments): readonly Message[] {
  const texts = blocks.filter(({ block }) => block.type === "text");
  return blocks.length > 0 && texts.length === 0
    ? []
    : [{ role: "system", ...joinParagraphs(texts.map((part) => readPart(part, documents))) }];
}

/** Each tool result becomes a separate message, in the order of the blocks. */
function readUserTurn({ blocks }: Turn, documents: RequestDocuments): readonly Message[] {
  const messages: Message[] = [];
  let parts: MessageContentPart[] = [];
  const flush = (): void => {
    const content = joinParagraphs(parts);
    const isEmpty = content.content === "" && content.images === undefined;
    if (!isEmpty || messages.length === 0) messages.push({ role: "user", ...content });
    parts = [];
  };
  for (const { block, param } of blocks) {
    if (block.type === "container_upload") continue;
    if (block.type !== "tool_result") {
      parts.push(readPart({ block, param }, documents));
      continue;
    }
    if (parts.length > 0) flush();
    messages.push({
      role: "tool",
      ...readToolResult(block, param, documents),
      toolCallId: wellFormed(block.tool_use_id),
    });
  }
  if (parts.length > 0 || messages.length === 0) flush();
  return messages;
}

type ResultBody = Extract<BlockBody, { type: "tool_result" }>;

function readToolResult(
  { content, is_error: isError }: ResultBody,
  param: string,
  documents: RequestDocuments,
): MessageContent {
  const blocks = content == null ? [] : toTurn("user", content, param).blocks;
  const result = joinParagraphs(blocks.map((part) => readPart(part, documents)));
  if (isError !== true) return result;
  return result.content === "" && result.images === undefined
    ? { content: "Error" }
    : withPrefix("Error: ", result);
}

/** Reads a block of a user or a tool. */
function readPart({ block, param }: LocatedBlock, documents: RequestDocuments): MessageContentPart {
  if (block.type === "text") return wellFormed(block.text);
  if (block.type === "image") return readImage(block, param);
  if (block.type === "tool_reference") return wellFormed(`The tool ${block.tool_name} is available now.`);
  if (block.type === "browser_state") {
    const { type: _type, cache_control: _cache, ...state } = block;
    return wellFormed(JSON.stringify(state));
  }
  if (block.type === "search_result")
    return wellFormed([block.title, block.source, ...block.content.map(({ text }) => text)].join("\n"));
  if (block.type !== "document") throw unsupported(param, `content blocks of the type '${block.type}' are`);
  return documents.read(block, param);
}

type ImageBody = Extract<BlockBody, { type: "image" }>;

function readImage({ source }: ImageBody, param: string): MessageContentPart {
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

function joinParagraphs(parts: readonly MessageContentPart[]): MessageContent {
  return joinParts(parts, "\n\n");
}

function readAssistantTurn({ blocks }: Turn, reading: CallReading): readonly Message[] {
  return splitAtResults(blocks).flatMap((part) => [assistantMessage(part.blocks, reading), ...part.results]);
}

/** Redacted thinking, which another server encrypted, and blocks of Anthropic's servers are ignored. */
function assistantMessage(blocks: readonly LocatedBlock[], { inputs, mcpTools }: CallReading): Message {
  const calls = blocks.flatMap(({ block, param }) => {
    if (block.type === "tool_use") return [readToolCall(block, block.name, inputs.get(param))];
    if (block.type !== "mcp_tool_use") return [];
    return [readToolCall(block, calledName(block, mcpTools), inputs.get(param))];
  });
  const reasoning = blocks.map(({ block }) => (block.type === "thinking" ? block.thinking : "")).join("");
  return {
    role: "assistant",
    content: wellFormed(answerText(blocks)),
    reasoning: wellFormed(reasoning) || undefined,
    toolCalls: calls.length === 0 ? undefined : calls,
  };
}

type CallBody = Extract<BlockBody, { type: "tool_use" | "mcp_tool_use" }>;

/**
 * @param name of the tool for the model
 * @param inputText the JSON text of the input if it may have numbers that the input does not keep.
 */
function readToolCall({ id, input }: CallBody, name: string, inputText?: string): ToolCall {
  const json = inputText ?? toArgumentsText(input);
  return { id: wellFormed(id), name: wellFormed(name), arguments: wellFormed(json) };
}

function answerText(blocks: readonly LocatedBlock[]): string {
  return blocks.map(({ block }) => (block.type === "text" ? block.text : "")).join("");
}

function readPrefill({ blocks, param }: Turn): ParsedConversation["prefill"] {
  for (const { block, param: at } of blocks)
    if (block.type !== "text" && block.type !== "mcp_tool_listing")
      throw invalidValue(at, `is a block of the type '${block.type}'; only text can be continued`);
  const prefill = wellFormed(answerText(blocks));
  if (/\s$/.test(prefill)) throw invalidValue(param, "must not end with white space, since it is continued");
  return prefill === "" ? null : { text: prefill, param };
}
