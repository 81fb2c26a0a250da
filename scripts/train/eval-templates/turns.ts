/**
 * Renders whole turns of the model (text, reasoning, calls, and what goes together), and parses what follows the prompt: it must be the
 * same turn. What a template leaves out of a turn is not expected.
 */
import { isDeepStrictEqual } from "node:util";
import type { Message, Tool } from "../../../src/core/generation.js";
import type { TemplateReading } from "../../../src/engine/language/prompt/read-template.js";
import { writeTurn } from "../../../test/kit/replay/read-source.js";
import { parseAnswer, type ReadAnswer } from "./round-trip.js";

const user = "Qxuser asks.";
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
  const found = await writeTurn({ reading, endTexts }, { user, turn, tools: [tool], variables });
  if (typeof found === "string") return found;
  const { text: written, startsInReasoning } = found;
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
