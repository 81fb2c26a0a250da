/** Takes over what servers had in flight that share the database and have ended. */
import { HearthError } from "../../core/errors.js";
import type { Clock } from "../../core/clock.js";
import type { Logger } from "../../core/logger.js";
import type { RunStore } from "../../inference/run/store/runs.js";
import type { PullStore } from "../../jobs/pulls/store.js";
import type { JobStore } from "../../jobs/store.js";
import type { NodeStore } from "../../store/nodes.js";
import type { Writes } from "../../store/writes.js";

/** Between two looks for servers that have ended. */
const lookMs = 3_000;

export interface TakeOver {
  /** Takes over from every server that has ended: its runs are interrupted, and its jobs are in the queue again. @returns how many. */
  once(): Promise<number>;
  /** Does it again and again. @param onTakenOver called when jobs are in the queue again */
  start(onTakenOver: () => Promise<void>): void;
  stop(): void;
}

interface TakeOverDeps {
  readonly runs: Pick<RunStore, "interruptions">;
  readonly jobs: Pick<JobStore, "releaseOf">;
  readonly pulls: Pick<PullStore, "releaseOf">;
  readonly writes: Writes;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function createTakeOver(nodes: NodeStore, deps: TakeOverDeps): TakeOver {
  const { runs, jobs, pulls, writes, clock, logger } = deps;
  let cancel = (): void => undefined;
  let isStopped = false;
  const takeFrom = async (id: number): Promise<boolean> => {
    try {
      const removal = { table: "nodes", change: nodes.removal(id) } as const;
      await writes.commit([
        removal,
        ...runs.interruptions(id, clock.now()),
        jobs.releaseOf(id),
        pulls.releaseOf(id),
      ]);
    } catch (thrown) {
      if (thrown instanceof HearthError && thrown.kind === "conflict") return false;
      throw thrown;
    }
    logger.info({ node: id }, "took over from a server that has ended");
    return true;
  };
  const once = async (): Promise<number> => {
    let count = 0;
    for (const id of await nodes.others()) count += Number(await takeFrom(id));
    return count;
  };
  const start = (onTakenOver: () => Promise<void>): void => {
    if (isStopped || !nodes.isShared) return;
    cancel = clock.after(lookMs, () => {
      void once()
        .then((count) => (count > 0 ? onTakenOver() : undefined))
        .catch((thrown: unknown) =>
          logger.error({ err: thrown }, "servers that have ended could not be found"),
        )
        .finally(() => start(onTakenOver));
    });
  };
  return {
    once,
    start,
    stop() {
      isStopped = true;
      cancel();
    },
  };
}
