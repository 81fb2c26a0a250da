/**
 * Renders whole turns of the model (text, reasoning, calls, and what goes together), and parses what follows the prompt: it must be the
 * same turn. What a template leaves out of a turn is not expected.
 */
import { isDeepStrictEqual } from "node:util";
import type { Message, Tool } from "../../../src/core/generation.js";
import { endsInReasoning, type ReasoningMarks } from "../../../src/engine/language/reasoning.js";
import { piecesOfText, isMark, sharedStart } from "../../../src/engine/language/derive/pieces.js";
import type { TemplateReading } from "../../../src/engine/language/prompt/read-template.js";
import { renderTurns } from "./render.js";
import { parseAnswer, type ReadAnswer } from "./round-trip.js";

const user: Message = { role: "user", content: "Qxuser asks." };
const text = "Qxtext: it's {fine}, <b>.";
const thought = "Qxthought: hm, it's\n{x}.";
const tool: Tool = {
  name: "use_values",
  description: "Uses values.",
  parameters: { type: "object", properties: { city: { type: "string" }, days: { type: "integer" } } },
};
const values = [
  { city: "Paris", days: 3 },
  { city: "Oslo, a", days: -1 },
];
const calls = values.map((given, at) => ({
  id: `call0000${at}`,
  name: tool.name,
  arguments: JSON.stringify(given),
}));

/** Turns by their names. */
const turns: Readonly<Record<string, Message>> = {
  text: { role: "assistant", content: text },
  "reasoning and text": { role: "assistant", content: text, reasoning: thought },
  "a call": { role: "assistant", content: "", toolCalls: calls.slice(0, 1) },
  "two calls": { role: "assistant", content: "", toolCalls: calls },
  "text and a call": { role: "assistant", content: text, toolCalls: calls.slice(0, 1) },
  "reasoning and a call": {
    role: "assistant",
    content: "",
    reasoning: thought,
    toolCalls: calls.slice(0, 1),
  },
  "reasoning, text and two calls": {
    role: "assistant",
    content: text,
    reasoning: thought,
    toolCalls: calls,
  },
};

/** What is wrong with each turn that is not read as it was written. */
export async function faultsOfTurns(
  reading: TemplateReading,
  endTexts: readonly string[],
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const { name, turn, isOff } of cases) {
    const fault = await findFault(
      reading,
      endTexts,
      turn,
      isOff ? { enable_thinking: false, thinking: false } : {},
    );
    if (fault !== null) faults.push(`${name}${isOff ? ", reasoning off" : ""}: ${fault}`);
  }
  return faults;
}

/** Every turn, and those without reasoning also with reasoning off. */
const cases = Object.entries(turns).flatMap(([name, turn]) => [
  { name, turn, isOff: false },
  ...(turn.reasoning === undefined ? [{ name, turn, isOff: true }] : []),
]);

export const turnCount = cases.length;

async function findFault(
  reading: TemplateReading,
  endTexts: readonly string[],
  turn: Message,
  variables: Readonly<Record<string, unknown>>,
): Promise<string | null> {
  const prompt = await renderTurns(reading, {
    messages: [user],
    tool,
    variables: { ...variables, add_generation_prompt: true },
  });
  const results = (turn.toolCalls ?? []).map(({ id }): Message => ({
    role: "tool",
    toolCallId: id,
    content: "Qxresult",
  }));
  const whole =
    (await renderTurns(reading, { messages: [user, turn], tool, variables })) ??
    (await renderTurns(reading, { messages: [user, turn, ...results], tool, variables }));
  if (prompt === null) return "the prompt is refused";
  if (whole === null) return "the turn is refused";
  const { reasoning: marks } = reading;
  const written = writtenTurn(whole.split("Qxresult")[0] ?? "", prompt, endTexts, marks);
  const opens = marks !== null && endsInReasoning(marks, prompt);
  const startsInReasoning = opens && !written.startsWith(marks.open) && written.includes(marks.close);
  const expected = expectTurn(turn, written);
  if (expected === null) return `leaves everything out: ${JSON.stringify(written)}`;
  for (const pieces of [[written], [...written]]) {
    const read = parseAnswer(reading, tool, pieces, startsInReasoning);
    if (!isDeepStrictEqual({ ...read, text: read.text.trim() }, expected))
      return `${startsInReasoning ? "(open) " : ""}${JSON.stringify(read)} from ${JSON.stringify(written)}`;
  }
  return null;
}

/** Returns what a text has of a turn; null where it has nothing. */
function expectTurn({ content, toolCalls = [] }: Message, written: string): ReadAnswer | null {
  const shown = toolCalls
    .map((call) => ({ name: call.name, arguments: parsed(call.arguments) }))
    .filter((call) => written.includes(call.arguments.city));
  const expected = {
    text: written.includes(text) ? content : "",
    reasoning: written.includes(thought) ? thought : "",
    calls: shown,
  };
  return expected.text + expected.reasoning === "" && shown.length === 0 ? null : expected;
}

function parsed(argumentsText: string): (typeof values)[number] {
  return JSON.parse(argumentsText) as (typeof values)[number];
}

/** Returns what the model writes of a turn: what follows the prompt, up to the end of the turn. */
function writtenTurn(
  whole: string,
  prompt: string,
  endTexts: readonly string[],
  marks: ReasoningMarks | null,
): string {
  const start = sharedStart(whole, prompt);
  // A prompt may have an empty block of reasoning, and the turn another one.
  const block = start === prompt || marks === null ? -1 : start.lastIndexOf(marks.open);
  const isOpened = block >= 0 && start.slice(block).trim() === marks?.open;
  const written = whole.slice(isOpened ? block : start.length);
  const ends = endTexts.map((each) => written.indexOf(each)).filter((at) => at >= 0);
  return written.slice(0, ends.length === 0 ? undefined : Math.min(...ends));
}

/** Returns the mark that ends a turn, as a vocabulary would show it; null if the turn has no such mark. */
export function endMark(end: string): string | null {
  const marks = piecesOfText(end).filter(isMark);
  const common = [/end_of|im_end|eo[tsm]\b/i, /turn.?>/i, /^<\|end\|>$/].flatMap(
    (sign) => marks.find((mark) => sign.test(mark)) ?? [],
  );
  const [found = marks.at(-1)] = common;
  const isShort = end.trim().length > 2 && end.length < 16;
  return found ?? (isShort ? end.trim() : null);
}
