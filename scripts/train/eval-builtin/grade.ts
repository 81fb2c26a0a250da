import { isDeepStrictEqual } from "node:util";
import { askedText, type Expectation, type Item } from "./items.js";

/** The parts of an answer that expectations refer to. */
export interface Answer {
  readonly content: string;
  readonly reasoning: string;
  readonly finishReason: string;
  readonly toolCalls: readonly { readonly name: string; readonly arguments: string }[];
}

/**
 * Returns what the answer lacks, in words; empty if it is as expected. Case is significant only in `exact`
 * and `json`.
 * @param asked the user's last message; its numbers may be repeated
 */
export function shortcomings(answer: Answer, expected: Expectation, asked = ""): readonly string[] {
  return [
    ...wordsMissed(answer, expected),
    ...numbersMissed(answer, expected, asked),
    ...callsMissed(answer, expected),
    ...mannersMissed(answer, expected),
  ];
}

/** Grades the answer of an item. */
export function gradeItem(answer: Answer, item: Pick<Item, "messages" | "expect">): readonly string[] {
  return shortcomings(answer, item.expect, askedText(item));
}

function wordsMissed({ content, toolCalls }: Answer, expected: Expectation): readonly string[] {
  const said = content.trim();
  const { exact, contains = [], words = [], anyOf, without = [], json } = expected;
  const isWithin = (text: string): boolean => said.toLowerCase().includes(text.toLowerCase());
  const isSaid = (text: string): boolean => wholeWords(text).test(said);
  return [
    ...(said === "" && toolCalls.length === 0 ? ["says nothing"] : []),
    ...(exact === undefined || unquoted(said) === exact.trim() ? [] : [`is not ${JSON.stringify(exact)}`]),
    ...contains.filter((text) => !isWithin(text)).map((text) => `lacks ${JSON.stringify(text)}`),
    ...words.filter((text) => !isSaid(text)).map((text) => `lacks ${JSON.stringify(text)}`),
    ...(anyOf === undefined || anyOf.some(isSaid) ? [] : [`has none of ${JSON.stringify(anyOf)}`]),
    ...without.filter(isSaid).map((text) => `says ${JSON.stringify(text)}`),
    ...(json === undefined || isDeepStrictEqual(parsed(said), json)
      ? []
      : [`is not ${JSON.stringify(json)}`]),
  ];
}

/** Matches a text that is not adjacent to a letter or digit. */
function wholeWords(text: string): RegExp {
  const literal = text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, "iu");
}

function unquoted(text: string): string {
  return /^"[^]*"$|^'[^]*'$/.test(text) ? text.slice(1, -1).trim() : text;
}

function numbersMissed(
  { content }: Answer,
  { number, firstNumber }: Expectation,
  asked: string,
): readonly string[] {
  const said = numbersIn(content);
  const lacks: string[] = [];
  if (number !== undefined) {
    const allowed = new Set([number, ...numbersIn(asked)]);
    const other = said.find((each) => !allowed.has(each));
    if (!said.includes(number)) lacks.push(`lacks the number ${number}`);
    if (other !== undefined) lacks.push(`says the number ${other}`);
  }
  if (firstNumber !== undefined && said[0] !== firstNumber)
    lacks.push(`does not begin with the number ${firstNumber}`);
  return lacks;
}

const numberWords = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/** Returns the numbers in digits, or if there are none, those in words up to ten. */
function numbersIn(text: string): readonly number[] {
  const digits = (text.match(/\d+(?:\.\d+)?/g) ?? []).map(Number);
  if (digits.length > 0) return digits;
  const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
  return words.map((word) => numberWords.indexOf(word)).filter((index) => index >= 0);
}

function callsMissed({ toolCalls }: Answer, expected: Expectation): readonly string[] {
  const left = [...toolCalls];
  const lacks: string[] = [];
  for (const wanted of expected.toolCalls ?? []) {
    const at = left.findIndex((call) => isCall(call, wanted));
    if (at < 0) lacks.push(`does not call ${JSON.stringify(wanted)}`);
    else left.splice(at, 1);
  }
  const more = left.map((call) => `calls ${call.name} with ${call.arguments}`);
  return [...lacks, ...more];
}

type Call = Answer["toolCalls"][number];
type WantedCall = NonNullable<Expectation["toolCalls"]>[number];

function isCall(call: Call, wanted: WantedCall): boolean {
  if (call.name !== wanted.name) return false;
  return wanted.arguments === undefined || isDeepStrictEqual(parsed(call.arguments), wanted.arguments);
}

function mannersMissed(
  { reasoning, finishReason }: Answer,
  { thinks, ends }: Expectation,
): readonly string[] {
  const lacks: string[] = [];
  if (thinks !== undefined && thinks !== (reasoning.trim() !== ""))
    lacks.push(thinks ? "does not think" : "thinks");
  if (ends !== undefined && ends !== ["stop", "tool_calls"].includes(finishReason))
    lacks.push(ends ? `does not end its turn (${finishReason})` : "ends its turn");
  return lacks;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
