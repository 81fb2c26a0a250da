import type { Usage, UsageBound } from "./usage.js";

/**
 * An amount of money as an integer number of ticks; 1 USD = 10^10 ticks. It is a safe integer (at most about 900,000 USD) and is
 * never computed with fractions. One tick per token is one cent per 100 million tokens, the unit of the price lists.
 */
export type Ticks = number;

/** The prices of a model. */
export interface Prices {
  readonly promptTextTokenTicks: Ticks;
  readonly cachedPromptTextTokenTicks: Ticks;
  readonly completionTextTokenTicks: Ticks;
  /** For each image; absent = 0. */
  readonly imageTicks?: Ticks;
}

/** Returns the cost of a run: uncached prompt, cached prompt, sampled tokens including reasoning, and images. */
export function computeCost(usage: Usage, prices: Prices): Ticks {
  const evaluated = usage.promptTokens - usage.cachedTokens;
  const sampled = usage.completionTokens + usage.reasoningTokens;
  return whole(
    evaluated * prices.promptTextTokenTicks +
      usage.cachedTokens * prices.cachedPromptTextTokenTicks +
      sampled * prices.completionTextTokenTicks +
      (usage.images ?? 0) * (prices.imageTicks ?? 0),
  );
}

/** Returns what a run is charged in all, its server calls included; while it has not ended, what it has cost so far. */
export function readCharge(usage: Usage, prices: Prices): Ticks {
  return usage.chargedTicks ?? computeCost(usage, prices) + (usage.serverCallTicks ?? 0);
}

/**
 * Returns the maximum cost of a run: the dearest prompt tokens, and every choice of maximum length.
 * @throws RangeError when the amount is not a safe integer.
 */
export function computeMaxCost(max: UsageBound, prices: Prices): Ticks {
  const promptTicks = Math.max(prices.promptTextTokenTicks, prices.cachedPromptTextTokenTicks);
  return whole(
    max.prompt * promptTicks +
      max.sampled * prices.completionTextTokenTicks +
      (max.images ?? 0) * (prices.imageTicks ?? 0),
  );
}

/** Whether no run at these prices can cost anything. */
export function isFree(prices: Prices): boolean {
  return computeMaxCost({ prompt: 1, sampled: 1, images: 1 }, prices) === 0;
}

/**
 * Parses an amount in USD, such as `12.5`, into ticks.
 * @throws RangeError whose message is a clause: not a decimal number, too many decimal places, or too large.
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

/** Formats ticks as an exact decimal amount of USD with at least two decimal places. */
export function ticksToUsd(ticks: bigint): string {
  const digits = String(ticks < 0n ? -ticks : ticks).padStart(tickPlaces + 1, "0");
  const places = digits.slice(-tickPlaces).replace(/0{1,8}$/, "");
  return `${ticks < 0n ? "-" : ""}${digits.slice(0, -tickPlaces)}.${places}`;
}

/**
 * Converts a price in USD per million tokens, such as `0.25`, to ticks per token.
 * @throws RangeError as `usdToTicks` does.
 */
export function usdPerMillionToTicks(usd: string): Ticks {
  const ticks = usdToTicks(usd);
  if (ticks < 0) throw new RangeError("must not be negative");
  if (ticks % tokensPriced !== 0)
    throw new RangeError("must be a whole number of ticks per token: USD with at most 4 decimal places");
  return ticks / tokensPriced;
}

/** Converts ticks per token to USD per million tokens. */
export function ticksToUsdPerMillion(ticks: Ticks): string {
  return ticksToUsd(BigInt(ticks) * BigInt(tokensPriced));
}

const tokensPriced = 1_000_000;

/** 1 USD = 10^10 ticks. */
const tickPlaces = 10;
const usdDigitsMax = 30;
const tooLarge = "must be at most 900719 USD";

/** @throws RangeError when the amount is not a safe integer. */
function whole(amount: number): Ticks {
  if (!Number.isSafeInteger(amount)) throw new RangeError(`not a whole number of ticks: ${amount}`);
  return amount;
}
