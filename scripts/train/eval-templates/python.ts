/** Compares renderings with the renderings of Python's jinja2, as transformers sets it up. */
import { basename } from "node:path";
import { JinjaTemplate } from "../../../src/template/jinja.js";
import { conversations } from "./conversations.js";
import { referenceRows, type Reference } from "./reference.js";

/** A template and its file's name. */
export interface NamedTemplate {
  readonly name: string;
  readonly source: string;
}

/** 26 July 2024, 12:30:05 in UTC. */
const now = 1_721_997_005;
const budget = { stepsMax: 2_000_000, cpuMsMax: 60_000, textLengthMax: 64 * 1024 * 1024 };
/** Characters that are shown of a difference. */
const shownMax = 160;

/**
 * Renders every template with a dozen conversations and prints what differs.
 * @returns whether all are equal; null where Python or its jinja2 is missing
 */
export function compareWithPython(templates: readonly NamedTemplate[]): boolean | null {
  const given = Object.values(conversations);
  const sources = templates.map(({ source }) => source);
  const rows = referenceRows({ now, templates: sources, conversations: given });
  if (rows === null) return null;
  const compared = templates.map(({ name, source }, at) => compare(name, source, rows[at] ?? []));
  const equal = compared.reduce((sum, count) => sum + count, 0);
  console.log(`${equal} of ${templates.length * given.length} are equal`);
  return equal === templates.length * given.length;
}

/** Prints one template. @returns how many of its conversations are equal */
function compare(name: string, source: string, references: readonly Reference[]): number {
  const outcomes = Object.entries(conversations).map(([conversation, variables], at) => ({
    conversation,
    difference: findDifference(render(source, variables), references[at] ?? { error: "not rendered" }),
  }));
  const different = outcomes.filter(({ difference }) => difference !== null);
  const equal = outcomes.length - different.length;
  const extended = references.filter((reference) => "extended" in reference && reference.extended).length;
  const note = extended === 0 ? "" : ` (${extended} only with what llama.cpp adds)`;
  console.log(`${String(equal).padStart(3)} of ${outcomes.length}  ${basename(name, ".jinja")}${note}`);
  const [first] = different;
  if (first !== undefined) console.log(`     ${first.conversation}: ${first.difference}`);
  return equal;
}

function render(source: string, variables: Readonly<Record<string, unknown>>): Reference {
  try {
    const clock = { cpuMs: () => process.cpuUsage().user / 1000, nowMs: () => now * 1000 };
    const rendering = new JinjaTemplate(source, clock).render(variables, budget);
    if (rendering.type === "text") return { text: rendering.text, extended: false };
    return { error: rendering.type === "exceeded" ? rendering.limit : rendering.reason };
  } catch (thrown) {
    return { error: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** @returns null where both texts are the same, or both engines refuse */
function findDifference(ours: Reference, theirs: Reference): string | null {
  if ("error" in ours) return "error" in theirs ? null : `refused: ${ours.error}`;
  if ("error" in theirs) return `accepted, Python refuses: ${theirs.error}`;
  if (ours.text === theirs.text) return null;
  let at = 0;
  while (at < ours.text.length && ours.text[at] === theirs.text[at]) at += 1;
  const from = Math.max(0, at - 40);
  const shown = (text: string): string => JSON.stringify(text.slice(from, from + shownMax));
  return `differs at ${at}\n     ours   ${shown(ours.text)}\n     Python ${shown(theirs.text)}`;
}
