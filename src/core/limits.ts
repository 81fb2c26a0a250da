/**
 * How much may be asked for: the nouns of limits and the port to where a team's are kept. What is counted against them, and who is
 * refused, is accounts/rate-limits.ts's.
 */
import type { Usage } from "./usage.js";
import type { Write } from "./write.js";

/** Requests per second and per minute, tokens per minute; null = no such limit. */
export interface Limits {
  readonly qps: number | null;
  readonly qpm: number | null;
  readonly tpm: number | null;
}

/** Nothing is limited. */
export const noLimits: Limits = { qps: null, qpm: null, tpm: null };

/** Stands for a model in limits that hold of each model which has none of its own. */
export const everyModel = "*";

/** What a team may ask of a model. */
export interface TeamLimits extends Limits {
  readonly teamId: string;
  /** Id of the model, or `everyModel`: then each model is counted by itself. */
  readonly model: string;
}

export interface TeamLimitStore {
  /** The limits of that very model, or else those of every model; null where there are neither. */
  findFor(teamId: string, model: string): Promise<TeamLimits | null>;
  /** In order of model, those of every model first. */
  list(teamId: string): Promise<readonly TeamLimits[]>;
  /** A commit of it fails with `conflict` when the team has limits on that model already. */
  insertion(limits: TeamLimits): Write;
  /** What `before` becomes; a commit of it fails with `conflict` when they are not as `before` any more. */
  replacement(before: TeamLimits, after: TeamLimits): Write;
  /** A commit of it fails with `conflict` when they are not as they were read any more. */
  removal(limits: TeamLimits): Write;
}

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
