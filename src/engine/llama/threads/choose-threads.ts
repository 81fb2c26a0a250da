/** The threads of a loaded model, as an earlier trial found them, or a trial now. */
import type { Model } from "../../../core/model.js";
import type { BatchThreads } from "./batch-threads.js";
import { openKeptPlans, planKey } from "./kept-plans.js";
import { measureThreads } from "./measure-threads.js";
import { chooseBatchThreads } from "./thread-plan.js";

/** While a token is computed, the one before it is converted and sent: on other threads, for about this long (measured). */
const besideMs = 0.15;

/** @param batchTokensMax maximum number of prompt tokens in one batch */
export type ChooseThreads = (model: Model, threads: BatchThreads, batchTokensMax: number) => Promise<void>;

/** One thread is the fastest for a smaller model, whatever the machine: its operations take microseconds. */
const triedBytesMin = 16_000_000;

export interface ThreadChoice {
  /** Where the results of trials are kept. */
  readonly plansFile: string;
  readonly cores: number;
  readonly keepsThreads: boolean;
  /** Runs one measurement while no other model computes. */
  readonly runBetween: (work: () => Promise<void>) => Promise<void>;
  /** Monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Computes for that long in this thread. */
  readonly occupyThread: (ms: number) => void;
}

/** Returns the function that chooses the threads of a model and sets them; where a trial finds none, the rule's threads stay. */
export function threadChooser({
  plansFile,
  runBetween,
  now,
  occupyThread,
  ...machine
}: ThreadChoice): ChooseThreads {
  const plans = openKeptPlans(plansFile);
  return async (model, threads, batchTokensMax) => {
    if (model.manifest.bytes < triedBytesMin) return;
    const key = planKey({ fingerprint: model.fingerprint, ...machine });
    const kept = plans.get(key);
    const plan =
      kept ??
      (await measureThreads({
        cores: machine.cores,
        weightsBytes: model.manifest.bytes,
        batchTokensMax,
        evaluate: (tokens, count) =>
          runBetween(() => {
            const computing = threads.evaluate(tokens, count);
            // Where no core is left for that, a batch takes longer.
            occupyThread(besideMs);
            return computing;
          }),
        now,
      }));
    if (plan === null) return;
    if (kept === null) plans.set(key, plan);
    threads.use((tokens) => chooseBatchThreads(plan, tokens));
  };
}
