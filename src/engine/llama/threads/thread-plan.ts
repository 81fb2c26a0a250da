/** How many threads a batch is worth, by its number of tokens. */
import { z } from "zod";

/** The numbers of tokens that a trial measures: one answer, few and many in lock-step, part of a prompt. */
export const measuredBatchTokens = [1, 4, 16, 64] as const;

/** Steps in ascending order of tokens: a batch uses the threads of the last step that it reaches. */
export const threadPlan = z
  .array(z.object({ tokens: z.int().min(1), threads: z.int().min(1).max(1024) }))
  .min(1)
  .max(measuredBatchTokens.length)
  .readonly();
export type ThreadPlan = z.infer<typeof threadPlan>;

/** Returns the threads for a batch. */
export function chooseBatchThreads(plan: ThreadPlan, batchTokens: number): number {
  const reached = plan.filter(({ tokens }) => tokens <= batchTokens);
  return (reached.at(-1) ?? plan[0])?.threads ?? 1;
}

/**
 * Returns the numbers of threads to measure: the powers of two below the cores, and the cores. A trial of a small model begins with one
 * thread, of a large one with all, so that the likely best is measured first.
 */
export function candidatesFor(cores: number, startsWithOne: boolean): readonly number[] {
  const ascending = [1];
  for (let threads = 2; threads < cores; threads *= 2) ascending.push(threads);
  if (cores > 1) ascending.push(cores);
  return startsWithOne ? ascending : ascending.reverse();
}
