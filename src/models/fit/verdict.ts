/** Whether a model fits into memory, and what would make it fit. */

type Verdict = "fits" | "fits with a shorter context" | "does not fit";

interface FitQuestion {
  /** Tokens of context that are wanted. */
  readonly contextTokens: number;
  /** Returns whether the model can have this many bytes. */
  readonly fits: (bytes: number) => boolean;
  /** Returns the bytes of memory for a context; with `isSmallCache` for a KV cache of type q8_0. */
  readonly needs: (contextTokens: number, isSmallCache: boolean) => number;
}

export interface FitAnswer {
  readonly verdict: Verdict;
  readonly neededBytes: number;
  /** The longest context that fits, at most the wanted one; null if none does. */
  readonly fittingTokens: number | null;
  /** The same with a KV cache of type q8_0. */
  readonly fittingTokensSmallCache: number | null;
}

/** The answer for a running server. */
export interface ModelFit extends FitAnswer {
  /** What all models together may take: the setting memoryBytesMax. */
  readonly limitBytes: number;
}

const contextMultiple = 1024;
/** Memory for buffers and a context of a few thousand tokens beside the weights, where only their size is known. */
const sizeOverheadShare = 0.25;

/** Compares what a model needs with what is available. */
export function judgeFit({ contextTokens, fits, needs }: FitQuestion): FitAnswer {
  const longest = (isSmallCache: boolean): number | null =>
    longestContext(contextTokens, (tokens) => fits(needs(tokens, isSmallCache)));
  const fitting = longest(false);
  return {
    verdict:
      fitting === contextTokens ? "fits" : fitting === null ? "does not fit" : "fits with a shorter context",
    neededBytes: needs(contextTokens, false),
    fittingTokens: fitting,
    fittingTokensSmallCache: longest(true),
  };
}

/** Judges a model of which only the size of its files is known, such as one that is not downloaded yet. */
export function judgeSize(
  bytes: number,
  availableBytes: number,
): { readonly verdict: Exclude<Verdict, "fits with a shorter context">; readonly neededBytes: number } {
  const neededBytes = Math.ceil(bytes * (1 + sizeOverheadShare));
  return { verdict: neededBytes <= availableBytes ? "fits" : "does not fit", neededBytes };
}

/** Returns the longest context that fits: the wanted one, or a multiple of 1,024 tokens. */
function longestContext(wanted: number, fits: (tokens: number) => boolean): number | null {
  if (fits(wanted)) return wanted;
  let [low, high] = [0, Math.ceil(wanted / contextMultiple)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle * contextMultiple)) low = middle;
    else high = middle;
  }
  return low === 0 ? null : low * contextMultiple;
}
