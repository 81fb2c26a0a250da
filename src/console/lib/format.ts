/** Numbers, money, sizes and times as people read them, in the language of the browser and in local time. */
import { now } from "./clock.js";

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat(undefined, { notation: "compact", maximumSignificantDigits: 3 });
const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const time = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const dayTime = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  hour: "numeric",
  minute: "2-digit",
});
const date = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["year", 365 * 86_400_000],
  ["month", 30 * 86_400_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** Returns `12,345`. */
export function countText(count: number): string {
  return whole.format(count);
}

/** Returns `12.3K`. */
export function compactText(count: number): string {
  return compact.format(count);
}

/** Returns dollars with as many decimals as a small amount needs: `$12.50`, `$0.0031`. */
export function dollarsText(dollars: number): string {
  const size = Math.abs(dollars);
  const decimals = size === 0 || size >= 0.1 ? 2 : Math.min(8, 1 - Math.floor(Math.log10(size)) + 1);
  const digits = new Intl.NumberFormat(undefined, {
    style: "currency",
    currency: "USD",
    minimumFractionDigits: 2,
    maximumFractionDigits: decimals,
  });
  return digits.format(dollars);
}

/** Returns `850 ms`, `2.4 s` or `3 min 5 s`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Returns `3 minutes ago`, `tomorrow`, or `just now` within a minute. @param at RFC 3339 or milliseconds since 1970 */
export function agoText(at: string | number): string {
  const differenceMs = new Date(at).getTime() - now();
  const step = steps.find(([, ms]) => Math.abs(differenceMs) >= ms);
  return step === undefined ? "just now" : relative.format(Math.round(differenceMs / step[1]), step[0]);
}

/** Returns date and time. @param at RFC 3339 or milliseconds since 1970 */
export function momentText(at: string | number): string {
  return dateTime.format(new Date(at));
}

/** Returns the time of today, or day and time. @param at RFC 3339 or milliseconds since 1970 */
export function timeText(at: string | number): string {
  const moment = new Date(at);
  const isToday = moment.toDateString() === new Date(now()).toDateString();
  return (isToday ? time : dayTime).format(moment);
}

/** Returns the date alone. @param at RFC 3339 or milliseconds since 1970 */
export function dateText(at: string | number): string {
  return date.format(new Date(at));
}

/** Returns `1 key`, `3 keys`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

/** Returns JSON with line breaks; a text that is not JSON stays as it is. */
export function indentedJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
