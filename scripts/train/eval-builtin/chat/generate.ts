/**
 * Generates the questions of the chat model's evaluation. Every item is generated from templates and values
 * of its own, seeded by its skill, and used only if nothing of it can occur in training (held.ts,
 * templates.ts). Answers are graded in grade.ts.
 */
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { Item } from "../items.js";
import { arithmetic } from "./skills/arithmetic.js";
import { dice, type Dice } from "./dice.js";
import type { ChatSkill, Draft, World } from "./skills/draft.js";
import { facts } from "./skills/facts.js";
import { readFacts } from "./facts-file.js";
import { greet } from "./skills/greet.js";
import { refusal } from "./held.js";
import { image } from "./skills/image.js";
import { json } from "./skills/json.js";
import { passage } from "./skills/passage.js";
import { recall } from "./skills/recall.js";
import { surrounded, systemPrompts } from "./surroundings.js";
import { listed, shared, trainedTemplates, listWords } from "./templates.js";
import { thinking } from "./skills/thinking.js";
import { tools } from "./skills/tools.js";
import { unknown } from "./skills/unknown.js";
import { words } from "./skills/words.js";

export const chatSkills: readonly ChatSkill[] = [
  ...[greet, recall, arithmetic, words, facts, passage],
  ...[image, json, tools, thinking, unknown],
];

/** The number of rejected items after which a skill is reported as having too few. */
const drawsPerItemMax = 500;

export interface Order {
  /** The names of the skills. */
  readonly skills: readonly string[];
  readonly itemsPerSkill: number;
  readonly seed: number;
}

/**
 * Returns the items of some skills, the same for the same order.
 * @param training the folder of the recipe, with the facts and phrasings of the training
 * @throws Error if the training contains a template of the evaluation, or a skill has too few held-out values
 */
export async function generateItems(training: string, order: Order): Promise<readonly Item[]> {
  const skills = chatSkills.filter(({ name }) => order.skills.includes(name));
  const trained = await trainedTemplates(join(training, "phrasings"));
  refuseShared(skills, trained);
  const taught = await readFacts(join(training, "facts.json"));
  const told = taught.flatMap(({ subject, answer }) => [subject, answer]);
  const world = { facts: taught, trainedWords: listWords([...trained, ...told]) };
  return skills.flatMap((skill) => generateSkill(skill, world, order));
}

/** @throws Error with the templates that the training also has */
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

/** Returns items of one skill without duplicates. @throws Error if there are too few */
export function generateSkill(
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
    const item = createItem(chance, world, skill.name, draft);
    items.set(nameDraft(draft), items.get(nameDraft(draft)) ?? item);
  }
  return [...items.values()];
}

/** Returns a key that is equal for equal questions. */
function nameDraft({ earlier, text, later, alone = false }: Draft): string {
  return JSON.stringify([text.toLowerCase(), ...(alone ? [earlier, later] : [])]);
}

function createItem(chance: Dice, world: World, skill: string, draft: Draft): Item {
  const { responseFormat, reasoning = false, expect } = draft;
  const { messages, tools: offered } = surrounded(chance, world, draft);
  return {
    skill,
    messages: [...messages],
    ...(offered === undefined ? {} : { tools: [...offered] }),
    response_format: responseFormat,
    reasoning,
    expect: { ...expect, thinks: reasoning, ends: true },
  };
}
