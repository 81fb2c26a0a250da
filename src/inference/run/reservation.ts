/**
 * What a run may cost at most, determined before it produces anything, and the refusal of a team that has less credit. The store
 * ensures that no credit is reserved twice.
 */
import type { Principal } from "../../accounts/principals/api-key.js";
import { isRecent } from "../../accounts/principals/team-reading.js";
import type { RequestBound } from "../../accounts/budgets/refusal.js";
import type { Prompt } from "../../core/engine.js";
import { HearthError } from "../../core/errors.js";
import type { GenerationRequest } from "../../core/generation.js";
import { noCreditsError, shortfallFor, type Spendable } from "../../accounts/money/ledger.js";
import { isFree, maxCostOf, type Ticks } from "../../core/money.js";
import type { UsageBound } from "../../core/usage.js";
import type { BillableRun, ExecutorDeps } from "./run-deps.js";

/** Tokens around a block of reasoning, which no bound counts. */
const reasoningMarkTokensMax = 64;

/** What a team may spend, as it was read for a request. */
export interface SpendableReading {
  readonly spendable: Spendable;
  /** In milliseconds of the monotonic clock. */
  readonly at: number;
}

/**
 * Refuses a team without any credit, or a key with a used budget, before a model is loaded for it.
 * @returns what the team may spend; null when it does not matter. @throws HearthError `no_credits`, `budget_exceeded`.
 */
export async function refuseWithoutCredit(
  { ledger, budgets, clock }: Pick<ExecutorDeps, "ledger" | "budgets" | "clock">,
  {
    model,
    context,
  }: Pick<BillableRun, "model"> & {
    readonly context: Pick<BillableRun["context"], "principal">;
  },
): Promise<SpendableReading | null> {
  const { team } = context.principal;
  const free = isFree(model.manifest.prices);
  // Images have no tokens: a budget of tokens does not refuse them.
  const tokens = model.manifest.kind === "image" ? 0 : 1;
  await budgets.check(context.principal, { ticks: free ? 0 : 1, tokens });
  if (team.billing === "unmetered" || free) return null;
  const at = clock.monotonic();
  const known = readingWithKey(context.principal);
  if (suffices(known, 1, at)) return known;
  const spendable = await ledger.spendable(team.id, clock.now());
  const shortfall = shortfallFor(spendable, 1);
  if (shortfall !== null) throw noCreditsError(team.id, null, shortfall);
  return { spendable, at };
}

/** What is reserved when a run's row is inserted. */
export interface Reservation {
  /** Of the team's credit; null for a team that does not pay in advance. */
  readonly reservedTicks: Ticks | null;
  /** Of the budgets. */
  readonly bound: RequestBound;
}

/**
 * Returns what must be reserved for a run: the most that it can cost and use. Whatever was read, the database reserves exactly.
 * @param known what was read for the same request before; null: nothing.
 * @throws HearthError `no_credits` when the team has less, `budget_exceeded` when a budget has, `invalid_value` when the cost is too
 * large to be counted.
 */
export async function reservationFor(
  { ledger, budgets, clock }: Pick<ExecutorDeps, "ledger" | "budgets" | "clock">,
  { model, context }: Pick<BillableRun, "model" | "context">,
  most: UsageBound,
  known: SpendableReading | null = null,
): Promise<Reservation> {
  const { team } = context.principal;
  const ticks = countable(() => maxCostOf(most, model.manifest.prices));
  const bound = { ticks, tokens: most.prompt + most.sampled };
  await budgets.check(context.principal, bound);
  if (team.billing === "unmetered") return { reservedTicks: null, bound };
  if (ticks === 0 || suffices(known, ticks, clock.monotonic())) return { reservedTicks: ticks, bound };
  const shortfall = shortfallFor(await ledger.spendable(team.id, clock.now()), ticks);
  if (shortfall !== null) throw noCreditsError(team.id, ticks, shortfall);
  return { reservedTicks: ticks, bound };
}

/** Returns what the look-up of the key has read; null when it does not say what the team may spend. */
function readingWithKey({ teamHas, readAt }: Principal): SpendableReading | null {
  const credit = teamHas?.credit ?? null;
  return credit === null || readAt === undefined
    ? null
    : { spendable: { credit, monthTicks: null }, at: readAt };
}

/** Whether a recent reading says that a team can pay. */
function suffices(known: SpendableReading | null, ticks: Ticks, now: number): boolean {
  return known !== null && isRecent(known.at, now) && shortfallFor(known.spendable, ticks) === null;
}

/** What bounds the tokens of one answer besides its request. */
export interface AnswerBounds {
  /** Whether the model can reason. */
  readonly reasons: boolean;
  /** See reasoningTokensMaxOf. */
  readonly reasoningTokensMax: number | null;
  /** Tokens that one slot holds. */
  readonly contextTokens: number;
}

/** Returns the most tokens that a request can use. */
export function tokenBound(
  request: GenerationRequest,
  prompts: readonly Prompt[],
  bounds: AnswerBounds,
): UsageBound {
  const lengths = prompts.map(({ tokens }) => tokens.length);
  const choicesPerPrompt = request.choices / prompts.length;
  const answerTokens = answerTokensMax(request, bounds);
  const sampled = lengths.map(
    (length) => choicesPerPrompt * Math.min(answerTokens, bounds.contextTokens - length),
  );
  return { prompt: countPromptTokens(prompts), sampled: sum(sampled) };
}

/** Returns the most tokens that prompts can have. */
export function countPromptTokens(prompts: readonly Prompt[]): number {
  return sum(prompts.map(({ tokens, tokensMax }) => tokensMax ?? tokens.length));
}

/** Returns the most tokens that one choice samples in a context that is large enough. */
function answerTokensMax(request: GenerationRequest, { reasons, reasoningTokensMax }: AnswerBounds): number {
  const { maxTokens, maxTokensExcludesReasoning } = request;
  if (maxTokens === null) return Infinity;
  if (!maxTokensExcludesReasoning || !reasons) return maxTokens;
  return maxTokens + (reasoningTokensMax ?? Infinity) + reasoningMarkTokensMax;
}

function countable(count: () => Ticks): Ticks {
  try {
    return count();
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    throw new HearthError("invalid_value", "The cost of this request may be too large to be counted.", {
      cause: thrown,
    });
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
