import type { Write } from "../../store/write.js";
import type { Billing } from "../../store/column-values.js";

export type { Billing } from "../../store/column-values.js";

export interface Team {
  readonly id: string;
  readonly name: string;
  readonly billing: Billing;
  readonly blocked: boolean;
  /** Share of a busy model, relative to other teams': 1 to 1000. */
  readonly weight: number;
  /** Milliseconds since the epoch. */
  readonly createTime: number;
}

export interface TeamStore {
  insert(team: Team): Promise<void>;
  insertion(team: Team): Write;
  /** What `before` becomes; a commit of it fails with `conflict` when the team is not as `before` any more. */
  replacement(before: Team, after: Team): Write;
  find(id: string): Promise<Team | null>;
  /** In order of creation. */
  list(): Promise<readonly Team[]>;
}
