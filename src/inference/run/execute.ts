/**
 * The life of a run of any kind, from its admission until its end is written. A run does not depend on a reader: it takes its
 * slots, does its work and is settled exactly once, whether or not anyone reads the result. What a run produces is its `RunWork`'s
 * business: a text (generate.ts) or images (images/generate-images.ts).
 */
import { tooManyRuns } from "../too-many-runs.js";
import { noLabels } from "../../accounts/principals/spend-labels.js";
import { setMaxListeners } from "node:events";
import { HearthError } from "../../core/errors.js";
import type { FinishedRun } from "../../core/metrics.js";
import { costOf } from "../../core/money.js";
import type { RunOperation } from "../../core/telemetry/run-operation.js";
import type { EndedRun, RunParameters, Span, StartedRun } from "../../core/telemetry/tracing.js";
import type { Write } from "../../store/writes.js";
import type { LiveRun } from "../requests/live-runs.js";
import { chargeRun, dropTokens, isServerFault, settle, withCharge, type Settlement } from "./billing.js";
import { Execution } from "./execution.js";
import { limited } from "../content/limited.js";
import type { RunContent } from "../content/messages.js";
import type { RunEnd } from "./recorder.js";
import { refuseWithoutCredit } from "./reservation.js";
import type { BillableRun, BillingDeps, ExecutorDeps } from "./run-deps.js";
import { createSettleRetries } from "./settle-retries.js";
import type { RunTimings } from "./timings.js";

/** The part of a run that differs between kinds. */
export interface RunWork {
  readonly operation: RunOperation;
  readonly parameters: RunParameters;
  /** Produces the result, and counts it in `execution.usage`. @throws HearthError what prevented the result. */
  produce(execution: Execution): Promise<void>;
  /** Whether everything that was requested was produced. */
  isComplete(): boolean;
  /** Why the choices ended that did, in that order; absent: it has none. */
  finishReasons?(): readonly string[];
  /** What it has read and written; null: nobody may see it. */
  content(): RunContent | null;
  /** What is written together with the run's end; null when the work will be done again, so that this run is void. */
  writes(end: RunEnd): readonly Write[] | null;
  /** Called once when the run is settled, or its settlement is being retried. */
  ended(end: RunEnd, execution: Execution): void | Promise<void>;
  readonly timings: Pick<RunTimings, "ttftMs" | "decodeTps">;
}

/** Characters of each text that a span holds: collectors refuse large ones. */
export const contentCharsMax = 64 * 1024;

/** A run that has been started. */
export interface ActiveRun {
  /** Ends the run; does nothing once its end is written. */
  abort(reason?: unknown): void;
  /** Resolves, never rejects, once the slots are free and the run is settled, or its settlement is being retried. */
  readonly finished: Promise<void>;
}

export type RunExecutor = ReturnType<typeof createRunExecutor>;

/** Builds an executor; no run is active yet. */
export function createRunExecutor(executorDeps: ExecutorDeps) {
  const settleRetries = createSettleRetries(executorDeps.clock);
  const deps = { ...executorDeps, settleRetries };
  /** Resolves, for each run, when its end is written; at the latest when the executor closes. */
  const active = new Map<ActiveRun, Promise<void>>();
  return {
    /** Runs whose end is not written yet. */
    active,
    /** @throws HearthError `overloaded` when as many runs are active as may be. */
    refuseWhenFull(): void {
      if (active.size >= deps.runsActiveMax) throw tooManyRuns();
    },
    /** Starts a run. */
    execute(run: BillableRun, work: RunWork): ActiveRun {
      const aborting = new AbortController();
      // Every choice adds listeners.
      setMaxListeners(0, aborting.signal);
      const execution = new Execution(deps, run, aborting);
      const span = deps.tracing.startRun(() => startedRunOf(execution, work));
      const finished = span
        .within(() => execute(deps, execution, work, span))
        .catch((thrown: unknown) => abandon(deps, execution, work, thrown))
        .then(({ unwritten }) => {
          deps.liveRuns.remove(run.id, unwritten);
          if (unwritten === null) return void active.delete(activeRun);
          active.set(activeRun, unwritten);
          void unwritten.then(() => active.delete(activeRun));
        });
      const activeRun: ActiveRun = {
        finished,
        abort(reason) {
          if (active.has(activeRun)) aborting.abort(reason);
        },
      };
      active.set(activeRun, finished);
      deps.liveRuns.add(liveRunOf(execution, work, finished));
      return activeRun;
    },
    /** Aborts every run; resolves when the end of each is written, or was given up because it cannot be written. */
    async close(): Promise<void> {
      const runs = [...active.keys()];
      for (const run of runs) run.abort(cutShort());
      await settleRetries.close();
      await Promise.all(runs.map(({ finished }) => finished));
      for (const run of runs) await active.get(run);
    },
  };
}

