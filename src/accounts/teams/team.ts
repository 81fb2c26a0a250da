import type { BillingMode } from "../../store/column-values.js";

export type { BillingMode } from "../../store/column-values.js";

export interface Team {
  readonly id: string;
  readonly name: string;
  readonly billing: BillingMode;
  readonly blocked: boolean;
  /** Share of a busy model relative to other teams, 1 to 1000. */
  readonly weight: number;
  /** Milliseconds since the epoch. */
  readonly createTime: number;
}
