/** Exact amounts of money. One tick is 1/10,000,000,000 of a US dollar; amounts are never computed with fractions. */
import { ticksToUsd } from "../../core/money.js";

const tickPlaces = 10;
export const ticksPerUsd = 10 ** tickPlaces;

const usd = new Intl.NumberFormat(undefined, {
  style: "currency",
  currency: "USD",
  minimumFractionDigits: 2,
  maximumFractionDigits: tickPlaces,
});

/** Returns the ticks of an amount in USD as the API writes it, such as `12.50`. */
export function parseUsd(text: string): bigint {
  const [, sign = "", units = "0", places = ""] = /^(-?)(\d+)(?:\.(\d{1,10}))?$/.exec(text) ?? [];
  return BigInt(`${sign}${units}${places.padEnd(tickPlaces, "0")}`);
}

/** Returns the ticks of an amount that the API returns as a number. Its digits are exact up to 500,000 USD. */
export function numberToTicks(amount: number): bigint {
  return parseUsd(amount.toFixed(tickPlaces));
}

/** Returns an exact amount as people read it: `$12.50`, `$0.0031`. @param text decimal USD, as the API has it */
export function usdText(text: string): string {
  return usd.format(text as `${number}`);
}

/** Returns an exact amount: `$0.0031`. */
export function ticksText(ticks: bigint): string {
  return usdText(ticksToUsd(ticks));
}

/** Returns an amount of cents as `$12.50`. @param cents a whole number, as the API has it */
export function centsToDollars(cents: string | bigint): string {
  return ticksText(BigInt(cents) * 100_000_000n);
}

/** Returns whole cents of what was typed in dollars, such as `12.5`. @throws Error that names the field. */
export function typedCents(label: string, text: string): string {
  const [, units, places = ""] = /^(\d{1,12})(?:\.(\d{1,2}))?$/.exec(text.trim()) ?? [];
  if (units === undefined) throw new Error(`${label}: enter dollars and cents, such as 12.50.`);
  return String(BigInt(units + places.padEnd(2, "0")));
}

/** Returns cents as they are typed in a field: `12.50`. */
export function centsField(cents: string): string {
  return ticksToUsd(BigInt(cents) * 100_000_000n);
}
