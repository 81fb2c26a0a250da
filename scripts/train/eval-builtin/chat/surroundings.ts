import { chatter } from "./chatter.js";
import type { Dice } from "./dice.js";
import { user, type Draft, type Message, type World } from "./skills/draft.js";
import { declared, harmless } from "./skills/toolbox.js";

/** System prompts that do not change the correct answer. */
export const systemPrompts: readonly string[] = [
  "You answer the questions of a visitor.",
  "You help people who use this program. Keep your answers short.",
  "Answer in a friendly way and keep to the point.",
  "You are the assistant of a small company.",
  "Be polite to the user. Answer every question in one sentence if you can.",
  "You are here to help.",
  "Please answer briefly and in English.",
  "You are talking with a user of our website.",
];

/** Adds context before the question: sometimes system prompts, small talk, and unneeded tools. */
export function surrounded(
  chance: Dice,
  world: World,
  draft: Draft,
): { readonly messages: readonly Message[]; readonly tools?: Draft["tools"] } {
  const { earlier = [], later = [], tools, alone = false } = draft;
  const role = chance.happens(0.2) ? "developer" : "system";
  const orders = chance.happens(0.5) ? [{ role, content: chance.pick(systemPrompts) }] : [];
  const talked = !alone && chance.happens(0.12) ? chatter(chance, world, chance.between(1, 2)) : [];
  const idle = !alone && chance.happens(0.1) ? chance.some(harmless, chance.between(1, 2)).map(declared) : [];
  const offered = tools ?? idle;
  return {
    messages: [...orders, ...talked, ...earlier, user(draft.text), ...later],
    ...(offered.length === 0 ? {} : { tools: offered }),
  };
}
