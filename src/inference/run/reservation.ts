/**
 * What a run may cost, before any of it is done. It owns the bound that is reserved and the refusal of a team that has not as much;
 * that nobody spends the same credit twice is the store's, when the bound is reserved.
 */
import type { LoadedModel, Prompt } from "../../core/engine.js";
import { HearthError } from "../../core/errors.js";
import type { GenerationRequest } from "../../core/generation.js";
import { lackingFor, noCredits } from "../../accounts/money/ledger.js";
import { costBoundOf, isFree, type Ticks } from "../../core/money.js";
import { reasoningTokensMaxOf } from "./reasoning-limit.js";
import type { Booked, GenerateDeps, Task } from "./run-deps.js";

/** Tokens around a block of reasoning, which no bound counts. */
const reasoningMarkTokensMax = 64;

/** Refuses a team that has nothing at all before a model is loaded for it. @throws HearthError `no_credits`. */
export async function refuseWithoutCredit(
  { ledger, clock }: Pick<GenerateDeps, "ledger" | "clock">,
  { model, context }: Booked,
): Promise<void> {
  const { team } = context.principal;
  if (team.billing === "unmetered" || isFree(model.manifest.prices)) return;
  const lacking = lackingFor(await ledger.spendable(team.id, clock.now()), 1);
  if (lacking !== null) throw noCredits(team.id, null, lacking);
}

/**
 * What is to be reserved for a run: the most that it can cost; null for a team that need not.
 * @throws HearthError `no_credits` when the team has less, `invalid_value` when it is more than can be counted.
 */
export async function reservationOf(
  deps: GenerateDeps,
  { model, request, context }: Task,
  loaded: LoadedModel,
  prompts: readonly Prompt[],
): Promise<Ticks | null> {
  const bound = boundOf(request, prompts, model.manifest.capabilities.reasoning, loaded.contextTokens);
  return bounded(deps, { model, context }, bound);
}

/** The same for a run that draws so many images. */
export async function imagesReservationOf(
  deps: Pick<GenerateDeps, "ledger" | "clock">,
  run: Pick<Booked, "model" | "context">,
  images: number,
): Promise<Ticks | null> {
  return bounded(deps, run, { prompt: 0, sampled: 0, images });
}

async function bounded(
  { ledger, clock }: Pick<GenerateDeps, "ledger" | "clock">,
  { model, context }: Pick<Booked, "model" | "context">,
  bound: Parameters<typeof costBoundOf>[0],
): Promise<Ticks | null> {
  const { team } = context.principal;
  const ticks = countable(() => costBoundOf(bound, model.manifest.prices));
  if (team.billing === "unmetered") return null;
  if (ticks === 0) return ticks;
  const lacking = lackingFor(await ledger.spendable(team.id, clock.now()), ticks);
  if (lacking !== null) throw noCredits(team.id, ticks, lacking);
  return ticks;
}

function boundOf(
  request: GenerationRequest,
  prompts: readonly Prompt[],
  reasons: boolean,
  contextTokens: number,
): { readonly prompt: number; readonly sampled: number } {
  const lengths = prompts.map(({ tokens }) => tokens.length);
  const share = request.choices / prompts.length;
  const answerTokens = answerTokensMax(request, reasons);
  const sampled = lengths.map((length) => share * Math.min(answerTokens, contextTokens - length));
  return { prompt: sum(lengths), sampled: sum(sampled) };
}

/** Tokens that one choice may sample, if the context holds as many. */
function answerTokensMax(request: GenerationRequest, reasons: boolean): number {
  const { maxTokens, maxTokensExcludesReasoning } = request;
  if (maxTokens === null) return Infinity;
  if (!maxTokensExcludesReasoning || !reasons) return maxTokens;
  return maxTokens + (reasoningTokensMaxOf(request) ?? Infinity) + reasoningMarkTokensMax;
}

function countable(count: () => Ticks): Ticks {
  try {
    return count();
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    throw new HearthError("invalid_value", "This request may cost more than can be counted.", {
      cause: thrown,
    });
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
