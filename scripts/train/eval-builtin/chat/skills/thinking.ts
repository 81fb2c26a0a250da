import { drawSum, sumKinds, sumTemplates } from "./arithmetic.js";
import type { Dice } from "../dice.js";
import type { ChatSkill, Draft } from "./draft.js";
import { heldNumber, nouns } from "../pools.js";
import { fill, said } from "../templates.js";

const choices = {
  cheaper: [
    "The {first} costs {a} coins and the {second} costs {b} coins. Which one is cheaper?",
    "A {first} for {a} coins or a {second} for {b} coins: which is the cheaper choice?",
    "I can buy a {first} for {a} coins or a {second} for {b} coins. Which costs less?",
  ],
  heavier: [
    "The {first} weighs {a} kilos and the {second} weighs {b} kilos. Which one is heavier?",
    "A {first} of {a} kilos or a {second} of {b} kilos: which of them is heavier?",
    "There is a {first} of {a} kilos and a {second} of {b} kilos. Which one weighs more?",
  ],
} as const;

/**
 * Skill: reasoning before a calculation, comparison or choice if it is enabled, none if it is disabled, and
 * the correct answer.
 */
export const thinking: ChatSkill = {
  name: "thinking",
  templates: { ...sumTemplates, choices },
  draw(chance) {
    const kind = chance.pick([...sumKinds, "choice"] as const);
    const draft = kind === "choice" ? drawChoice(chance) : drawSum(chance, kind);
    return { ...draft, reasoning: chance.happens(0.6) };
  },
};

function drawChoice(chance: Dice): Draft {
  const kind = chance.pick(["cheaper", "heavier"] as const);
  const [first, second] = chance.some(
    nouns.filter((noun) => !noun.endsWith("s")),
    2,
  );
  const [a, b] = [heldNumber(chance, 2, 99), heldNumber(chance, 2, 99)];
  if (first === undefined || second === undefined || a === b) return drawChoice(chance);
  const text = said(chance, fill(chance.pick(choices[kind]), { first, second, a, b }));
  const chosen = a < b === (kind === "cheaper") ? first : second;
  const other = chosen === first ? second : first;
  return {
    text,
    values: [first, second, String(a), String(b)],
    expect: { words: [chosen], without: [other] },
  };
}
