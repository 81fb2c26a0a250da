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
  /** For each image; absent: nothing. */
  readonly imageTicks?: Ticks | undefined;
}

/** The cost of a run: uncached prompt, cached prompt, everything sampled (reasoning included), and images. */
export function costOf(usage: Usage, prices: Prices): Ticks {
  const evaluated = usage.promptTokens - usage.cachedTokens;
  const sampled = usage.completionTokens + usage.reasoningTokens;
  return whole(
    evaluated * prices.promptTextTokenTicks +
      usage.cachedTokens * prices.cachedPromptTextTokenTicks +
      sampled * prices.completionTextTokenTicks +
      (usage.images ?? 0) * (prices.imageTicks ?? 0),
  );
}

/**
 * The most that a run can cost: no prompt token found evaluated, every choice as long as it may be.
 * @throws RangeError when that is more than can be counted.
 */
export function costBoundOf(
  most: { readonly prompt: number; readonly sampled: number; readonly images?: number },
  prices: Prices,
): Ticks {
  const promptTicks = Math.max(prices.promptTextTokenTicks, prices.cachedPromptTextTokenTicks);
  return whole(
    most.prompt * promptTicks +
      most.sampled * prices.completionTextTokenTicks +
      (most.images ?? 0) * (prices.imageTicks ?? 0),
  );
}

/** Whether a run can cost nothing at all. */
export function isFree(prices: Prices): boolean {
  return costBoundOf({ prompt: 1, sampled: 1, images: 1 }, prices) === 0;
}

/**
 * An amount as people write it, such as `12.5`, in ticks.
 * @throws RangeError with a clause saying what is wrong: not a decimal number, more places than ticks have, too large.
 */
export function usdToTicks(text: string): Ticks {
  const [, sign = "", units = "", places = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (units === "") throw new RangeError("must be an amount of USD such as 12.50");
  if (places.length > tickPlaces) throw new RangeError(`must have at most ${tickPlaces} decimal places`);
  if (units.length > usdDigitsMax) throw new RangeError(tooLarge);
  const ticks = BigInt(`${sign}${units}${places.padEnd(tickPlaces, "0")}`);
  const amount = Number(ticks);
  if (!Number.isSafeInteger(amount)) throw new RangeError(tooLarge);
  return amount;
}

/** Ticks as USD in decimals, exactly, with two places at the least. */
export function ticksToUsd(ticks: bigint): string {
  const digits = String(ticks < 0n ? -ticks : ticks).padStart(tickPlaces + 1, "0");
  const places = digits.slice(-tickPlaces).replace(/0{1,8}$/, "");
  return `${ticks < 0n ? "-" : ""}${digits.slice(0, -tickPlaces)}.${places}`;
}

/**
 * The price of a million tokens as price lists have it, in USD such as `0.25`, in ticks a token.
 * @throws RangeError with a clause saying what is wrong, as `usdToTicks` does.
 */
export function perMillionToTicks(usd: string): Ticks {
  const ticks = usdToTicks(usd);
  if (ticks < 0) throw new RangeError("must not be negative");
  if (ticks % tokensPriced !== 0)
    throw new RangeError("must be a whole number of ticks a token: USD with at most 4 decimal places");
  return ticks / tokensPriced;
}

/** The same the other way. */
export function ticksToPerMillion(ticks: Ticks): string {
  return ticksToUsd(BigInt(ticks) * BigInt(tokensPriced));
}

const tokensPriced = 1_000_000;

/** 1 USD = 10^10 ticks. */
const tickPlaces = 10;
const usdDigitsMax = 30;
const tooLarge = "must be at most 900719 USD";

/** @throws RangeError when the amount is not a safe integer: better no answer than a wrong sum. */
function whole(amount: number): Ticks {
  if (!Number.isSafeInteger(amount)) throw new RangeError(`not a whole number of ticks: ${amount}`);
  return amount;
}
