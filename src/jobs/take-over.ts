/** Takes over what servers had in flight that share the database and have ended. */
import { HearthError } from "../core/errors.js";
import type { Clock } from "../core/clock.js";
import type { Logger } from "../core/logger.js";
import type { RunStore } from "../inference/run/store/runs.js";
import type { PullStore } from "./pulls/store.js";
import type { JobStore } from "./store.js";
import type { LiveRuns } from "../inference/run/live-runs.js";
import type { NodeStore } from "../store/nodes.js";
import type { Writes } from "../store/writes.js";

/** Between two looks for servers that have ended. */
const lookMs = 2_000;
const failed = "what servers that have ended had in flight could not be taken over";

interface TakeOverDeps {
  readonly runs: RunStore;
  readonly jobs: JobStore;
  readonly pulls: PullStore;
  readonly writes: Writes;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** @returns whether the server had ended, no other one has taken over from it, and it did not fail, which is logged. */
async function takeFrom(nodes: NodeStore, deps: TakeOverDeps, id: number): Promise<boolean> {
  const { runs, jobs, pulls, writes, clock, logger } = deps;
  const from = clock.monotonic();
  try {
    const removal = nodes.removal(id).map((change) => ({ table: "nodes", change }) as const);
    await writes.commit([
      ...removal,
      ...runs.interruptions(id, clock.now()),
      jobs.releaseOf(id),
      pulls.releaseOf(id),
    ]);
  } catch (thrown) {
    if (thrown instanceof HearthError && thrown.kind === "conflict") return false;
    // What others had in flight is taken over all the same.
    logger.error({ err: thrown, node: id }, failed);
    return false;
  }
  logger.info(
    { node: id, ms: Math.round(clock.monotonic() - from) },
    "took over from a server that has ended",
  );
  return true;
}

export function createTakeOver(nodes: NodeStore, deps: TakeOverDeps) {
  const { clock, logger } = deps;
  let cancel = (): void => undefined;
  let isStopped = false;
  let lost = (): Promise<void> => Promise.resolve();
  const once = async (): Promise<number> => {
    let count = 0;
    for (const id of await nodes.ended()) count += Number(await takeFrom(nodes, deps, id));
    return count;
  };
  const atStart = async (): Promise<void> => {
    await deps.runs.interruptAll(clock.now());
    await once().catch((thrown: unknown) => logger.error({ err: thrown }, failed));
  };
  const start = (onTakenOver: () => Promise<void>): void => {
    if (isStopped || !nodes.isShared) return;
    cancel = clock.after(lookMs, () => {
      void once()
        .then((count) => (count > 0 ? onTakenOver() : undefined))
        .then(() => lost())
        .catch((thrown: unknown) => logger.error({ err: thrown }, failed))
        .finally(() => start(onTakenOver));
    });
  };
  return {
    /** Takes over from every server that has ended: its runs are interrupted, and its jobs are in the queue again. What fails is logged. @returns how many. */
    once,
    /** Interrupts what the process before has left, and does it before this server does anything else. What fails is done again later: rows may be locked by others. */
    atStart,
    /** Does it again and again. @param onTakenOver called when jobs are in the queue again */
    start,
    /** Ends what the crash of the database has left of runs of this server, too. */
    watch(live: LiveRuns): void {
      lost = createLostRuns((id) => live.has(id), deps);
    },
    stop(): void {
      isStopped = true;
      cancel();
    },
  };
}

// Finds runs of this server whose rows are `running` although the server does not execute them. A crash of the database undoes the end of
// a run that was not synced, and a row may be inserted although the connection was lost before the database confirmed it. No other server
// ends such a run.

/** A run that this process did not know for so long is lost. */
const lostAfterMs = 10_000;

interface LostRunsDeps {
  readonly runs: RunStore;
  readonly writes: Writes;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Returns what looks for such runs and interrupts them, at no cost; called again and again.
 * @param isLive whether this server executes a run
 */
export function createLostRuns(isLive: (id: string) => boolean, deps: LostRunsDeps): () => Promise<void> {
  const { runs, writes, clock, logger } = deps;
  /** When each was seen first. */
  let unknown = new Map<string, number>();
  return async () => {
    const now = clock.monotonic();
    const found = (await runs.runningHere()).filter((id) => !isLive(id));
    unknown = new Map(found.map((id) => [id, unknown.get(id) ?? now]));
    const lost = found.filter((id) => now - (unknown.get(id) ?? now) >= lostAfterMs);
    if (lost.length === 0) return;
    await writes.commit(runs.interruptionsOf(lost, clock.now()));
    logger.warn({ runs: lost }, "the database has lost the end of runs, which are interrupted");
  };
}
