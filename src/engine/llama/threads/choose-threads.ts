/** The threads of a loaded model, as an earlier trial found them, or a trial now. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { z } from "zod";
import type { Model } from "../../../core/model.js";
import type { BatchThreads } from "./batch-threads.js";
import { measureThreads } from "./measure-threads.js";
import { chooseBatchThreads, threadPlan, type ThreadPlan } from "./thread-plan.js";

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

const plansMax = 200;
const fileSchema = z.record(z.string(), threadPlan);

/** Opens the file. One that cannot be read counts as empty: its plans are measured again. */
function openKeptPlans(file: string) {
  const read = (): Record<string, ThreadPlan> => {
    try {
      return fileSchema.parse(JSON.parse(readFileSync(file, "utf8")));
    } catch {
      return {};
    }
  };
  return {
    get: (key: string): ThreadPlan | null => read()[key] ?? null,
    /** A plan that cannot be written is not kept. */
    set(key: string, plan: ThreadPlan): void {
      const { [key]: _, ...others } = read();
      const kept = [...Object.entries(others), [key, plan] as const].slice(-plansMax);
      try {
        writeFileSync(`${file}.part`, JSON.stringify(Object.fromEntries(kept)), { mode: 0o600 });
        renameSync(`${file}.part`, file);
      } catch {
        // Measured again at the next load.
      }
    },
  };
}

interface PlanTerms {
  /** Identifies the model and the engine's build. */
  readonly fingerprint: string;
  readonly cores: number;
  readonly keepsThreads: boolean;
}

/** Returns the key of a plan, from all that it depends on. */
function planKey({ fingerprint, cores, keepsThreads }: PlanTerms): string {
  const threads = keepsThreads ? "threads kept" : "threads per token";
  return [fingerprint, cpus()[0]?.model ?? "unknown CPU", `${cores} cores`, threads].join(" | ");
}
