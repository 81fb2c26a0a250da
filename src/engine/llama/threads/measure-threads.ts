/**
 * Finds the numbers of threads by trial, when a model is loaded for the first time on a machine. More threads are not faster for every
 * model: each operation ends with a barrier at which all threads wait by spinning, and threads beyond the bandwidth of memory only wait.
 */
import { candidatesFor, measuredBatchTokens, type ThreadPlan } from "./thread-plan.js";

export interface ThreadTrial {
  /** Cores that may be used. */
  readonly cores: number;
  /** Size of the model. */
  readonly weightsBytes: number;
  /** Maximum number of tokens in one batch. */
  readonly batchTokensMax: number;
  /** Evaluates one batch with that number of threads, beside the work that a server does meanwhile. */
  readonly evaluate: (tokens: number, threads: number) => Promise<void>;
  /** Monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/** Time for all measurements; the one that exceeds it is the last. */
const trialMsMax = 1000;
const samplesMax = 7;
const samplesMin = 3;
/** Samples of one number of threads end after this time, if there are enough. */
const samplesMsMax = 30;
/** A batch that one thread computes in this time is not worth dividing: the barriers cost as much as they save. */
const undividedMsMax = 0.5;
/** More threads must save at least this share of the time: they take cores from everything else. */
const worthwhileShare = 0.9;
/** A median this many times the shortest sample was measured beside other work: it says nothing about the model. */
const disturbedRatioMax = 2;
/** Weights of this size take some milliseconds on one thread. */
const largeBytes = 100_000_000;
/** A batch whose tokens read more bytes of weights than this together is worth all cores, and would take too long to measure. */
const measuredWorkBytesMax = 3_200_000_000;

interface Sampled {
  readonly threads: number;
  readonly medianMs: number;
}

/**
 * Measures and returns the fastest numbers of threads; null when other work on the machine, or the time, did not allow it.
 * @throws what the evaluation throws
 */
export async function measureThreads(trial: ThreadTrial): Promise<ThreadPlan | null> {
  const endsAt = trial.now() + trialMsMax;
  const plan: { tokens: number; threads: number }[] = [];
  for (const tokens of measuredBatchTokens) {
    if (tokens > trial.batchTokensMax) break;
    // A model for which the time does not suffice has much work in every batch, too.
    if (plan.length > 0 && (trial.weightsBytes * tokens > measuredWorkBytesMax || trial.now() >= endsAt)) {
      plan.push({ tokens, threads: trial.cores });
      break;
    }
    const best = await fastest(trial, tokens, endsAt);
    if (best === null) return null;
    plan.push({ tokens, threads: best });
  }
  return plan.length === 0 ? null : plan;
}

/** Returns the best number of threads for batches of this size; null where the measurements were disturbed. */
async function fastest(trial: ThreadTrial, tokens: number, endsAt: number): Promise<number | null> {
  const isSmall = trial.weightsBytes < largeBytes;
  let best: Sampled | null = null;
  for (const threads of candidatesFor(trial.cores, isSmall)) {
    const sampled = await sample(trial, tokens, threads, endsAt);
    if (sampled === null) return best === null || isSmall ? null : best.threads;
    if (best !== null && !isBetter(sampled, best)) break;
    best = sampled;
    if (threads === 1 && sampled.medianMs < undividedMsMax) break;
    if (trial.now() >= endsAt) break;
  }
  return best?.threads ?? null;
}

/** Candidates come in the order of the likely best: as soon as one is worse, so are those after it. */
function isBetter(sampled: Sampled, best: Sampled): boolean {
  return sampled.threads > best.threads
    ? sampled.medianMs < best.medianMs * worthwhileShare
    : sampled.medianMs * worthwhileShare <= best.medianMs;
}

async function sample(
  { evaluate, now }: ThreadTrial,
  tokens: number,
  threads: number,
  endsAt: number,
): Promise<Sampled | null> {
  // The first makes the threads and touches the memory.
  await evaluate(tokens, threads);
  const startedAt = now();
  const times: number[] = [];
  while (times.length < samplesMax) {
    const before = now();
    await evaluate(tokens, threads);
    times.push(now() - before);
    const isEnough = times.length >= samplesMin && now() - startedAt >= samplesMsMax;
    if (isEnough || now() >= endsAt) break;
  }
  times.sort((a, b) => a - b);
  const shortestMs = times[0] ?? 0;
  const medianMs = times[Math.floor(times.length / 2)] ?? 0;
  if (medianMs > shortestMs * disturbedRatioMax) return null;
  return { threads, medianMs };
}
