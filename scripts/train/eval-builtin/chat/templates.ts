/**
 * Fills templates with `{slots}`, and compares them with the templates of the training, which the evaluation must not
 * use.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Dice } from "./dice.js";

/** Templates by purpose, nested to any depth. */
export type Templates = string | readonly Templates[] | { readonly [part: string]: Templates };

/**
 * Returns a template with its slots filled, with `an` for `a` before a vowel. @throws Error for a missing
 * slot
 */
export function fill(template: string, slots: Readonly<Record<string, string | number>>): string {
  return template.replace(/(\b[Aa] )?\{(\w+)\}/g, (_, article: string | undefined, slot: string) => {
    const value = slots[slot];
    if (value === undefined) throw new Error(`no {${slot}} for "${template}"`);
    const an = article !== undefined && /^[aeiou]/i.test(String(value));
    return `${an ? `${article.trim()}n ` : (article ?? "")}${value}`;
  });
}

/**
 * Varies a filled template like casual speech: a word before it, no full stop after it.
 * @param talkative the probability of a word before it
 */
export function said(chance: Dice, text: string, talkative = 0.3): string {
  const opening = chance.happens(talkative) ? chance.pick(openings) : "";
  const bare = chance.happens(0.15) ? text.replace(/[.?!]$/, "") : text;
  const lowers = opening.endsWith(", ") && /^[A-Z][a-z]+ /.test(bare) && /^(?!I |I')/.test(bare);
  const closing = chance.happens(0.12) && /[.?!]$/.test(bare) ? chance.pick(closings) : "";
  return `${opening}${lowers ? bare.charAt(0).toLowerCase() + bare.slice(1) : bare}${closing}`;
}

const openings = [
  "OK, ",
  "So, ",
  "Well, ",
  "Now, ",
  "Hey, ",
  "Hi! ",
  "Hello. ",
  "Next one: ",
  "Quick question: ",
];
const closings = [" Thanks!", " Thank you.", " Thank you very much.", " Thanks in advance."];

/** Returns all templates of all purposes. */
export function listed(templates: unknown): readonly string[] {
  if (typeof templates === "string") return [templates];
  if (typeof templates !== "object" || templates === null) return [];
  return Object.values(templates).flatMap(listed);
}

/**
 * Returns the part of a template that is compared: its words, with equal slots, without case and punctuation.
 */
export function normalized(template: string): string {
  return template
    .toLowerCase()
    .replace(/\{[^{}]*\}/g, " {} ")
    .replace(/[^\p{L}\p{N}{}]+/gu, " ")
    .trim();
}

/** Returns the templates that the training also has. */
export function shared(own: readonly string[], trained: readonly string[]): readonly string[] {
  const known = new Set(trained.map(normalized));
  return own.filter((template) => known.has(normalized(template)));
}

/** Returns the words of templates, in lower case. */
export function listWords(templates: readonly string[]): ReadonlySet<string> {
  return new Set(templates.flatMap((template) => normalized(template).match(/\p{L}+/gu) ?? []));
}

/**
 * Returns all templates of the training: every text in every JSON file of a folder; none if the folder does
 * not exist.
 */
export async function trainedTemplates(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith(".json")).sort();
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), "utf8")));
  return texts.flatMap((text, index) => listed(parsed(text, files[index] ?? "")));
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${name} is not JSON`);
  }
}
