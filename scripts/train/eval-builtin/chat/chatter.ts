/** Unrelated earlier turns: a question of some skill and its correct answer. */
import type { Dice } from "./dice.js";
import { assistant, user, type Message, type World } from "./skills/draft.js";
import { nouns } from "./pools.js";

type Exchange = readonly [asked: string, answered: string];

/** @param spared the number of turns to omit; at least one remains if any are requested */
export function chatter(chance: Dice, world: World, turns: number, spared = 0): readonly Message[] {
  const count = turns === 0 ? 0 : Math.max(1, turns - spared);
  return Array.from({ length: count }, () => {
    const [asked, answered] = chance.pick(kinds)(chance, world);
    return [user(asked), assistant(answered)];
  }).flat();
}

const kinds: readonly ((chance: Dice, world: World) => Exchange)[] = [
  (chance) =>
    chance.pick<Exchange>([
      ["Hello!", "Hello! How can I help you?"],
      ["How are you?", "I am fine, thank you. How can I help you?"],
      ["Thank you!", "You are welcome!"],
      ["Who are you?", "I am Hearth's small built-in model."],
    ]),
  (chance) => {
    const [first, second] = [chance.between(1, 60), chance.between(1, 39)];
    return [`What is ${first} + ${second}?`, `${first} + ${second} = ${first + second}.`];
  },
  (chance) => {
    const words = chance.some(nouns, chance.between(2, 4)).join(" ");
    return [`Repeat these words: "${words}"`, words];
  },
  (chance, { facts }) => {
    const capitals = facts.filter(({ kind }) => kind === "capital");
    if (capitals.length === 0) return ["Hi", "Hello! How can I help you?"];
    const { subject, answer } = chance.pick(capitals);
    return [`What is the capital of ${subject}?`, `The capital of ${subject} is ${answer}.`];
  },
];
