import type { Dice } from "../dice.js";
import type { ChatSkill, Draft, World } from "./draft.js";
import type { Fact } from "../facts-file.js";
import { fill, said } from "../templates.js";

const templates: Readonly<Record<string, readonly string[]>> = {
  capital: [
    "Do you know which city is the capital of {subject}?",
    "I would like to know the capital city of {subject}.",
    "If I travel to the capital of {subject}, which city am I in?",
    "Which city does {subject} have as its capital?",
    "Please give me the name of the capital of {subject}.",
    "In geography class they asked for the capital of {subject}. What is it?",
    "For {subject}, what is the capital?",
    "The capital of {subject}, what is it called?",
  ],
  opposite: [
    'Which word should I write for the opposite of "{subject}"?',
    'I am looking for the opposite of the word "{subject}".',
    "If something is not {subject} but the opposite, what is it?",
    'Give me a word that means the opposite of "{subject}".',
    'Do you know a word for the opposite of "{subject}"?',
    'Please tell me what the opposite of "{subject}" is.',
    'The opposite of "{subject}", what is it?',
  ],
  colour: [
    "Which color does {subject} usually have?",
    "If I paint {subject}, which color do I need?",
    "I want to know the color of {subject}.",
    "Do you know what color {subject} is?",
    "When you think of {subject}, which color is it?",
    "Name the usual color of {subject}.",
    "Please tell me which color {subject} has.",
  ],
  young: [
    "What do people call a baby {subject}?",
    "Which word do we use for a young {subject}?",
    "I saw a very young {subject}. What is it called?",
    "Do you know the name for a young {subject}?",
    "Please tell me what a baby {subject} is called.",
    "What is the word for the young of a {subject}?",
  ],
  sound: [
    "Which sound do you hear when a {subject} makes a noise?",
    "I hear a {subject}. What sound is it making?",
    "Do you know the sound that a {subject} makes?",
    "What do we call the sound of a {subject}?",
    "Please tell me what noise a {subject} makes.",
    "When a {subject} makes a noise, what is the sound called?",
  ],
  legs: [
    "How many legs does a {subject} walk or stand on?",
    "I wonder how many legs a {subject} has.",
    "If I count the legs of a {subject}, how many do I get?",
    "I want to draw a {subject}. How many legs does it need?",
    "Count the legs of a {subject}. How many are there?",
    "My child asks how many legs a {subject} has.",
  ],
  home: [
    "In what kind of home does a {subject} live?",
    "Do you know what the home of a {subject} is called?",
    "What do we call the place where a {subject} lives?",
    "Please tell me where a {subject} has its home.",
    "I am looking for the home of a {subject}. What is it called?",
    "What is the word for the home of a {subject}?",
  ],
  unit: [
    "Can you tell me the number of {subject}?",
    "I am asked for the number of {subject}. What is it?",
    "I forgot the number of {subject}. How many?",
    "Do you know the number of {subject}?",
    "Please tell me the number of {subject}.",
    "I would like to know the number of {subject}.",
    "The number of {subject}, what is it?",
  ],
  sides: [
    "My child asks how many sides a {subject} has.",
    "I wonder how many sides a {subject} has.",
    "I want to draw a {subject}. How many sides does it need?",
    "If I count the sides of a {subject}, how many do I get?",
    "How many sides do I draw for a {subject}?",
    "A {subject} is a shape with how many sides?",
  ],
};

const numbers = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/** Skill: facts of the closed list that the training teaches, in other words. */
export const facts: ChatSkill = {
  name: "facts",
  templates,
  draw: (chance, world) => drawFact(chance, world),
};

/** Generates a question about one of the facts. @throws Error for a kind of fact without templates */
export function drawFact(chance: Dice, world: World): Draft {
  const fact = chance.pick(world.facts);
  const phrasings = templates[fact.kind];
  if (phrasings === undefined) throw new Error(`no templates for facts of the kind '${fact.kind}'`);
  const filled = fill(chance.pick(phrasings), { subject: fact.subject });
  const text = said(chance, filled);
  return { text, values: [], expect: { anyOf: accepted(fact) } };
}

/** Returns the forms of the answer that are accepted in a sentence. */
function accepted({ kind, answer }: Fact): string[] {
  if (/^\d+$/.test(answer)) {
    const grouped = answer.replace(/\B(?=(\d{3})+$)/g, ",");
    return [...new Set([answer, grouped, ...numbers.slice(Number(answer), Number(answer) + 1)])];
  }
  if (kind !== "sound") return [answer];
  const stem = answer.replace(/e$/, "");
  return [answer, `${answer}s`, `${stem}ing`];
}
