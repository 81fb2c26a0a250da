/**
 * A run in the books: its row in the usage table and what is reserved for it, written before the engine works; its end and what it
 * is charged, written together when it has ended.
 */
import { asHearthError } from "../../core/errors.js";
import { chargeOf, reserveFor, settleFor } from "../../accounts/money/ledger.js";
import type { EndedRun } from "../../core/metrics.js";
import { costOf, type Ticks } from "../../core/money.js";
import type { RunOutcome } from "./run-record.js";
import { noUsage } from "../../core/usage.js";
import type { Write } from "../../store/write.js";
import type { Booked, Books, Progress } from "./run-deps.js";

/**
 * The row is there before the first token is, so that a process that dies leaves a trace of every run.
 * @throws HearthError `no_credits` when others have meanwhile taken what was to be reserved.
 */
export async function record(
  deps: Pick<Books, "runs" | "ledger" | "clock">,
  task: Booked,
  progress: Pick<Progress, "recorded">,
  { promptTokens, reservedTicks }: { readonly promptTokens: number; readonly reservedTicks: Ticks | null },
): Promise<void> {
  const { principal, requestId, endpoint } = task.context;
  const { id: model, prices } = task.model.manifest;
  const usage = { ...noUsage, promptTokens };
  const startTime = deps.clock.now();
  const teamId = principal.team.id;
  const reserve = reserveFor({ id: task.id, teamId }, reservedTicks ?? 0, startTime);
  await deps.runs.insert(
    {
      ...{ id: task.id, requestId, teamId, apiKeyId: principal.key.id, endpoint },
      ...{ model, askedModel: task.askedModel },
      ...{ state: "running", usage, costTicks: costOf(usage, prices), prices, reservedTicks },
      ...{ startTime, endTime: null },
    },
    reserve === null ? [] : deps.ledger.posting(reserve),
  );
  progress.recorded = { reservedTicks };
}

/** What the books look at of a run's progress. */
type Account = Pick<Progress, "recorded" | "usage" | "failure">;

/** What became of a run's end. */
export interface Settled {
  /** Resolves, never rejects, once it is written after all, or given up; null where it was written at once. */
  readonly unwritten: Promise<void> | null;
}

/**
 * What was produced is charged, also when the client left or the engine failed; what is kept of it is written with that.
 */
export async function settle(
  deps: Books,
  task: Booked,
  progress: Account,
  state: EndedRun["state"],
): Promise<Settled> {
  const kept = task.context.keeper?.writes({ state, failure: progress.failure }) ?? null;
  const isPutBack = task.context.keeper !== undefined && kept === null;
  const write = (): Promise<void> =>
    writeEnd(deps, task, progress, { state: isPutBack ? "interrupted" : state, kept });
  try {
    await write();
    return { unwritten: null };
  } catch (thrown) {
    deps.onSettleFailure(task.id, thrown);
    if (kept === null || kept.length === 0) return { unwritten: deps.settling.again(write) };
    // Whoever was told of the end would take it for kept; nobody pays for what is lost, or made anew.
    progress.failure ??= asHearthError(thrown);
    const lost: End = { state: "interrupted", kept: null };
    return { unwritten: deps.settling.again(() => writeEnd(deps, task, progress, lost)) };
  }
}

interface End {
  readonly state: RunOutcome["state"];
  readonly kept: readonly Write[] | null;
}

async function writeEnd(deps: Books, task: Booked, progress: Account, { state, kept }: End): Promise<void> {
  const { recorded, usage } = progress;
  if (recorded === null && (kept ?? []).length === 0) return;
  const endTime = deps.clock.now();
  const { reservedTicks } = recorded ?? { reservedTicks: 0 };
  const cost = state === "interrupted" ? 0 : costOf(usage, task.model.manifest.prices);
  const chargeTicks = chargeOf(cost, reservedTicks);
  const run = { id: task.id, teamId: task.context.principal.team.id };
  const entries = settleFor(run, { reservedTicks, chargeTicks }, endTime);
  await deps.runs.settle(task.id, { state, usage, costTicks: chargeTicks, endTime }, [
    ...(entries === null ? [] : deps.ledger.posting(entries)),
    ...(kept ?? []),
  ]);
}
