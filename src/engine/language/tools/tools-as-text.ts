/** Writes tool definitions (for the system message) and calls as plain text, for templates that do not support them. */
import type { Tool, WrittenCall } from "../../../core/generation.js";
import { writeJson } from "../../../core/json/member-texts.js";
import { callText } from "./call-text.js";
import { markText, type CallSyntax } from "./syntax.js";

/** Returns calls as the family writes them. */
export function callsAsText(syntax: CallSyntax, calls: readonly WrittenCall[]): string {
  const { section, between } = syntax;
  const items = calls.map((call, index) => {
    const id = syntax.afterId === undefined ? "" : index + markText(syntax.afterId);
    return markText(syntax.before) + id + callText(syntax.body, call) + markText(syntax.after);
  });
  return markText(section?.open ?? []) + items.join(markText(between)) + markText(section?.close ?? []);
}

/** Returns the description of the tools for the system message. Escapes `<`, so that no description can contain a marker. */
export function definitionsAsText(syntax: CallSyntax, tools: readonly Tool[]): string {
  const lines = tools.map((tool) => definitionJson(tool).replaceAll("<", "\\u003c"));
  const example = callsAsText(syntax, [{ name: "tool-name", arguments: '{"argument": "value"}' }]);
  return [
    "You can use tools. Each line here describes one as JSON: its name, what it does, and the JSON Schema of its arguments.",
    ...lines,
    "When a tool helps, call it by writing exactly this, with its name and its arguments as the schema asks:",
    example,
    "Then stop: the result is given to you in the next message. Without need of a tool, just answer.",
  ].join("\n");
}

/** Returns the JSON text of a tool's definition. */
export function definitionJson({ name, description, parameters, parametersText }: Tool): string {
  const texts = parametersText === undefined ? [] : [[parameters, parametersText] as const];
  return writeJson({ name, description, parameters }, new Map(texts));
}

/** Returns the variables of templates that read the definitions as a text. They also write a date, which is not passed to templates. */
export function definitionVariables(tools: readonly Tool[]): Readonly<Record<string, string>> {
  return { functions: `[${tools.map(definitionJson).join(", ")}]`, datetime: "an unknown date" };
}
