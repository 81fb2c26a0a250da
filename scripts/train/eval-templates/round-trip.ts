/** Renders a call as history, and parses the text of the model's turn: it must be the same call. */
import { isDeepStrictEqual } from "node:util";
import type { GenerationEvent, Message, Tool } from "../../../src/core/generation.js";
import { AnswerBuilder } from "../../../src/engine/language/answer/answer.js";
import type { ReasoningMarks } from "../../../src/engine/language/reasoning.js";
import { marker } from "../../../src/engine/language/derive/probes.js";
import { callsIn, type TurnTexts } from "../../../src/engine/language/derive/turn.js";
import { findCalls } from "../../../src/engine/language/answer/create-answer.js";
import type { TemplateReading } from "../../../src/engine/language/prompt/read-template.js";
import { renderTurns } from "../../../test/kit/replay/render.js";
import type { Arguments } from "./shapes.js";

const thought = "I think: it's {x} <b>.";
/** The reasoning of gpt-oss is a message of its own. */
const harmonyMarks: ReasoningMarks = {
  open: "<|channel|>analysis<|message|>",
  close: "<|end|><|start|>assistant",
};

/** What went wrong; null where nothing did. */
export type Fault = string | null;

/** Parses one shape whole and by characters, with reasoning absent, closed and open. */
export async function roundTrip(
  reading: TemplateReading,
  turn: TurnTexts,
  endTexts: readonly string[],
  given: Arguments,
): Promise<Fault> {
  const tool = toolFor(given);
  const written = await writtenCall(reading, turn, endTexts, tool, given);
  if (written === null) return "the call is not rendered";
  for (const { name, text, startsInReasoning, reasoning } of answersWith(reading, written)) {
    for (const pieces of [[text], [...text]]) {
      const read = parseAnswer(reading, tool, pieces, startsInReasoning);
      const expected = { text: "", reasoning, calls: [{ name: tool.name, arguments: given }] };
      if (isDeepStrictEqual(read, expected)) continue;
      const how = pieces.length === 1 ? "whole" : "by characters";
      const leaks = leaked(reading, read.text);
      return `${leaks}reasoning ${name}, ${how}: ${JSON.stringify(read).slice(0, 120)} from ${JSON.stringify(text).slice(0, 160)}`;
    }
  }
  return null;
}

/** Says where the text of an answer has a mark of calls. */
function leaked({ template: { tools } }: TemplateReading, text: string): string {
  return tools.openings.some(({ pieces: [first = ""] }) => first.length > 1 && text.includes(first))
    ? "LEAK "
    : "";
}

function toolFor(given: Arguments): Tool {
  const properties = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, toSchema(value)]));
  return { name: "use_values", description: "Uses values.", parameters: { type: "object", properties } };
}

function toSchema(value: unknown): object {
  if (value === null) return { type: ["string", "null"] };
  return Array.isArray(value) ? { type: "array", items: { type: "string" } } : { type: typeof value };
}

/** Returns the calls of the model's turn as the template writes them. */
async function writtenCall(
  reading: TemplateReading,
  turn: TurnTexts,
  endTexts: readonly string[],
  tool: Tool,
  given: Arguments,
): Promise<string | null> {
  const turns: Message[] = [
    { role: "user", content: marker.user },
    {
      role: "assistant",
      content: "",
      toolCalls: [{ id: "call_1", name: tool.name, arguments: JSON.stringify(given) }],
    },
  ];
  const result: Message = { role: "tool", toolCallId: "call_1", content: marker.result };
  for (const messages of [turns, [...turns, result]]) {
    const text = await renderTurns(reading, { messages, tools: [tool], variables: {} });
    if (text !== null) return callsIn(text, turn, { name: tool.name, endTexts });
  }
  return null;
}

interface WrittenAnswer {
  readonly name: string;
  readonly text: string;
  readonly startsInReasoning: boolean;
  readonly reasoning: string;
}

function answersWith({ reasoning, template }: TemplateReading, calls: string): readonly WrittenAnswer[] {
  const absent = { name: "absent", text: calls, startsInReasoning: false, reasoning: "" };
  const marks = template.tools.readsReasoning ? harmonyMarks : reasoning;
  if (marks === null) return [absent];
  const gap = template.tools.readsReasoning ? "" : "\n";
  const rest = `${gap}${thought}${gap}${marks.close}${gap}${calls}`;
  const closed = { name: "closed", text: marks.open + rest, startsInReasoning: false, reasoning: thought };
  if (template.tools.readsReasoning) return [absent, closed];
  return [absent, closed, { name: "open", text: rest, startsInReasoning: true, reasoning: thought }];
}

export interface ReadAnswer {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly name: string; readonly arguments: unknown }[];
}

/** Parses an answer that arrives in these pieces. */
export function parseAnswer(
  { reasoning: marks, template }: TemplateReading,
  tool: Tool,
  pieces: readonly string[],
  startsInReasoning: boolean,
): ReadAnswer {
  const parser = template.tools.parser([tool]);
  const { promptEnd, answerOpening: textOpening } = template.tools;
  const begun = promptEnd === "" ? {} : { begun: { promptEnd, textOpening } };
  const answer = new AnswerBuilder({
    marks,
    startsInReasoning,
    stop: [],
    parser,
    callIdPrefix: "",
    callsInReasoning: findCalls(template.tools, [tool]),
    ...begun,
  });
  const events: readonly GenerationEvent[] = [
    ...pieces.flatMap((piece) => answer.push(Buffer.from(piece), null)),
    ...answer.finish(),
  ];
  const joinTexts = (type: "text-delta" | "reasoning-delta"): string =>
    events.flatMap((event) => (event.type === type ? [event.text] : [])).join("");
  const starts = events.filter((event) => event.type === "tool-call-start");
  const calls = starts.map(({ name, index }) => {
    const written = events.flatMap((event) =>
      event.type === "tool-call-delta" && event.index === index ? [event.arguments] : [],
    );
    return { name, arguments: parsed(written.join("")) };
  });
  return { text: joinTexts("text-delta"), reasoning: joinTexts("reasoning-delta"), calls };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
