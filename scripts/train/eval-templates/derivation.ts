/** Prints what is derived from a template, and whether calls of many shapes survive being rendered and parsed. */
import { basename } from "node:path";
import { readSource } from "../../../test/kit/replay/read-source.js";
import type { NamedTemplate } from "./python.js";
import { roundTrip } from "./round-trip.js";
import { argumentShapes } from "./shapes.js";
import { faultsOfTurns, turnCount } from "./turns.js";

/** Faults that are shown of one template. */
const faultsMax = 3;

/** Prints the templates and a summary. */
export async function printDerivations(templates: readonly NamedTemplate[]): Promise<void> {
  const all = Object.keys(argumentShapes).length;
  const counts: (number | null)[] = [];
  for (const template of templates) counts.push(await printDerivation(template));
  const withTools = counts.filter((count) => count !== null);
  const whole = withTools.filter((count) => count === all).length;
  console.log(`${whole} of ${withTools.length} templates with tools read all ${all} shapes back\n`);
}

/** @returns how many shapes survive; null for a template without tools */
async function printDerivation({ name, source }: NamedTemplate): Promise<number | null> {
  const started = performance.now();
  const read = await readSource(source);
  if (read === null) {
    console.log(`${basename(name, ".jinja")}: not a valid template`);
    return null;
  }
  const { reading, turn, endTexts } = read;
  const milliseconds = Math.round(performance.now() - started);
  const { template, repairs, reasoning } = reading;
  const isKnown = /\btools?\b|tool_calls/.test(source);
  console.log(`${basename(name, ".jinja")} (${milliseconds} ms)`);
  console.log(`     repairs   ${repairs.length === 0 ? "none" : repairs.join(", ")}`);
  console.log(`     calls     ${isKnown ? JSON.stringify(template.tools.example) : "in words"}`);
  console.log(`     reasoning ${reasoning === null ? "none" : JSON.stringify(reasoning)}`);
  const turnFaults = await faultsOfTurns(reading, endTexts);
  console.log(`     turns     ${turnCount - turnFaults.length} of ${turnCount}`);
  for (const fault of turnFaults) console.log(`               ${fault}`);
  if (!isKnown) return null;
  const faults: string[] = [];
  for (const [shape, given] of Object.entries(argumentShapes)) {
    const fault = turn === null ? "no turn is rendered" : await roundTrip(reading, turn, endTexts, given);
    if (fault !== null) faults.push(`${shape}: ${fault}`);
  }
  const all = Object.keys(argumentShapes).length;
  console.log(`     shapes    ${all - faults.length} of ${all}`);
  for (const fault of faults.slice(0, faultsMax)) console.log(`               ${fault}`);
  return all - faults.length;
}
