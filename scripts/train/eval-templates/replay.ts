/** Lets a model for each template write what models of that template naturally write, and prints which of it comes out as calls. */
import { basename, join } from "node:path";
import OpenAI from "openai";
import { readSource } from "../../../test/kit/replay/read-source.js";
import {
  measurePrompts,
  prepareTemplate,
  replayForms,
  writeFormsModel,
  writeMeasuredModel,
  type PromptTokens,
  type ReplayedOutcome,
  type ReplayedTemplate,
} from "../../../test/kit/replay/replay.js";
import { scratchFolder } from "../../qa/world/processes.js";
import { spawnServer } from "../../qa/world/server.js";
import type { NamedTemplate } from "./python.js";

/** Characters that are shown of a fault. */
const faultLengthMax = 400;

/** Replays every template that is valid, and prints the share of right answers by kind. */
export async function printReplays(templates: readonly NamedTemplate[]): Promise<void> {
  const prepared: ReplayedTemplate[] = [];
  for (const { name, source } of templates) {
    const read = await readSource(source);
    if (read !== null) prepared.push(await prepareTemplate(modelName(name), read));
  }
  const tokens = await measureAll(prepared);
  const folder = scratchFolder();
  for (const template of prepared) {
    const measured = tokens.get(template);
    if (measured !== undefined) await writeFormsModel(join(folder.path, "models"), template, measured);
  }
  const outcomes = await withServer(join(folder.path, "models"), async (client) => {
    const all: ReplayedOutcome[] = [];
    for (const [template, measured] of tokens) {
      const own: ReplayedOutcome[] = [];
      for await (const outcome of replayForms(client, template, measured)) own.push(outcome);
      printTemplate(template.name, own);
      all.push(...own);
    }
    return all;
  });
  folder.remove();
  printShares(outcomes);
}

function modelName(file: string): string {
  return basename(file, ".jinja")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-");
}

async function measureAll(
  prepared: readonly ReplayedTemplate[],
): Promise<ReadonlyMap<ReplayedTemplate, PromptTokens>> {
  const folder = scratchFolder();
  for (const template of prepared) await writeMeasuredModel(join(folder.path, "models"), template);
  const tokens = new Map<ReplayedTemplate, PromptTokens>();
  await withServer(join(folder.path, "models"), async (client) => {
    for (const template of prepared) {
      const measured = await measurePrompts(client, template).catch(String);
      if (typeof measured === "string") console.log(`${template.name}: ${measured}`);
      else tokens.set(template, measured);
    }
  });
  folder.remove();
  return tokens;
}

async function withServer<T>(models: string, act: (client: OpenAI) => Promise<T>): Promise<T> {
  const server = await spawnServer({ HEARTH_MODELS: models, HEARTH_CONTEXT_TOKENS_MAX: "65536" });
  try {
    return await act(new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.key, maxRetries: 0 }));
  } finally {
    await server.stop();
  }
}

function printTemplate(name: string, outcomes: readonly ReplayedOutcome[]): void {
  const faults = outcomes.filter(({ fault }) => fault !== null);
  console.log(`${name}: ${outcomes.length - faults.length} of ${outcomes.length}`);
  const shown = new Set<string>();
  for (const { kind, toolChoice, streamed, fault } of faults) {
    const line = `     ${kind}, ${toolChoice}: ${fault?.slice(0, faultLengthMax) ?? ""}`;
    if (!shown.has(line)) console.log(streamed ? `${line} (streamed)` : line);
    shown.add(line);
  }
}

function printShares(outcomes: readonly ReplayedOutcome[]): void {
  const kinds = new Set(outcomes.map(({ kind }) => kind));
  const share = (own: readonly ReplayedOutcome[]): string => {
    const right = own.filter(({ fault }) => fault === null).length;
    return own.length === 0 ? "-" : `${right}/${own.length} ${((100 * right) / own.length).toFixed(1)} %`;
  };
  console.log("\n| kind | auto | required |\n|---|---|---|");
  for (const kind of [...kinds, null]) {
    const own = outcomes.filter((each) => kind === null || each.kind === kind);
    const by = (choice: string): string => share(own.filter(({ toolChoice }) => toolChoice === choice));
    console.log(`| ${kind ?? "all"} | ${by("auto")} | ${by("required")} |`);
  }
}
