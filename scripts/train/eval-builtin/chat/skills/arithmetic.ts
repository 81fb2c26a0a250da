import type { Dice } from "../dice.js";
import type { ChatSkill, Draft } from "./draft.js";
import { foods, nouns, pets } from "../pools.js";
import { fill, said } from "../templates.js";

export const sumTemplates = {
  sum: [
    "What is the result if I add {b} to {a}?",
    "Add the numbers {a} and {b} for me.",
    "What do {a} and {b} make together?",
    "Can you work out {a} + {b} for me?",
    "How much do {a} and {b} come to?",
    "I need to know the sum of {a} and {b}.",
    "Please tell me how much {a} plus {b} makes.",
    "The sum is {a} + {b}. What is the result?",
    "I have {a} and I add {b}. How much is that?",
    "Please do this sum: {a} + {b}",
    "{a} plus {b}, how much is it?",
  ],
  difference: [
    "What do I get if I take {b} away from {a}?",
    "Subtract the number {b} from {a} for me.",
    "What is left of {a} when you take away {b}?",
    "Can you work out {a} - {b} for me?",
    "How much remains if {b} is taken from {a}?",
    "Please tell me how much {a} minus {b} makes.",
    "I have {a} and I take away {b}. How much is left?",
    "The task is {a} - {b}. What is the result?",
    "Please do this one: {a} - {b}",
    "{a} minus {b}, how much is it?",
  ],
  larger: [
    "Of the numbers {a} and {b}, which one is larger?",
    "Tell me which is the larger number, {a} or {b}.",
    "Which is the bigger of the two, {a} or {b}?",
    "I have the numbers {a} and {b}. Which one is greater?",
    "Here are two numbers, {a} and {b}. Name the larger one.",
    "Is {a} or {b} the bigger number?",
    "Compare {a} with {b} and say which is larger.",
  ],
  smaller: [
    "Of the numbers {a} and {b}, which one is smaller?",
    "Tell me which is the smaller number, {a} or {b}.",
    "Which is the smaller of the two, {a} or {b}?",
    "I have the numbers {a} and {b}. Which one is less?",
    "Here are two numbers, {a} and {b}. Name the smaller one.",
    "Is {a} or {b} the smaller number?",
    "Compare {a} with {b} and say which is smaller.",
  ],
} as const;

const countTemplates = [
  "How many things do I list here: {list}?",
  "Count the things in this list for me: {list}",
  "I have {list}. How many things do I have?",
  "Here is my list: {list}. How many things are on it?",
  "How many words are there in this list? {list}",
  "On the table I see {list}. How many things is that?",
  "Please count these: {list}",
  "My bag holds {list}. How many things are in my bag?",
] as const;

export type SumKind = keyof typeof sumTemplates;

/** The kinds of problems, repeated by their frequency. */
export const sumKinds = ["sum", "sum", "difference", "difference", "larger", "smaller"] as const;

/**
 * Generates a question about two numbers. Its value is the pair, such as `12+30`, because every single number
 * occurs in training.
 */
export function drawSum(chance: Dice, kind: SumKind): Draft {
  for (;;) {
    const draft = drawPair(chance, kind);
    if (isAsking(draft)) return draft;
  }
}

function drawPair(chance: Dice, kind: SumKind): Draft {
  const [first, second] = [number(chance), number(chance)];
  const apart = kind === "difference" && first < second;
  const [a, b] = apart ? [second, first] : [first, second];
  const sign = { sum: "+", difference: "-", larger: "?", smaller: "?" }[kind];
  const text = said(chance, fill(chance.pick<string>(sumTemplates[kind]), { a, b }));
  return { text, values: [`${a}${sign}${b}`], expect: expected(kind, a, b) };
}

function expected(kind: SumKind, a: number, b: number): Draft["expect"] {
  if (kind === "sum") return { number: a + b };
  if (kind === "difference") return { number: a - b };
  return { firstNumber: kind === "larger" ? Math.max(a, b) : Math.min(a, b) };
}

/** Prefers large numbers, as two random numbers from 0 to 99 nearly always are. */
function number(chance: Dice): number {
  return chance.happens(0.15) ? chance.between(0, 9) : chance.between(10, 99);
}

/** Skill: add, subtract and compare numbers below 100, and count listed things. */
export const arithmetic: ChatSkill = {
  name: "arithmetic",
  templates: { ...sumTemplates, count: countTemplates },
  draw(chance) {
    const kind = chance.pick([...sumKinds, "count"] as const);
    return kind === "count" ? drawCount(chance) : drawSum(chance, kind);
  },
};

/** Returns whether an answer that only repeats the question would be wrong; for 9 - 0 it would not. */
function isAsking({ text, expect }: Draft): boolean {
  const asked = (text.match(/\d+/g) ?? []).map(Number);
  if (expect.firstNumber !== undefined) return new Set(asked).size === 2;
  return expect.number !== undefined && !asked.includes(expect.number);
}

function drawCount(chance: Dice): Draft {
  const words = chance.some(chance.pick([nouns, [...foods, ...pets], nouns]), chance.between(2, 10));
  const template = chance.pick<string>(countTemplates);
  const list = /I have|I see|holds/.test(template) ? inWords(chance, words) : words.join(", ");
  const text = said(chance, fill(template, { list }));
  return { text, values: words, expect: { number: words.length } };
}

function inWords(chance: Dice, words: readonly string[]): string {
  const each = words.map((word) =>
    foods.includes(word) ? word : `${/^[aeiou]/.test(word) ? "an" : "a"} ${word}`,
  );
  if (chance.happens(0.2)) return each.join(", ");
  return `${each.slice(0, -1).join(", ")} and ${each.at(-1) ?? ""}`;
}
