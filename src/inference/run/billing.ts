/**
 * The billing of a run: its row in the usage table and its reservation, written before the engine works; its end and its charge,
 * written together when it has ended.
 */
import { HearthError, type ErrorKind } from "../../core/errors.js";
import { noLabels } from "../../accounts/principals/spend-labels.js";
import { chargeOf, reserveTransaction, settleTransaction } from "../../accounts/money/ledger.js";
import { costOf, type Ticks } from "../../core/money.js";
import { noUsage, type Usage, type UsageBound } from "../../core/usage.js";
import type { Write } from "../../store/writes.js";
import type { RunEnd } from "./recorder.js";
import type { BillableRun, BillingDeps } from "./run-deps.js";
import { reservationFor, type Reservation } from "./reservation.js";
import type { RunEnding, RunOutcome, RunRecord } from "./run-record.js";

/**
 * Inserts the row of a run and reserves credit for it, before the first token, so that a process that dies leaves a trace of every
 * run.
 * @returns when the run started. @throws HearthError `no_credits` or `budget_exceeded` when other runs have reserved the credit or the budget since it was checked.
 */
export async function record(
  { runs, ledger, budgets, clock }: Pick<BillingDeps, "runs" | "ledger" | "budgets" | "clock">,
  run: BillableRun,
  { promptTokens, reservation, createTime }: StartedRun,
): Promise<number> {
  const { reservedTicks, bound } = reservation;
  const { principal, requestId, endpoint } = run.context;
  const { id: model, prices } = run.model.manifest;
  const usage = { ...noUsage, promptTokens };
  const startTime = clock.now();
  const teamId = principal.team.id;
  const reserve = reserveTransaction({ id: run.id, teamId }, reservedTicks ?? 0, startTime);
  const row: RunRecord = {
    id: run.id,
    requestId,
    teamId,
    apiKeyId: principal.key.id,
    endpoint,
    model,
    requestedModel: run.requestedModel,
    state: "running",
    usage,
    costTicks: costOf(usage, prices),
    prices,
    reservedTicks,
    startTime,
    endTime: null,
    budgeted: { userId: principal.key.userId, bound },
    accepted: { createTime, streamed: run.context.streamed ?? false },
    labelled: { text: run.labels ?? null, spend: principal.labels ?? noLabels },
  };
  try {
    await runs.insert(row, reserve === null ? [] : ledger.posting(reserve));
  } catch (thrown) {
    if (thrown instanceof HearthError && thrown.kind === "budget_exceeded")
      throw await budgets.refusal(principal, bound);
    throw thrown;
  }
  return startTime;
}

/**
 * Reserves more credit and budget for a run that is running: in one transaction, with a transaction of the ledger of its own.
 * @returns all that is reserved now. @throws HearthError as `record`, or `invalid_value` when the cost is too large to be counted.
 */
export async function enlarge(
  deps: Pick<BillingDeps, "runs" | "ledger" | "budgets" | "clock">,
  run: BillableRun,
  before: Reservation,
  more: UsageBound,
): Promise<Reservation> {
  const { principal } = run.context;
  const added = await reservationFor(deps, run, more);
  const { reservedTicks, bound } = sumOf(before, added);
  const ledgerRun = { id: run.id, teamId: principal.team.id };
  const reserve = reserveTransaction(ledgerRun, added.reservedTicks ?? 0, deps.clock.now());
  try {
    const writes = reserve === null ? [] : deps.ledger.posting(reserve);
    await deps.runs.enlarge(run.id, { teamId: principal.team.id, reservedTicks, bound }, writes);
  } catch (thrown) {
    if (thrown instanceof HearthError && thrown.kind === "budget_exceeded")
      throw await deps.budgets.refusal(principal, added.bound);
    throw thrown;
  }
  return { reservedTicks, bound };
}

function sumOf(one: Reservation, other: Reservation): Reservation {
  return {
    reservedTicks: one.reservedTicks === null ? null : one.reservedTicks + (other.reservedTicks ?? 0),
    bound: {
      ticks: one.bound.ticks + other.bound.ticks,
      tokens: one.bound.tokens + other.bound.tokens,
    },
  };
}

/** What is recorded of a run when it starts. */
interface StartedRun {
  readonly promptTokens: number;
  readonly reservation: Reservation;
  /** When its request was accepted. */
  readonly createTime: number;
}

/** What billing reads of a run that has ended. */
export interface EndedRun {
  readonly run: BillableRun;
  /** What was reserved when the run's row was inserted; null when it has no row. */
  readonly recorded: Reservation | null;
  /** Within what is reserved. */
  readonly usage: Usage;
  readonly ending: RunEnding;
  fail(thrown: unknown): void;
}

