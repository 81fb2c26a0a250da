/**
 * Measures decode and prefill of Hearth, the raw loop and llama-server in turn, round by round, on the same
 * prompts.
 */
import { llamaServerProgram } from "../../../../test/kit/doubles/llama-server/program.mjs";
import { writeWords, type BenchModel } from "../../world/models.js";
import { quantile, spread, toRow, type Row } from "../../figures/table.js";
import { startCeiling, type Ceiling } from "./ceiling.js";
import { totalRate, firstTokenMs, type Contender, type TokenizedPrompt, type Terms } from "./contender.js";
import { startHearth } from "./hearth.js";
import { startLlamaContender } from "./llama-server.js";

/** The amount of work; a larger model takes longer, so it does less. */
export interface SpeedEffort {
  readonly rounds: number;
  readonly decodeTokens: number;
}

const clientCounts = [1, 4, 8, 16] as const;
const shortPromptWords = 6;
const longPromptTokens = 500;

type Timed = "ceiling" | "ceilingWarm" | "hearth" | "hearthWarm" | "llama";

interface Field {
  readonly ceiling: Ceiling;
  readonly hearth: Contender;
  readonly llamaServer: Contender | null;
}

/** @param largeEnough whether the model has the size at which the speed of llama-server is the target */
export async function* speedRows(
  model: BenchModel,
  terms: Terms,
  effort: SpeedEffort,
  largeEnough: boolean,
): AsyncGenerator<readonly Row[]> {
  const field: Field = {
    ceiling: await startCeiling(model, terms),
    hearth: await startHearth(model, terms),
    llamaServer: llamaServerProgram() === null ? null : await startLlamaContender(model, terms),
  };
  const all = [field.ceiling, field.hearth, ...(field.llamaServer === null ? [] : [field.llamaServer])];
  for (const contender of all) await contender.answer([prompt(field, 0, shortPromptWords)], 8);
  for (const clients of clientCounts) yield await decodeRows(field, clients, effort, largeEnough);
  yield await prefillRows(field, effort);
  for (const contender of all) await contender.close();
}

async function decodeRows(
  field: Field,
  clients: number,
  { rounds, decodeTokens }: SpeedEffort,
  largeEnough: boolean,
): Promise<readonly Row[]> {
  const rates = { ceiling: [] as number[], hearth: [] as number[], llamaServer: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    const prompts = Array.from({ length: clients }, (_, client) =>
      prompt(field, 1 + (round * 16 + client) * 20 + clients, shortPromptWords),
    );
    for (const name of ["ceiling", "hearth", "llamaServer"] as const) {
      const answers = await field[name]?.answer(prompts, decodeTokens);
      if (answers !== undefined) rates[name].push(totalRate(answers));
    }
  }
  const figure = `decode, ${clients} client${clients === 1 ? "" : "s"}`;
  const rows = [
    toRow(`${figure}: raw loop`, spread(rates.ceiling, 0, "tok/s")),
    toRow(`${figure}: Hearth over HTTP`, spread(rates.hearth, 0, "tok/s")),
    toRow(`${figure}: Hearth / raw loop`, spread(ratios(rates.hearth, rates.ceiling), 2, "")),
  ];
  if (field.llamaServer === null) return rows;
  return [
    ...rows,
    toRow(`${figure}: llama-server`, spread(rates.llamaServer, 0, "tok/s")),
    toRow(
      `${figure}: Hearth / llama-server`,
      spread(ratios(rates.hearth, rates.llamaServer), 2, ""),
      findReach(clients, largeEnough),
    ),
  ];
}

/** A token of a small model takes less time than what HTTP adds to it. */
function findReach(clients: number, largeEnough: boolean): string {
  if (largeEnough) return ">= 1.00";
  return clients <= 4 ? ">= 0.95" : "";
}

async function prefillRows(field: Field, { rounds }: SpeedEffort): Promise<readonly Row[]> {
  const ms = { ceiling: [], ceilingWarm: [], hearth: [], hearthWarm: [], llama: [] } as Record<
    Timed,
    number[]
  >;
  let [tokens, cached] = [0, 0];
  for (let round = 0; round < rounds; round += 1) {
    const kind = 100_000 + round * 20;
    const words = wordsOfTokens(field, kind, longPromptTokens);
    const cold = prompt(field, kind, words);
    tokens = cold.tokens.length;
    // Warm means the same prompt again: all tokens but the last are in the cache.
    for (const [name, contender, asked] of [
      ["ceiling", field.ceiling, cold],
      ["ceilingWarm", field.ceiling, cold],
      ["hearth", field.hearth, cold],
      ["hearthWarm", field.hearth, cold],
      ["llama", field.llamaServer, cold],
    ] as const) {
      const [answer] = (await contender?.answer([asked], 4)) ?? [];
      if (answer !== undefined) ms[name].push(firstTokenMs(answer));
      if (name === "hearthWarm") cached = answer?.cachedTokens ?? 0;
    }
  }
  const figure = `TTFT of ${tokens} tokens`;
  const rate = (times: readonly number[]): string =>
    `${((tokens / quantile(times, 0.5)) * 1000).toFixed(0)} tok/s`;
  const llama = toRow("prefill: llama-server", rate(ms.llama));
  return [
    toRow("prefill: raw loop", rate(ms.ceiling)),
    toRow("prefill: Hearth over HTTP", rate(ms.hearth)),
    toRow("prefill: Hearth / raw loop", spread(ratios(ms.ceiling, ms.hearth), 2, "")),
    ...(ms.llama.length === 0 ? [] : [llama]),
    toRow(`${figure}, cold`, spread(ms.hearth, 1, "ms")),
    toRow(`${figure}, repeated, ${cached} cached`, spread(ms.hearthWarm, 1, "ms")),
    toRow("TTFT warm / cold", spread(ratios(ms.hearthWarm, ms.hearth), 3, ""), "<= 0.1"),
    toRow("the same in the raw loop", spread(ratios(ms.ceilingWarm, ms.ceiling), 3, "")),
  ];
}

function prompt({ ceiling }: Field, kind: number, words: number): TokenizedPrompt {
  return ceiling.prompt(writeWords(kind, words));
}

/** Returns the number of words of that kind for a prompt of about this number of tokens. */
function wordsOfTokens({ ceiling }: Field, kind: number, tokens: number): number {
  const probe = 200;
  return Math.round((tokens / ceiling.prompt(writeWords(kind, probe)).tokens.length) * probe);
}

/** Round by round, because other load on the machine affected both. */
function ratios(of: readonly number[], to: readonly number[]): readonly number[] {
  return of.map((value, round) => value / (to[round] ?? Number.NaN));
}
