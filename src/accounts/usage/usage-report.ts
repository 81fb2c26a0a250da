import type { Ticks } from "../../core/money.js";
import type { Usage } from "../../core/usage.js";

/** Usage is kept by the hour; reports read nothing finer. */
export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** What runs add up to. Sums of ticks outgrow safe integers. */
export interface UsageSums {
  readonly runs: number;
  readonly usage: Usage;
  readonly costTicks: bigint;
  /** What of the cost was taken from credit. */
  readonly creditTicks: bigint;
  /** The runs whose tokens have a hosted price, and what those would have cost. */
  readonly hosted: HostedSums;
}

export interface HostedSums {
  readonly runs: number;
  readonly tokens: number;
  readonly ticks: bigint;
}

/** What rows of a report are told apart by, beside time. */
export type UsageDimension = "key" | "model" | "team";

/** The hosted price of tokens that were asked of a model by a name, in the hours from `from` to before `to`. */
export interface HostedRule {
  readonly model: string;
  readonly askedModel: string;
  readonly from: number;
  readonly to: number;
  readonly promptTicks: Ticks;
  readonly cachedTicks: Ticks;
  readonly completionTicks: Ticks;
}

export interface UsageQuery {
  /** null = all teams. */
  readonly teamId: string | null;
  /** Hours that begin at this time or later, and before that one; milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  /** One row for each of these that has any use; null = one for all the time. */
  readonly unit: "hour" | "day" | null;
  readonly by: readonly UsageDimension[];
  /** No two of the same hour, model and name. */
  readonly hosted: readonly HostedRule[];
  /** By time, or the most costly first; then by name. */
  readonly order: "time" | "newest" | "cost";
  readonly limit: number;
}

export interface UsageRow extends UsageSums {
  /** Where its hour or day begins; null where there is no unit. */
  readonly time: number | null;
  /** For each dimension of the query the id, and the name where it has another one. */
  readonly group: readonly UsageGroup[];
}

export interface UsageGroup {
  readonly id: string;
  readonly name: string | null;
}

/** A model and a name by which it was asked for. */
export interface AskedModel {
  readonly model: string;
  readonly askedModel: string;
}

export interface UsageStore {
  rows(query: UsageQuery): Promise<readonly UsageRow[]>;
  /** What was asked for in that time, in order. */
  asked(query: Pick<UsageQuery, "teamId" | "from" | "to">, limit: number): Promise<readonly AskedModel[]>;
}
