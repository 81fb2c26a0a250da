/**
 * Finds runs of this server whose rows are `running` although the server does not execute them. A crash of the database undoes the end
 * of a run that was not synced, and a row may be inserted although the connection was lost before the database confirmed it. No other
 * server ends such a run.
 */
import type { Clock } from "../core/clock.js";
import type { Logger } from "../core/logger.js";
import type { RunStore } from "../inference/run/store/runs.js";
import type { Writes } from "../store/writes.js";

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
