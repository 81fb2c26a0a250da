/**
 * Tools in plain text, for templates that do not write them: the definitions as a part of the system message, calls as the
 * model itself is to write them, results between marks.
 */
import type { Tool, ToolCall } from "../../../core/generation.js";
import { itemLead, nameText, written, type CallSyntax, type TaggedBody } from "./syntax.js";

/** Calls as the family writes them. */
export function spokenCalls(
  syntax: CallSyntax,
  calls: readonly Pick<ToolCall, "name" | "arguments">[],
): string {
  const { section, between } = syntax;
  const items = calls.map((call) => itemLead(syntax) + callText(syntax, call) + written(syntax.after));
  return written(section?.open ?? []) + items.join(written(between)) + written(section?.close ?? []);
}

/** What the system message says of the tools there are. A `<` is written as an escape, so that no description ends anything. */
export function spokenDefinitions(syntax: CallSyntax, tools: readonly Tool[]): string {
  const lines = tools.map(({ name, description, parameters }) =>
    JSON.stringify({ name, description, parameters }).replaceAll("<", "\\u003c"),
  );
  const example = spokenCalls(syntax, [{ name: "tool-name", arguments: '{"argument": "value"}' }]);
  return [
    "You can use tools. Each line here describes one as JSON: its name, what it does, and the JSON Schema of its arguments.",
    ...lines,
    "When a tool helps, call it by writing exactly this, with its name and its arguments as the schema asks:",
    example,
    "Then stop: the result is given to you in the next message. Without need of a tool, just answer.",
  ].join("\n");
}

function callText({ body }: CallSyntax, call: Pick<ToolCall, "name" | "arguments">): string {
  const head = nameText(body, call.name).join("");
  if (body.type === "tagged") return head + taggedText(body, call.arguments);
  return head + call.arguments + (body.type === "envelope" ? "}" : "");
}

function taggedText(body: TaggedBody, argumentsText: string): string {
  const parsed: unknown = parsedOr(argumentsText, {});
  const entries = typeof parsed === "object" && parsed !== null ? Object.entries(parsed) : [];
  return entries
    .map(([key, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return `${body.keyOpen}${key}${written(body.keyClose)}${body.padding}${text}${body.padding}${written(body.valueClose)}`;
    })
    .join("");
}

/** What a JSON text says; `otherwise` where it is none. */
export function parsedOr(text: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return otherwise;
  }
}
