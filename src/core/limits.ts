/** Rate limits and what is left of them, as requests and answers carry them. accounts/limits/ counts and refuses. */
import type { Usage } from "./usage.js";

/** Requests per second and per minute, tokens per minute; null = no such limit. */
export interface Limits {
  readonly qps: number | null;
  readonly qpm: number | null;
  readonly tpm: number | null;
}

/** Nothing is limited. */
export const noLimits: Limits = { qps: null, qpm: null, tpm: null };

/** What is left of a limit. */
export interface Standing {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until all of it is left, if nobody asks. */
  readonly resetMs: number;
}

/** Of the limits of each kind, that of which least is left; null where none applies. */
export interface Standings {
  readonly requests: Standing | null;
  readonly tokens: Standing | null;
}

/** Work that the limits let in, and whose tokens are known only when it is over. */
export interface Admission {
  /** Puts what it truly took in place of the estimate. A second call does nothing. */
  settle(usage: Usage): void;
}

/** A time as OpenAI writes it: `120ms`, `1.2s`, `6m0s`. */
export function spanText(ms: number): string {
  if (ms < 1000) return `${ms}ms`;
  const minutes = Math.floor(ms / 60_000);
  return `${minutes === 0 ? "" : `${minutes}m`}${(ms - minutes * 60_000) / 1000}s`;
}
