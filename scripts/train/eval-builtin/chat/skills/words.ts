import type { Dice } from "../dice.js";
import type { ChatSkill } from "./draft.js";
import { adjectives, cities, invented, names, nouns } from "../pools.js";
import { fill, said } from "../templates.js";

const templates = {
  repeat: [
    'Say these words after me, please: "{words}"',
    'Please write back "{words}" to me.',
    'I say "{words}" and you repeat it.',
    'Give me back these words exactly: "{words}"',
    'Your answer should be "{words}" and nothing else.',
    'Copy what stands in the quotes: "{words}"',
    'Can you repeat "{words}" for me?',
    'Please write exactly this text: "{words}"',
  ],
  upper: [
    'Write "{words}" with capital letters only.',
    'Please turn "{words}" into capitals.',
    'How does "{words}" look in upper case?',
    'Put all letters of "{words}" in upper case.',
    'I want "{words}" in big letters.',
    'Change "{words}" to upper case, please.',
    'Give me "{words}" all in capitals.',
  ],
  reverse: [
    'Write the words of "{words}" from last to first.',
    'Say the words "{words}" starting with the last one.',
    'Please turn around the order of the words "{words}".',
    'Put the words "{words}" in the opposite order.',
    'In reverse order, what are the words "{words}"?',
    'Give me "{words}" with the order of the words reversed.',
    'Take the words "{words}" and write them in reverse order.',
  ],
  nth: [
    'Tell me the {nth} word of "{words}".',
    'In "{words}", which word is the {nth} one?',
    'Look at the words "{words}". What is the {nth} word?',
    'I need the {nth} word from "{words}".',
    'Which word comes {nth} in "{words}"?',
    'From the words "{words}" pick the {nth} one.',
    'Please give me only the {nth} of these words: "{words}"',
  ],
} as const;

type Kind = keyof typeof templates;

/** The minimum and maximum number of words per kind. */
const lengths: Readonly<Record<Kind, readonly [number, number]>> = {
  repeat: [1, 10],
  upper: [1, 4],
  reverse: [2, 6],
  nth: [3, 8],
};
const ordinals = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"];

/** Skill: repeat, upper-case, reverse or pick quoted words. */
export const words: ChatSkill = {
  name: "words",
  templates,
  draw(chance) {
    const kind = chance.pick(Object.keys(templates) as Kind[]);
    const list = someWords(chance, chance.between(...lengths[kind]));
    const at = chance.between(0, list.length - 1);
    const nth = at === list.length - 1 && chance.happens(0.5) ? "last" : (ordinals[at] ?? "");
    const text = said(chance, fill(chance.pick<string>(templates[kind]), { words: list.join(" "), nth }));
    return { text, values: list, expect: { exact: answers[kind](list, at) } };
  },
};

const answers: Readonly<Record<Kind, (list: readonly string[], at: number) => string>> = {
  repeat: (list) => list.join(" "),
  upper: (list) => list.join(" ").toUpperCase(),
  reverse: (list) => list.toReversed().join(" "),
  nth: (list, at) => list[at] ?? "",
};

/** Returns different words, so that each position is unambiguous. */
function someWords(chance: Dice, count: number): readonly string[] {
  const found = new Set<string>();
  while (found.size < count) {
    const pool = chance.pick([nouns, nouns, adjectives, names, cities, null]);
    found.add(pool === null ? invented(chance) : chance.pick(pool));
  }
  return [...found];
}
