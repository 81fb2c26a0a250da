/**
 * Converts a conversation with tools to the form that a chat template expects. The expected form is read from the template's text where
 * possible, else taken from its family. Calls, results and definitions that the template does not support are written as plain text.
 */
import type { Message, Tool, ToolCall } from "../../../core/generation.js";
import type { ToolFamily } from "./family.js";
import { completeArguments, readArguments } from "./call-text.js";
import { callsAsText, definitionJson, definitionsAsText } from "./tools-as-text.js";

/** A message as it is passed to the template. */
export type TemplateMessage = Readonly<Record<string, unknown>>;

/** What a template supports, and the form in which it expects messages. */
export interface TemplateCapabilities {
  readonly writesCalls: boolean;
  readonly writesResults: boolean;
  readonly writesDefinitions: boolean;
  readonly takesSystem: boolean;
  readonly argumentsAsText: boolean;
  readonly oneCall: boolean;
  /** The fields of a message that contain its reasoning. */
  readonly reasoningKeys: readonly string[];
  /** Whether the reasoning is a part of the content instead. */
  readonly reasoningInParts: boolean;
}

/** Reads a template's capabilities from its text. @param toolsAsText whether everything about tools is written as plain text */
export function readTemplateCapabilities(
  template: string,
  family: ToolFamily,
  toolsAsText: boolean,
): TemplateCapabilities {
  const writesDefinitions = !toolsAsText && /\{[{%](?:(?!%\}|\}\})[^])*?\btools\b/.test(template);
  const reasoningKeys = ["reasoning_content", "thinking"].filter((key) =>
    new RegExp(`(?:\\.|["'])${key}\\b`).test(template),
  );
  return {
    writesCalls: !toolsAsText && template.includes("tool_calls"),
    writesResults: writesDefinitions || (!toolsAsText && /["'](?:tool|ipython)["']/.test(template)),
    writesDefinitions,
    takesSystem: !/system role not supported/i.test(template),
    argumentsAsText: argumentsAsText(template) ?? family.argumentsAsText === true,
    oneCall:
      family.oneCall === true ||
      /single tool.calls?/i.test(template) ||
      /tool_calls\s*\|\s*length\s*(?:!=|>)\s*1/.test(template),
    reasoningKeys: reasoningKeys.length === 0 ? ["reasoning_content"] : reasoningKeys,
    reasoningInParts: false,
  };
}

/** Returns the capabilities of the template without those for tools. */
export function inWords(capabilities: TemplateCapabilities): TemplateCapabilities {
  return { ...capabilities, writesCalls: false, writesResults: false, writesDefinitions: false };
}

/** Returns null where the template's text does not show it. */
function argumentsAsText(template: string): boolean | null {
  if (/arguments['"\]]*\s+is\s+(?:not\s+)?(?:string|mapping)/.test(template)) return false;
  return /arguments['"\]]*\s*\|\s*(?:tojson|items)/.test(template) ? false : null;
}

/** Returns the messages for the template; with definitions only if the template cannot write them itself. */
export function renderMessages(
  family: ToolFamily,
  capabilities: TemplateCapabilities,
  messages: readonly Message[],
  tools: readonly Tool[],
): readonly TemplateMessage[] {
  const ids = family.ids === undefined ? null : callIdsFor(messages, family.ids);
  const names = new Map(
    messages.flatMap(({ toolCalls = [] }) => toolCalls.map((call) => [call.id, call.name])),
  );
  const whole =
    family.separatesText === true && capabilities.writesCalls
      ? messages.flatMap(separateTextFromCalls)
      : messages;
  const ordered =
    capabilities.oneCall && capabilities.writesCalls
      ? moveResultsToCalls(whole.flatMap(splitParallelCalls))
      : whole;
  const asText = new Set<TemplateMessage>();
  const markAsText = (message: TemplateMessage): TemplateMessage => {
    asText.add(message);
    return message;
  };
  const rendered = ordered.map((message) => {
    if (message.role === "assistant") return assistantTurn(family, capabilities, message, ids);
    if (message.role === "tool" && !capabilities.writesResults)
      return markAsText(resultAsText(family, message));
    const { toolCallId } = message;
    const name = message.name ?? (toolCallId === undefined ? undefined : names.get(toolCallId));
    return {
      role: message.role,
      content: message.content,
      ...(name === undefined ? {} : { name }),
      ...(toolCallId === undefined ? {} : { tool_call_id: ids?.get(toolCallId) ?? toolCallId }),
    };
  });
  const defined = tools.length === 0 ? rendered : withDefinitions(family, capabilities, rendered, tools);
  const [first] = defined;
  if (!capabilities.takesSystem && first !== undefined && first !== rendered[0]) markAsText(first);
  return joinUserMessages(defined, asText);
}

function assistantTurn(
  family: ToolFamily,
  capabilities: TemplateCapabilities,
  message: Message,
  ids: ReadonlyMap<string, string> | null,
): TemplateMessage {
  const { content, name, reasoning, toolCalls = [] } = message;
  const rendered: Record<string, unknown> = { role: "assistant", content };
  if (name !== undefined) rendered["name"] = name;
  // With a call, templates for messages with headers accept either reasoning or text, not both.
  const keepsReasoning =
    reasoning !== undefined && !(family.messages === true && toolCalls.length > 0 && content !== "");
  const inParts = keepsReasoning && capabilities.reasoningInParts;
  if (keepsReasoning && !inParts) for (const key of capabilities.reasoningKeys) rendered[key] = reasoning;
  const withParts = (text: string): unknown => (inParts ? toParts(reasoning, text) : text);
  rendered["content"] = withParts(content);
  if (toolCalls.length === 0) return rendered;
  if (!capabilities.writesCalls) {
    const written = toolCalls.map((call) => ({ ...call, arguments: completeArguments(call.arguments) }));
    const calls = callsAsText(family.syntaxes[0], written);
    return { ...rendered, content: withParts(content === "" ? calls : `${content}\n${calls}`) };
  }
  if (content === "" && family.emptyContent === null && !inParts) rendered["content"] = null;
  rendered["tool_calls"] = toolCalls.map((call) => ({
    id: ids?.get(call.id) ?? call.id,
    type: "function",
    function: {
      name: call.name,
      arguments: capabilities.argumentsAsText ? completeArguments(call.arguments) : readArguments(call),
    },
  }));
  return rendered;
}

function toParts(reasoning: string, text: string): readonly object[] {
  const thinking = { type: "thinking", thinking: reasoning };
  return text === "" ? [thinking] : [thinking, { type: "text", text }];
}

function resultAsText({ resultMarks }: ToolFamily, { content }: Message): TemplateMessage {
  const [open, close] = resultMarks ?? ["<tool_response>\n", "\n</tool_response>"];
  return { role: "user", content: `${open}${content}${close}` };
}

function withDefinitions(
  family: ToolFamily,
  capabilities: TemplateCapabilities,
  rendered: readonly TemplateMessage[],
  tools: readonly Tool[],
): readonly TemplateMessage[] {
  if (capabilities.writesDefinitions && family.definitionsInSystem !== true) return rendered;
  const [first, ...others] = rendered;
  const system = first?.["role"] === "system" ? first : null;
  const rest = system === null ? rendered : others;
  const systemText = system === null ? "" : readContent(system);
  if (capabilities.writesDefinitions)
    return [
      { ...system, role: "system", content: systemText, tools: `[${tools.map(definitionJson).join(",")}]` },
      ...rest,
    ];
  const definitions = definitionsAsText(family.syntaxes[0], tools);
  const content = systemText === "" ? definitions : `${systemText}\n\n${definitions}`;
  return [{ ...system, role: capabilities.takesSystem ? "system" : "user", content }, ...rest];
}

function readContent({ content }: TemplateMessage): string {
  return typeof content === "string" ? content : "";
}

/** Joins messages that were converted to text with adjacent user messages, since such templates require alternating turns. */
function joinUserMessages(
  rendered: readonly TemplateMessage[],
  asText: ReadonlySet<TemplateMessage>,
): readonly TemplateMessage[] {
  const joined: TemplateMessage[] = [];
  let lastWasAsText = false;
  for (const message of rendered) {
    const last = joined.at(-1);
    const both = last?.["role"] === "user" && message["role"] === "user";
    if (both && (lastWasAsText || asText.has(message))) {
      joined[joined.length - 1] = { ...last, content: `${readContent(last)}\n\n${readContent(message)}` };
      lastWasAsText = true;
    } else {
      joined.push(message);
      lastWasAsText = asText.has(message);
    }
  }
  return joined;
}

/**
 * Rearranges conversations for templates that support less per turn. No content is dropped. Splits text and calls into two
 * messages, for templates that write calls only without text.
 */
function separateTextFromCalls(message: Message): readonly Message[] {
  if (message.content === "" || (message.toolCalls ?? []).length === 0) return [message];
  const { toolCalls, ...textOnly } = message;
  return [textOnly, { role: message.role, content: "", toolCalls }];
}

/** Splits a message into one message per call. */
function splitParallelCalls(message: Message): readonly Message[] {
  const { toolCalls = [], role } = message;
  if (toolCalls.length < 2) return [message];
  return toolCalls.map((call, index) =>
    index === 0 ? { ...message, toolCalls: [call] } : { role, content: "", toolCalls: [call] },
  );
}

/** Moves results directly after the calls they belong to. */
function moveResultsToCalls(turns: readonly Message[]): readonly Message[] {
  const calls = new Set(turns.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id)));
  const results = new Map<string, Message[]>();
  for (const turn of turns) {
    if (turn.role !== "tool" || turn.toolCallId === undefined || !calls.has(turn.toolCallId)) continue;
    results.set(turn.toolCallId, [...(results.get(turn.toolCallId) ?? []), turn]);
  }
  return turns.flatMap((turn) => {
    if (turn.role === "tool" && turn.toolCallId !== undefined && calls.has(turn.toolCallId)) return [];
    const answers = (turn.toolCalls ?? []).flatMap((call: ToolCall) => {
      const found = results.get(call.id) ?? [];
      results.delete(call.id);
      return found;
    });
    return [turn, ...answers];
  });
}

/** Returns call ids in the family's format; conversations with the same beginning get the same ids. */
function callIdsFor(messages: readonly Message[], style: "nine" | "numbered"): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  const addId = (id: string, name: string): void => {
    if (ids.has(id)) return;
    ids.set(id, style === "nine" ? ids.size.toString(36).padStart(9, "0") : `functions.${name}:${ids.size}`);
  };
  for (const { toolCalls = [], toolCallId, name } of messages) {
    for (const call of toolCalls) addId(call.id, call.name);
    if (toolCallId !== undefined) addId(toolCallId, name ?? "unknown");
  }
  return ids;
}
