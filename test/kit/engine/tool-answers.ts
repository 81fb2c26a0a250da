/** Answers in every family's format, the tools they call, and a function that folds events to the parsed answer. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import type { Tool } from "../../../src/core/generation.js";
import type { ToolEvent } from "../../../src/engine/language/tools/parse/output.js";
import { readToolFormat, type ToolFormat } from "../../../src/engine/language/tools/format.js";

export const familyNames = [
  "hermes",
  "qwen-coder",
  "glm",
  "llama",
  "llama4",
  "lfm",
  "mistral",
  "mistral-args",
  "deepseek-fenced",
  "deepseek",
  "kimi",
  "harmony",
  "gemma",
  "granite",
  "phi",
  "command",
  "generic",
] as const;

export interface Transcript {
  readonly name: string;
  readonly answer: string;
  readonly text: string;
  readonly reasoning?: string;
  readonly calls: readonly { readonly name: string; readonly arguments: unknown }[];
  /** Whether the family's grammar can generate the answer. */
  readonly written?: boolean;
}

export const tools: readonly Tool[] = [
  {
    name: "get_time",
    description: "The time in a zone, </tool_call> and all.",
    parameters: { type: "object", properties: { zone: { type: "string" } }, required: ["zone"] },
  },
  {
    name: "add",
    parameters: {
      type: "object",
      properties: { a: { type: "integer" }, b: { type: "integer" } },
      required: ["a", "b"],
    },
  },
  {
    name: "note",
    parameters: {
      type: "object",
      properties: { title: { type: "string" }, tags: { type: "array", items: {} } },
      required: ["title"],
    },
  },
];

const fixture = (path: string): string =>
  readFileSync(new URL(`../../fixtures/tools/${path}`, import.meta.url), "utf8");

export const template = (family: string): string => fixture(`templates/${family}.jinja`);

export const format = (family: string): ToolFormat => readToolFormat(template(family));

export const transcripts = (family: string): readonly Transcript[] =>
  JSON.parse(fixture(`${family}.json`)) as readonly Transcript[];

/** Returns all events of an answer in these pieces. */
export function eventsOf(
  { parser }: Pick<ToolFormat, "parser">,
  pieces: readonly string[],
  known: readonly Tool[] = tools,
): readonly ToolEvent[] {
  const reader = parser(known);
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.finish()];
}

/** Joins adjacent events of one kind, so that the result does not depend on how the answer was split. */
export function joined(events: readonly ToolEvent[]): readonly ToolEvent[] {
  const out: ToolEvent[] = [];
  for (const event of events) {
    const last = out.at(-1);
    if (last?.type === "call-delta" && event.type === "call-delta" && last.index === event.index)
      out[out.length - 1] = { ...last, arguments: last.arguments + event.arguments };
    else if (
      (last?.type === "text" && event.type === "text") ||
      (last?.type === "reasoning" && event.type === "reasoning")
    )
      out[out.length - 1] = { ...last, text: last.text + event.text };
    else out.push(event);
  }
  return out;
}

export interface Read {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly name: string; readonly arguments: unknown }[];
  readonly broken: readonly string[];
}

/** Folds events to the parsed answer. Throws when a complete call has no JSON object. */
export function readAnswer(of: ToolFormat, answer: string, known: readonly Tool[] = tools): Read {
  const events = joined(eventsOf(of, [answer], known));
  const texts = (type: ToolEvent["type"]): string[] =>
    events.flatMap((event) => (event.type === type && "text" in event ? [event.text] : []));
  const calls = events.flatMap((event) => {
    if (event.type !== "call-end") return [];
    const { index } = event;
    const start = events.find((each) => each.type === "call-start" && each.index === index);
    const delta = events.find((each) => each.type === "call-delta" && each.index === index);
    if (start?.type !== "call-start" || delta?.type !== "call-delta")
      throw new Error("an end without a call");
    const object: unknown = JSON.parse(delta.arguments);
    if (typeof object !== "object" || object === null || Array.isArray(object)) throw new Error("no object");
    return [{ name: start.name, arguments: object }];
  });
  return {
    text: texts("text").join(""),
    reasoning: texts("reasoning").join(""),
    calls,
    broken: texts("call-broken"),
  };
}

/** Splits a text at random places. */
export function cuts(text: string): fc.Arbitrary<string[]> {
  return fc.array(fc.nat({ max: text.length }), { maxLength: 12 }).map((places) => {
    const ends = [...new Set([0, ...places, text.length])].sort((a, b) => a - b);
    return ends.slice(1).map((end, index) => text.slice(ends[index], end));
  });
}
