/**
 * A conversation with tools as a chat template takes it. What a template wants is read off its text where that tells, else
 * off its family; where it has no place for calls, results or definitions they are put into words.
 */
import type { Message, Tool } from "../../../core/generation.js";
import type { ToolFamily } from "./family.js";
import { parsedOr, spokenCalls, spokenDefinitions } from "./spoken.js";
import { besideCalls, contentApart, idsOf, splitCalls } from "./turns.js";

/** A message as the template sees it. */
export type TemplateMessage = Readonly<Record<string, unknown>>;

/** What one template does by itself, and how it wants the rest. */
export interface History {
  readonly writesCalls: boolean;
  readonly writesResults: boolean;
  readonly writesDefinitions: boolean;
  readonly takesSystem: boolean;
  readonly argumentsAsText: boolean;
  readonly oneCall: boolean;
  /** The fields of a message that hold its reasoning. */
  readonly reasoningKeys: readonly string[];
}

/** Reads a template's wishes off its text. @param spoken nothing of tools is left to the template */
export function historyOf(template: string, family: ToolFamily, spoken: boolean): History {
  const writesDefinitions = !spoken && /\{[{%](?:(?!%\}|\}\})[^])*?\btools\b/.test(template);
  const reasoningKeys = ["reasoning_content", "thinking"].filter((key) =>
    new RegExp(`(?:\\.|["'])${key}\\b`).test(template),
  );
  return {
    writesCalls: !spoken && template.includes("tool_calls"),
    writesResults: writesDefinitions || (!spoken && /["'](?:tool|ipython)["']/.test(template)),
    writesDefinitions,
    takesSystem: !/system role not supported/i.test(template),
    argumentsAsText: argumentsAsText(template) ?? family.argumentsAsText === true,
    oneCall:
      family.oneCall === true ||
      /single tool.calls?/i.test(template) ||
      /tool_calls\s*\|\s*length\s*(?:!=|>)\s*1/.test(template),
    reasoningKeys: reasoningKeys.length === 0 ? ["reasoning_content"] : reasoningKeys,
  };
}

/** null where the template does not tell. */
function argumentsAsText(template: string): boolean | null {
  if (/arguments['"\]]*\s+is\s+(?:not\s+)?(?:string|mapping)/.test(template)) return false;
  return /arguments['"\]]*\s*\|\s*(?:tojson|items)/.test(template) ? false : null;
}

/** The messages for the template; definitions only where it cannot write them itself. */
export function renderMessages(
  family: ToolFamily,
  history: History,
  messages: readonly Message[],
  tools: readonly Tool[],
): readonly TemplateMessage[] {
  const ids = family.ids === undefined ? null : idsOf(messages, family.ids);
  const names = new Map(
    messages.flatMap(({ toolCalls = [] }) => toolCalls.map((call) => [call.id, call.name])),
  );
  const whole = family.noContent === null && history.writesCalls ? messages.flatMap(contentApart) : messages;
  const ordered = history.oneCall && history.writesCalls ? besideCalls(whole.flatMap(splitCalls)) : whole;
  const spoken = new Set<TemplateMessage>();
  const speak = (message: TemplateMessage): TemplateMessage => {
    spoken.add(message);
    return message;
  };
  const shown = ordered.map((message) => {
    if (message.role === "assistant") return assistantTurn(family, history, message, ids);
    if (message.role === "tool" && !history.writesResults) return speak(spokenResult(family, message));
    const { toolCallId } = message;
    const name = message.name ?? (toolCallId === undefined ? undefined : names.get(toolCallId));
    return {
      role: message.role,
      content: message.content,
      ...(name === undefined ? {} : { name }),
      ...(toolCallId === undefined ? {} : { tool_call_id: ids?.get(toolCallId) ?? toolCallId }),
    };
  });
  const defined = tools.length === 0 ? shown : withDefinitions(family, history, shown, tools);
  const [first] = defined;
  if (!history.takesSystem && first !== undefined && first !== shown[0]) speak(first);
  return joinUsers(defined, spoken);
}

function assistantTurn(
  family: ToolFamily,
  history: History,
  message: Message,
  ids: ReadonlyMap<string, string> | null,
): TemplateMessage {
  const { content, name, reasoning, toolCalls = [] } = message;
  const shown: Record<string, unknown> = { role: "assistant", content };
  if (name !== undefined) shown["name"] = name;
  // Beside a call, templates of messages in a row take reasoning or text and refuse both.
  const thinks =
    reasoning !== undefined && !(family.messages === true && toolCalls.length > 0 && content !== "");
  if (thinks) for (const key of history.reasoningKeys) shown[key] = reasoning;
  if (toolCalls.length === 0) return shown;
  if (!history.writesCalls) {
    const calls = spokenCalls(family.syntaxes[0], toolCalls);
    return { ...shown, content: content === "" ? calls : `${content}\n${calls}` };
  }
  if (content === "" && family.noContent === null) shown["content"] = null;
  shown["tool_calls"] = toolCalls.map((call) => ({
    id: ids?.get(call.id) ?? call.id,
    type: "function",
    function: {
      name: call.name,
      arguments: history.argumentsAsText ? call.arguments : parsedOr(call.arguments, call.arguments),
    },
  }));
  return shown;
}

function spokenResult({ resultMarks }: ToolFamily, { content }: Message): TemplateMessage {
  const [open, close] = resultMarks ?? ["<tool_response>\n", "\n</tool_response>"];
  return { role: "user", content: `${open}${content}${close}` };
}

function withDefinitions(
  family: ToolFamily,
  history: History,
  shown: readonly TemplateMessage[],
  tools: readonly Tool[],
): readonly TemplateMessage[] {
  if (history.writesDefinitions && family.definitionsInSystem !== true) return shown;
  const [first, ...others] = shown;
  const system = first?.["role"] === "system" ? first : null;
  const rest = system === null ? shown : others;
  const said = system === null ? "" : contentOf(system);
  if (history.writesDefinitions)
    return [{ ...system, role: "system", content: said, tools: JSON.stringify(tools) }, ...rest];
  const words = spokenDefinitions(family.syntaxes[0], tools);
  const content = said === "" ? words : `${said}\n\n${words}`;
  return [{ ...system, role: history.takesSystem ? "system" : "user", content }, ...rest];
}

function contentOf({ content }: TemplateMessage): string {
  return typeof content === "string" ? content : "";
}

/** What was put into words becomes one message with the user's before and behind it: such templates want turns to alternate. */
function joinUsers(
  shown: readonly TemplateMessage[],
  spoken: ReadonlySet<TemplateMessage>,
): readonly TemplateMessage[] {
  const joined: TemplateMessage[] = [];
  let lastSpoken = false;
  for (const message of shown) {
    const last = joined.at(-1);
    const both = last?.["role"] === "user" && message["role"] === "user";
    if (both && (lastSpoken || spoken.has(message))) {
      joined[joined.length - 1] = { ...last, content: `${contentOf(last)}\n\n${contentOf(message)}` };
      lastSpoken = true;
    } else {
      joined.push(message);
      lastSpoken = spoken.has(message);
    }
  }
  return joined;
}
