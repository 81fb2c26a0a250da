/** Rate limits and what is left of them. accounts/limits/ enforces them. */
import type { Usage } from "./usage.js";

/** Requests per second and per minute, tokens per minute; null = no such limit. */
export interface Limits {
  readonly qps: number | null;
  readonly qpm: number | null;
  readonly tpm: number | null;
}

/** No limits. */
export const noLimits: Limits = { qps: null, qpm: null, tpm: null };

/** What is left of a limit. */
export interface LimitStatus {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until the whole limit is available again, without further requests. */
  readonly resetMs: number;
}

/** For requests and for tokens, the limit with the least remaining; null when none applies. */
export interface LimitStatuses {
  readonly requests: LimitStatus | null;
  readonly tokens: LimitStatus | null;
}

/** The estimated tokens of an admitted request. The true number is known only when its run has ended. */
export interface TokenReservation {
  /** Replaces the estimate by the true usage. A second call does nothing. */
  reconcile(usage: Usage): void;
}

/** Formats a duration as the OpenAI API does: `120ms`, `1.2s`, `6m0s`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${ms}ms`;
  const minutes = Math.floor(ms / 60_000);
  return `${minutes === 0 ? "" : `${minutes}m`}${(ms - minutes * 60_000) / 1000}s`;
}
