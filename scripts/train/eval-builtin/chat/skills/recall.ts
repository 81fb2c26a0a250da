import { chatter } from "../chatter.js";
import type { Dice } from "../dice.js";
import { assistant, user, type ChatSkill, type Message } from "./draft.js";
import { colors, heldNumber, personName } from "../pools.js";
import { fill, said } from "../templates.js";

const templates = {
  tell: {
    name: [
      "{hello}, I am {name} and I need some help.",
      "Everyone at work calls me {name}.",
      "Just so you know, I am called {name}.",
      "Before we begin: my name is {name}.",
      "You are talking to {name} today.",
      "My parents gave me the name {name}.",
    ],
    number: [
      "Keep the number {number} for me until later.",
      "The number that I want you to remember is {number}.",
      "On my ticket there is the number {number}.",
      "Here is a number for you to remember, please: {number}.",
      "I live in room number {number}.",
      "Please note down number {number} for me.",
    ],
    color: [
      "The color that I like most is {color}.",
      "I like {color} more than any other color.",
      "My favorite color has always been {color}.",
      "If I had to choose a favorite color, it would be {color}.",
      "Remember this please, my favorite color is {color}.",
    ],
  },
  both: ["{first} There is something else: {second}", "{first} And one more thing: {second}"],
  ask: {
    name: [
      "Which name did I give you?",
      "Can you still tell me my name?",
      "I wonder if you still know my name.",
      "What name did I say I have?",
      "By which name should you call me?",
      "Tell me again what I am called.",
      "Do you know the name that I told you?",
      "Please say my name once more.",
      "Let us see if you remember: what is my name?",
      "Going back to the beginning, what was my name again?",
      "What name did I tell you at the start?",
      "My name, please. What is it?",
      "I want to hear my own name from you.",
    ],
    number: [
      "Which number did you get from me?",
      "Can you still tell me my number?",
      "What number did I ask you to keep?",
      "Tell me again which number it was.",
      "Do you know the number that I told you?",
      "Please say the number once more.",
      "Let us see if you remember: what was the number?",
      "Going back to the beginning, which number was it?",
      "What was that number of mine?",
      "I forgot my number. Can you say it to me?",
      "What number did I tell you at the start?",
      "Please repeat the number that I told you before.",
    ],
    color: [
      "Which color did I say I like?",
      "Can you still tell me my favorite color?",
      "What did I say my favorite color was?",
      "Tell me again which color I like most.",
      "Do you know the color that I told you?",
      "Please say my favorite color once more.",
      "Let us see if you remember: what is my favorite color?",
      "Going back to the beginning, which color do I like?",
      "Which color do I like best?",
      "I would like you to name my favorite color.",
      "What color did I tell you about at the start?",
      "Do you still know which color is my favorite?",
    ],
  },
} as const;

type Kind = keyof typeof templates.ask;

const kinds = ["name", "number", "color"] as const;
const noted = ["OK, I will remember that.", "I will remember that.", "OK.", "Good to know."];

/**
 * Skill: recall a name, number or colour that the user mentioned up to three turns before, alone or with
 * another.
 */
export const recall: ChatSkill = {
  name: "recall",
  templates,
  draw(chance, world) {
    const [asked, other] = chance.some(kinds, 2) as [Kind, Kind];
    const told = { [asked]: drawValue(chance, asked), [other]: drawValue(chance, other) };
    const two = chance.happens(0.35);
    const between = chatter(chance, world, chance.pick([0, 1, 1, 2, 2, 3]), two ? 1 : 0);
    const text = said(chance, chance.pick<string>(templates.ask[asked]), 0.7);
    const [value, wrong] = [told[asked] ?? "", told[other] ?? ""];
    return {
      earlier: [...telling(chance, told, two ? chance.some([asked, other], 2) : [asked]), ...between],
      text,
      values: two ? [value, wrong] : [value],
      expect: { words: [value], ...(two ? { without: [wrong] } : {}) },
      alone: true,
    };
  },
};

function drawValue(chance: Dice, kind: Kind): string {
  if (kind === "name") return personName(chance);
  if (kind === "color") return chance.pick(colors);
  return String(heldNumber(chance, 10, chance.pick([99, 999, 9999])));
}

/** Mentions the values in one message, or in separate messages. */
function telling(
  chance: Dice,
  told: Readonly<Record<string, string>>,
  order: readonly Kind[],
): readonly Message[] {
  const texts = order.map((kind) => {
    const slots = { [kind]: told[kind] ?? "", hello: chance.pick(["Hello", "Hi", "Good morning"]) };
    return { kind, text: fill(chance.pick<string>(templates.tell[kind]), slots) };
  });
  const [first, second] = texts;
  if (first !== undefined && second !== undefined && chance.happens(0.5)) {
    const both = fill(chance.pick<string>(templates.both), { first: first.text, second: second.text });
    return [user(both), assistant(chance.pick(noted))];
  }
  return texts.flatMap(({ kind, text }) => {
    const greets = kind === "name" && chance.happens(0.7);
    return [user(text), assistant(greets ? `Nice to meet you, ${told[kind] ?? ""}.` : chance.pick(noted))];
  });
}
