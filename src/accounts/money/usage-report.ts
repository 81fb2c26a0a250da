import type { LabelKind } from "../principals/spend-labels.js";
import type { Ticks } from "../../core/money.js";
import type { Usage } from "../../core/usage.js";

/** Usage is stored by the hour; no report is finer. */
export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** Sums over runs. Ticks are bigint because sums over years exceed safe integers. */
export interface UsageSums {
  readonly runs: number;
  readonly usage: Usage;
  readonly costTicks: bigint;
  /** The part of the cost that was taken from credit. */
  readonly creditTicks: bigint;
  /** What the runs whose model has a hosted price would have cost at that price. */
  readonly hosted: HostedSums;
}

interface HostedSums {
  readonly runs: number;
  readonly tokens: number;
  readonly ticks: bigint;
}

/**
 * What a report groups by, in addition to time. A run with several tags is in the group of each; one without a tag, or without an end
 * user, in none.
 */
export type UsageDimension = "key" | "model" | "team" | "member" | LabelKind;

/** What groups are compared by: cost, runs, or prompt, completion and reasoning tokens. */
export type UsageMeasure = "cost" | "runs" | "tokens";

/** The hosted price of tokens of `model`, requested as `requestedModel`, in the hours from `from` up to but excluding `to`. */
export interface HostedRule {
  readonly model: string;
  readonly requestedModel: string;
  readonly from: number;
  readonly to: number;
  readonly promptTicks: Ticks;
  readonly cachedTicks: Ticks;
  readonly completionTicks: Ticks;
}

/** Which usage. */
export interface UsageRange {
  /** null = all teams. */
  readonly teamId: string | null;
  /** Hours that start at `from` or later and before `to`; milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  /** Only usage of the API keys that this member created; null = of all keys. */
  readonly ownerId: string | null;
  /** Only usage with this tag or of this end user; null = all. Then the report cannot group by labels of the other kind. */
  readonly label: { readonly kind: LabelKind; readonly label: string } | null;
}

export interface UsageQuery extends UsageRange {
  /** One row for each hour, day or month that has any usage; null = one row for the whole time. */
  readonly unit: "hour" | "day" | "month" | null;
  readonly by: readonly UsageDimension[];
  /** Sums all groups but the highest in one; only with a single dimension and without hosted prices. null = every group is reported. */
  readonly top: UsageTop | null;
  /** No two rules overlap in hour, model and requested name. */
  readonly hosted: readonly HostedRule[];
  /** By time, newest first, or most costly first; then by id. */
  readonly order: "time" | "newest" | "cost";
  readonly limit: number;
}

export interface UsageTop {
  readonly count: number;
  /** By its sum over the whole time. */
  readonly measure: UsageMeasure;
}

export interface UsageRow extends UsageSums {
  /** Start of the hour, day or month; null when the query has no unit. */
  readonly time: number | null;
  /** For each dimension of the query the id, and the name where it differs from the id; empty for the groups that are not the highest. */
  readonly group: readonly UsageGroup[];
}

/** The id of a member is empty for keys of which nothing is known: they were deleted before Hearth kept who created them. */
export interface UsageGroup {
  readonly id: string;
  readonly name: string | null;
}

/** A model and the name under which a request asked for it: an id or an alias. */
export interface RequestedModel {
  readonly model: string;
  readonly requestedModel: string;
}
