/**
 * The questions of the chat model's evaluation: every item is drawn from templates and values of its own, seeded by its skill, and
 * is only asked when nothing of it can have been trained on (held.ts, templates.ts). How an answer is judged is not decided here.
 */
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { Item } from "../items.js";
import { arithmetic } from "./arithmetic.js";
import { dice, type Dice } from "./dice.js";
import type { ChatSkill, Draft, World } from "./draft.js";
import { facts } from "./facts.js";
import { readFacts } from "./facts-file.js";
import { greet } from "./greet.js";
import { refusal } from "./held.js";
import { image } from "./image.js";
import { json } from "./json.js";
import { passage } from "./passage.js";
import { recall } from "./recall.js";
import { surrounded, systemPrompts } from "./surroundings.js";
import { listed, shared, trainedTemplates, wordsOf } from "./templates.js";
import { thinking } from "./thinking.js";
import { tools } from "./tools.js";
import { unknown } from "./unknown.js";
import { words } from "./words.js";

export const chatSkills: readonly ChatSkill[] = [
  ...[greet, recall, arithmetic, words, facts, passage],
  ...[image, json, tools, thinking, unknown],
];

/** Draws that may be in vain before a skill is said to have too little to ask. */
const drawsPerItemMax = 500;

export interface Order {
  /** Names of skills. */
  readonly skills: readonly string[];
  readonly itemsPerSkill: number;
  readonly seed: number;
}

/**
 * The items of some skills, the same ones for the same order.
 * @param training folder of the recipe, with the facts and the phrasings of the training.
 * @throws Error when the training has a template of the evaluation, or a skill too little that is held out.
 */
export async function generateItems(training: string, order: Order): Promise<readonly Item[]> {
  const skills = chatSkills.filter(({ name }) => order.skills.includes(name));
  const trained = await trainedTemplates(join(training, "phrasings"));
  refuseShared(skills, trained);
  const taught = await readFacts(join(training, "facts.json"));
  const told = taught.flatMap(({ subject, answer }) => [subject, answer]);
  const world = { facts: taught, trainedWords: wordsOf([...trained, ...told]) };
  return skills.flatMap((skill) => itemsOf(skill, world, order));
}

/** @throws Error naming the templates that the training has too. */
export function refuseShared(
  skills: readonly Pick<ChatSkill, "name" | "templates">[],
  trained: readonly string[],
): void {
  const found = [
    ...skills.map(({ name, templates }) => ({ name, own: listed(templates) })),
    { name: "system", own: systemPrompts },
  ].flatMap(({ name, own }) =>
    shared(own, trained).map((template) => `${name}: ${JSON.stringify(template)}`),
  );
  if (found.length > 0) throw new Error(`these templates are in the training too:\n${found.join("\n")}`);
}

/** Items of one skill, no two alike. @throws Error when there are too few. */
export function itemsOf(
  skill: ChatSkill,
  world: World,
  { itemsPerSkill, seed }: Omit<Order, "skills">,
): readonly Item[] {
  const chance = dice(crc32(`${skill.name} ${seed}`));
  const items = new Map<string, Item>();
  for (let draws = 0; items.size < itemsPerSkill; draws += 1) {
    if (draws > itemsPerSkill * drawsPerItemMax)
      throw new Error(`too little to ask of the skill '${skill.name}'`);
    const draft = skill.draw(chance, world);
    if (refusal(draft, world.trainedWords) !== null) continue;
    const item = itemOf(chance, world, skill.name, draft);
    items.set(keyOf(draft), items.get(keyOf(draft)) ?? item);
  }
  return [...items.values()];
}

/** What makes two items the same question. */
function keyOf({ earlier, text, later, alone = false }: Draft): string {
  return JSON.stringify([text.toLowerCase(), ...(alone ? [earlier, later] : [])]);
}

function itemOf(chance: Dice, world: World, skill: string, draft: Draft): Item {
  const { responseFormat, reasoning = false, expect } = draft;
  const { messages, tools: offered } = surrounded(chance, world, draft);
  return {
    skill,
    messages: [...messages],
    ...(offered === undefined ? {} : { tools: [...offered] }),
    ...(responseFormat === undefined ? {} : { response_format: responseFormat }),
    reasoning,
    expect: { ...expect, thinks: reasoning, ends: true },
  };
}
