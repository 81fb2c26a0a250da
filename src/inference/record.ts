/** A run's row in the usage table: inserted while it works, settled when it has ended. */
import { asHearthError } from "../core/errors.js";
import type { EndedRun } from "../core/metrics.js";
import { costOf } from "../core/money.js";
import type { RunOutcome } from "../core/run-record.js";
import { noUsage } from "../core/usage.js";
import type { GenerateDeps, Progress, Task } from "./task.js";

/** The row is there before the first token is, so that a process that dies leaves a trace of every run. */
export async function record(
  deps: GenerateDeps,
  task: Task,
  progress: Progress,
  promptTokens: number,
): Promise<void> {
  const usage = { ...noUsage, promptTokens };
  const { principal, requestId, endpoint } = task.context;
  await deps.runs.insert({
    id: task.id,
    requestId,
    teamId: principal.team.id,
    apiKeyId: principal.key.id,
    model: task.model.manifest.id,
    endpoint,
    state: "running",
    usage,
    costTicks: costOf(usage, task.model.manifest.prices),
    startTime: deps.clock.now(),
    endTime: null,
  });
  progress.recorded = true;
}

/** What was produced is charged, also when the client left or the engine failed; what is kept of it is written with that. */
export async function settle(
  deps: GenerateDeps,
  task: Task,
  progress: Progress,
  state: EndedRun["state"],
): Promise<void> {
  const kept = task.context.keeper?.writes({ state, failure: progress.failure }) ?? [];
  if (!progress.recorded && kept.length === 0) return;
  const outcome: RunOutcome = {
    state,
    usage: progress.usage,
    costTicks: costOf(progress.usage, task.model.manifest.prices),
    endTime: deps.clock.now(),
  };
  try {
    await deps.runs.settle(task.id, outcome, kept);
  } catch (thrown) {
    deps.onSettleFailure(task.id, thrown);
    // Whoever was told of the end would take it for kept.
    if (kept.length > 0) progress.failure ??= asHearthError(thrown);
  }
}
