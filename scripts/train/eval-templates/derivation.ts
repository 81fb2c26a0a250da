/** Prints what is derived from a template, and whether calls of many shapes survive being rendered and parsed. */
import { basename } from "node:path";
import { readTurn, type TurnTexts } from "../../../src/engine/language/derive/turn.js";
import { probeTools } from "../../../src/engine/language/derive/probes.js";
import { readTemplate } from "../../../src/engine/language/prompt/read-template.js";
import { definitionVariables } from "../../../src/engine/language/tools/tools-as-text.js";
import { JinjaTemplate, type Rendering } from "../../../src/template/jinja.js";
import type { NamedTemplate } from "./python.js";
import { roundTrip } from "./round-trip.js";
import { argumentShapes } from "./shapes.js";
import { faultsOfTurns, endMark, turnCount } from "./turns.js";

const budget = { stepsMax: 2_000_000, cpuMsMax: 60_000, textLengthMax: 64 * 1024 * 1024 };
/** Without a vocabulary, what ends a turn besides the end of the sequence is not known. */
const texts = { bosText: "<s>", eosText: "</s>", endTexts: ["<|eot_id|>", "<|eom_id|>"] };
/** Faults that are shown of one template. */
const faultsMax = 3;

type Render = (variables: Readonly<Record<string, unknown>>) => Promise<Rendering>;

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
  const render = createRenderer(source);
  if (render === null) {
    console.log(`${basename(name, ".jinja")}: not a valid template`);
    return null;
  }
  const turn = await findTurn(render);
  const ends = [endMark(turn?.end ?? "") ?? []].flat();
  const endTexts = [texts.eosText, ...texts.endTexts, ...ends];
  const reading = await readTemplate(
    source,
    { render, close: () => Promise.resolve() },
    { ...texts, endTexts },
  );
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

function createRenderer(source: string): Render | null {
  const clock = { cpuMs: () => process.cpuUsage().user / 1000, nowMs: () => 1_721_997_005_000 };
  try {
    const template = new JinjaTemplate(source, clock);
    return (variables) => Promise.resolve(template.render(variables, budget));
  } catch {
    return null;
  }
}

async function findTurn(render: Render): Promise<TurnTexts | null> {
  const attempts = [
    { tools: probeTools },
    { tools: [] },
    { tools: probeTools, ...definitionVariables(probeTools) },
  ];
  for (const variables of attempts) {
    const reading = readTurn();
    let step = reading.next();
    while (step.done !== true) {
      const rendering = await render({
        ...step.value,
        ...variables,
        bos_token: "<s>",
        eos_token: "</s>",
      });
      step = reading.next(rendering.type === "text" ? rendering.text : null);
    }
    if (step.value !== null) return step.value;
  }
  return null;
}
