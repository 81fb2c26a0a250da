/**
 * `npm run eval:templates -- DIR`: renders each chat template (`*.jinja`) of a folder with a dozen conversations, with the engine of
 * this server and with Python's jinja2 as transformers sets it up, and prints how many are equal.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { JinjaTemplate } from "../src/engine/template/jinja.js";
import { conversations } from "./eval-templates/conversations.js";
import { referenceRows, type Reference } from "./eval-templates/reference.js";

/** 26 July 2024, 12:30:05 in UTC. */
const now = 1_721_997_005;
const budget = { stepsMax: 2_000_000, cpuMsMax: 60_000, textLengthMax: 64 * 1024 * 1024 };
/** Characters that are shown of a difference. */
const shownMax = 160;

process.env.TZ = "UTC";
process.exitCode = main(process.argv.slice(2));

/** @returns the exit status: 0 where all are equal, 1 where one differs, 2 where nothing could be compared */
function main([folder]: readonly string[]): number {
  if (folder === undefined) {
    console.error("Usage: npm run eval:templates -- DIR");
    return 2;
  }
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".jinja"))
    .sort();
  const templates = names.map((name) => readFileSync(join(folder, name), "utf8"));
  const given = Object.values(conversations);
  const rows = referenceRows({ now, templates, conversations: given });
  if (rows === null) {
    console.error("Python 3 with jinja2 is needed; it is not on this machine.");
    return 2;
  }
  const compared = names.map((name, at) => compare(name, templates[at] ?? "", rows[at] ?? []));
  const equal = compared.reduce((sum, count) => sum + count, 0);
  console.log(`${equal} of ${names.length * given.length} are equal`);
  return equal === names.length * given.length ? 0 : 1;
}

/** Prints one template. @returns how many of its conversations are equal */
function compare(name: string, source: string, references: readonly Reference[]): number {
  const outcomes = Object.entries(conversations).map(([conversation, variables], at) => ({
    conversation,
    difference: differenceOf(render(source, variables), references[at] ?? { error: "not rendered" }),
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
function differenceOf(ours: Reference, theirs: Reference): string | null {
  if ("error" in ours) return "error" in theirs ? null : `refused: ${ours.error}`;
  if ("error" in theirs) return `accepted, Python refuses: ${theirs.error}`;
  if (ours.text === theirs.text) return null;
  let at = 0;
  while (at < ours.text.length && ours.text[at] === theirs.text[at]) at += 1;
  const from = Math.max(0, at - 40);
  const shown = (text: string): string => JSON.stringify(text.slice(from, from + shownMax));
  return `differs at ${at}\n     ours   ${shown(ours.text)}\n     Python ${shown(theirs.text)}`;
}