/** Does the work of a run and settles it. Rejects only by a defect of the server: see `abandon`. */
async function execute(
  deps: BillingDeps & ExecutorDeps,
  execution: Execution,
  work: RunWork,
  span: Span<EndedRun>,
): Promise<Settlement> {
  const { run, signal } = execution;
  try {
    execution.spendable = await refuseWithoutCredit(deps, run);
    await work.produce(execution);
  } catch (thrown) {
    if (!signal.aborted) execution.fail(thrown);
  }
  const finishReasons = work.finishReasons?.() ?? [];
  execution.workEnded({
    finishReason: finishReasons.at(-1) ?? null,
    firstTokenMs: work.timings.ttftMs,
  });
  if (isServerFault(execution, work.isComplete())) execution.count(dropTokens);
  const { usage } = execution;
  // Before the end is reported: the team's next request finds the limit as it was truly used.
  run.context.tokenReservation?.reconcile(usage);
  execution.releaseModel();
  const state = execution.failure !== null ? "failed" : work.isComplete() ? "completed" : "aborted";
  const { failure } = execution;
  const writes = work.writes({ state, failure, usage: withCharge(usage, chargeRun(execution)) });
  const settlement = await settle(deps, execution, state, writes);
  if (writes !== null) await keepContent(deps, execution, work);
  execution.chargedTicks = settlement.chargedTicks;
  // The audit log has a soft limit that was reached, also when no other request follows.
  if (execution.recorded !== null) await deps.budgets.warnings(run.context.principal);
  const finishedRun = finishedRunOf(execution, work, state);
  deps.metrics.runFinished(finishedRun);
  span.end({
    ...finishedRun,
    finishReasons,
    costTicks: settlement.chargedTicks,
    content: tracedContent(deps, work),
  });
  const ended = { failure: execution.failure, usage: withCharge(usage, settlement.chargedTicks) };
  await work.ended({ state, ...ended }, execution);
  return settlement;
}

/**
 * Ends a run in which a defect of the server has thrown after its work: the run fails and costs nothing, unless its end is already
 * written, and the server goes on. Never rejects.
 */
async function abandon(
  deps: BillingDeps & ExecutorDeps,
  execution: Execution,
  work: RunWork,
  thrown: unknown,
): Promise<Settlement> {
  deps.onSettleFailure(execution.run.id, thrown);
  execution.fail(thrown);
  execution.releaseModel();
  const settlement = await settle(deps, execution, "failed", null);
  const usage = withCharge(dropTokens(execution.usage), settlement.chargedTicks);
  try {
    await work.ended({ state: "failed", failure: execution.failure, usage }, execution);
  } catch (again) {
    deps.onSettleFailure(execution.run.id, again);
  }
  return settlement;
}

/** Returns a run as its span shows it from the beginning. */
function startedRunOf({ run }: Execution, { operation, parameters }: RunWork): StartedRun {
  const { principal, requestId, endpoint, streamed = false, workClass = "interactive" } = run.context;
  return {
    id: run.id,
    requestId,
    operation,
    model: run.model.manifest.id,
    requestedModel: run.requestedModel,
    endpoint,
    teamId: principal.team.id,
    apiKeyId: principal.key.id,
    workClass,
    streamed,
    parameters,
  };
}

/** Keeps what a run has read and written, where its team wants it, before its client has the whole answer. */
async function keepContent(
  { bodies }: Pick<ExecutorDeps, "bodies">,
  { run, recorded }: Execution,
  work: Pick<RunWork, "content">,
): Promise<void> {
  const { team } = run.context.principal;
  const content = team.keepsBodies && recorded !== null ? work.content() : null;
  if (content !== null) await bodies.record({ id: run.id, teamId: team.id }, content);
}

function tracedContent(
  { tracing }: Pick<ExecutorDeps, "tracing">,
  work: Pick<RunWork, "content">,
): EndedRun["content"] {
  const content = tracing.takesContent ? work.content() : null;
  if (content === null) return null;
  const text = (messages: RunContent["input"]): string =>
    JSON.stringify(limited(messages, contentCharsMax).messages);
  return { input: text(content.input), output: text(content.output) };
}

/** Returns a run as metrics count it. */
function finishedRunOf(
  { run, usage, ending, elapsedMs, queuedMs }: Execution,
  { operation, timings }: RunWork,
  state: FinishedRun["state"],
): FinishedRun {
  const { team, key } = run.context.principal;
  return {
    operation,
    teamId: team.id,
    apiKeyId: key.id,
    model: run.model.manifest.id,
    state,
    errorKind: ending.errorKind,
    usage,
    durationMs: elapsedMs,
    queueMs: queuedMs,
    ttftMs: timings.ttftMs,
    decodeTps: timings.decodeTps,
  };
}

/** Returns a run as the log of requests shows it while it has not ended. */
function liveRunOf(execution: Execution, { timings }: RunWork, finished: Promise<void>): LiveRun {
  const { run, createTime } = execution;
  const { principal, requestId, endpoint, streamed = false } = run.context;
  const { labels = noLabels } = principal;
  const { id: model, prices } = run.model.manifest;
  return {
    id: run.id,
    requestId,
    teamId: principal.team.id,
    apiKeyId: principal.key.id,
    apiKeyName: principal.key.name,
    userId: principal.key.userId,
    model,
    requestedModel: run.requestedModel,
    endpoint,
    labels: [...labels.tags, ...labels.metadata, labels.endUser ?? ""],
    streamed,
    createTime,
    finished,
    get startTime() {
      return execution.startTime;
    },
    get firstTokenMs() {
      return timings.ttftMs;
    },
    get usage() {
      return execution.usage;
    },
    get costTicks() {
      return costOf(execution.usage, prices);
    },
    cancel: (reason) => execution.cancel(reason),
  };
}

function cutShort(): HearthError {
  return new HearthError("overloaded", "The answer was cut short because the server is closing.", {
    retryAfterSeconds: 5,
  });
}
