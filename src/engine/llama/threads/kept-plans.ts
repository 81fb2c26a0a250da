/** Thread plans that earlier trials on this machine have found, in a file of the data folder. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { z } from "zod";
import { threadPlan, type ThreadPlan } from "./thread-plan.js";

const plansMax = 200;
const fileSchema = z.record(z.string(), threadPlan);

/** Opens the file. One that cannot be read counts as empty: its plans are measured again. */
export function openKeptPlans(file: string) {
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

export interface PlanTerms {
  /** Identifies the model and the engine's build. */
  readonly fingerprint: string;
  readonly cores: number;
  readonly keepsThreads: boolean;
}

/** Returns the key of a plan, from all that it depends on. */
export function planKey({ fingerprint, cores, keepsThreads }: PlanTerms): string {
  const threads = keepsThreads ? "threads kept" : "threads per token";
  return [fingerprint, cpus()[0]?.model ?? "unknown CPU", `${cores} cores`, threads].join(" | ");
}
