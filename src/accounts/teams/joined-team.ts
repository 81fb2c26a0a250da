import type { Team } from "./team.js";
import type { TeamRow } from "../../store/schema.js";

/** The columns of `teams` that a query selects when it joins them to keys. */
export const teamColumns = [
  "teams.name as team_name",
  "teams.billing as team_billing",
  "teams.blocked as team_blocked",
  "teams.weight as team_weight",
  "teams.acls as team_acls",
  "teams.keeps_bodies as team_keeps_bodies",
  "teams.create_time as team_create_time",
] as const;

/** The team's columns of a joined row: the key's `team_id` and `teamColumns`. */
export interface JoinedTeam {
  readonly team_id: string;
  readonly team_name: string;
  readonly team_billing: TeamRow["billing"];
  readonly team_blocked: number;
  readonly team_weight: number;
  readonly team_acls: string | null;
  readonly team_keeps_bodies: number;
  readonly team_create_time: number;
}

/** The same columns of an outer join: all null when there is no team. */
export type MaybeJoinedTeam = { readonly [Column in keyof JoinedTeam]: JoinedTeam[Column] | null };

/** Returns the team of a joined row. */
export function teamOfRow(row: JoinedTeam): Team;
export function teamOfRow(row: MaybeJoinedTeam): Team | null;
export function teamOfRow(row: MaybeJoinedTeam): Team | null {
  if (!hasTeam(row)) return null;
  return {
    id: row.team_id,
    name: row.team_name,
    billing: row.team_billing,
    blocked: row.team_blocked === 1,
    weight: row.team_weight,
    acls: row.team_acls === null ? null : (JSON.parse(row.team_acls) as string[]),
    keepsBodies: row.team_keeps_bodies === 1,
    createTime: row.team_create_time,
  };
}

function hasTeam(row: MaybeJoinedTeam): row is JoinedTeam {
  return row.team_name !== null;
}
