import type { Usage } from "./usage.js";

/**
 * Money is a whole number of ticks; 1 USD = 10^10 ticks. Held as a safe integer (at most about 900,000 USD); no fraction
 * and no float arithmetic ever touches it. One tick a token is one cent per 100 million tokens, the unit of the price lists.
 */
export type Ticks = number;

/** What a model charges, in ticks. */
export interface Prices {
  readonly promptTextTokenTicks: Ticks;
  readonly cachedPromptTextTokenTicks: Ticks;
  readonly completionTextTokenTicks: Ticks;
}

/** The cost of a run: uncached prompt, cached prompt, and everything sampled (reasoning included). */
export function costOf(usage: Usage, prices: Prices): Ticks {
  const evaluated = usage.promptTokens - usage.cachedTokens;
  const sampled = usage.completionTokens + usage.reasoningTokens;
  return whole(
    evaluated * prices.promptTextTokenTicks +
      usage.cachedTokens * prices.cachedPromptTextTokenTicks +
      sampled * prices.completionTextTokenTicks,
  );
}

/** @throws RangeError when the amount is not a safe integer: better no answer than a wrong sum. */
function whole(amount: number): Ticks {
  if (!Number.isSafeInteger(amount)) throw new RangeError(`not a whole number of ticks: ${amount}`);
  return amount;
}