export interface Settlement {
  /** What the run is charged. */
  readonly chargedTicks: Ticks;
  /**
   * Resolves, never rejects, once the end is written after a failed attempt, or was given up; null when the first attempt wrote it.
   */
  readonly unwritten: Promise<void> | null;
}

/**
 * Writes how a run ended and charges what it produced, also when its client left or the engine failed.
 * @param writes written together with the end; null when the run is void and costs nothing.
 */
export async function settle(
  deps: BillingDeps,
  ended: EndedRun,
  state: RunEnd["state"],
  writes: readonly Write[] | null,
): Promise<Settlement> {
  const end: End = writes === null ? voidEnd : { state, writes };
  const chargedTicks = chargeTicksOf(ended, end);
  try {
    await writeEnd(deps, ended, end);
    return { chargedTicks, unwritten: null };
  } catch (thrown) {
    // Taken over by another server, while this one was cut off or did not run: it is interrupted, at no cost.
    if (hasEnded(thrown) && end.writes.length === 0) return { chargedTicks: 0, unwritten: null };
    if (!hasEnded(thrown)) deps.onSettleFailure(ended.run.id, thrown);
    const retried = end.writes.length === 0 ? end : voidEnd;
    // The client must not take its result for stored, and nobody pays for what is lost or will be done again.
    if (retried !== end) ended.fail(thrown);
    const unwritten = deps.settleRetries.retry(() => writeEnd(deps, ended, retried).catch(ignoreEnded));
    return { chargedTicks: retried === end ? chargedTicks : 0, unwritten };
  }
}

/** Whether a run, or what belongs to it, has been ended by another server. */
function hasEnded(thrown: unknown): boolean {
  return thrown instanceof HearthError && thrown.kind === "conflict";
}

function ignoreEnded(thrown: unknown): void {
  if (!hasEnded(thrown)) throw thrown;
}

interface End {
  readonly state: RunOutcome["state"];
  readonly writes: readonly Write[];
}

const voidEnd: End = { state: "interrupted", writes: [] };

/** Returns what a run that has ended is charged, unless it is void: nothing when it has no row, never more than its bound. */
export function chargeRun({ run, recorded, usage }: Pick<EndedRun, "run" | "recorded" | "usage">): Ticks {
  return recorded === null ? 0 : chargeOf(costOf(usage, run.model.manifest.prices), recorded.bound.ticks);
}

function chargeTicksOf(ended: EndedRun, { state }: End): Ticks {
  return state === "interrupted" ? 0 : chargeRun(ended);
}

async function writeEnd(deps: BillingDeps, ended: EndedRun, end: End): Promise<void> {
  const { run, recorded, usage, ending } = ended;
  const { state, writes } = end;
  if (recorded === null) {
    if (writes.length > 0) await deps.runs.finishUnrecorded(writes);
    return;
  }
  const endTime = deps.clock.now();
  const { reservedTicks } = recorded;
  const chargeTicks = chargeTicksOf(ended, end);
  const ledgerRun = { id: run.id, teamId: run.context.principal.team.id };
  const transaction = settleTransaction(ledgerRun, { reservedTicks, chargeTicks }, endTime);
  await deps.runs.finish(run.id, { state, usage, costTicks: chargeTicks, endTime, ending }, [
    ...(transaction === null ? [] : deps.ledger.posting(transaction)),
    ...writes,
  ]);
}

/** What neither the request nor the model has caused: an error of the server or of an engine, a full queue, the end of the server. */
const faults: ReadonlySet<ErrorKind> = new Set(["internal", "overloaded", "model_unavailable", "conflict"]);

/**
 * Whether a run has no answer because of a fault of the server or of its engine.
 * @param isComplete whether everything that was requested was produced
 */
export function isServerFault(
  { failure, signal }: { readonly failure: HearthError | null; readonly signal: AbortSignal },
  isComplete: boolean,
): boolean {
  const reason: unknown = failure ?? (isComplete ? null : signal.reason);
  return reason instanceof HearthError && faults.has(reason.kind);
}

/** Returns the usage of a run that costs nothing and counts nowhere. The runs of its server calls are charged by themselves. */
export function dropTokens({ serverCalls, serverCallTicks }: Usage): Usage {
  return { ...noUsage, serverCalls, serverCallTicks };
}

/** Returns a usage with what its run is charged, server calls included. */
export function withCharge(usage: Usage, ownTicks: Ticks): Usage {
  return { ...usage, chargedTicks: ownTicks + (usage.serverCallTicks ?? 0) };
}
