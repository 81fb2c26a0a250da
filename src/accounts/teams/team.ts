import type { BillingMode } from "../../store/column-values.js";

export type { BillingMode } from "../../store/column-values.js";

export interface Team {
  readonly id: string;
  readonly name: string;
  readonly billing: BillingMode;
  readonly blocked: boolean;
  /** Share of a busy model relative to other teams, 1 to 1000. */
  readonly weight: number;
  /** What its keys may do at most, as ACLs; null: everything. */
  readonly acls: readonly string[] | null;
  /** Whether the log of requests keeps what its requests read and write. */
  readonly keepsBodies: boolean;
  /** Milliseconds since the epoch. */
  readonly createTime: number;
}

/** The settings of a team for which nothing is said. */
export const defaultTeamSettings = {
  blocked: false,
  weight: 1,
  acls: null,
  keepsBodies: false,
} as const satisfies Partial<Team>;
