import type { Team } from "./team.js";
import type { TeamRow } from "../../store/schema.js";

/** What a query that joins `teams` to keys selects of them, to stand beside the key's own columns. */
export const teamColumns = [
  "teams.name as team_name",
  "teams.billing as team_billing",
  "teams.blocked as team_blocked",
  "teams.weight as team_weight",
  "teams.create_time as team_create_time",
] as const;

/** A row's columns of a team: the key's own of its id, and those of `teamColumns`. */
export interface TeamBeside {
  readonly team_id: string;
  readonly team_name: string;
  readonly team_billing: TeamRow["billing"];
  readonly team_blocked: number;
  readonly team_weight: number;
  readonly team_create_time: number;
}

/** The same of an outer join: all of it null where there is no team. */
export type MaybeTeamBeside = { readonly [Column in keyof TeamBeside]: TeamBeside[Column] | null };

/** The team of a row. */
export function teamBeside(row: TeamBeside): Team;
export function teamBeside(row: MaybeTeamBeside): Team | null;
export function teamBeside(row: MaybeTeamBeside): Team | null {
  if (!hasTeam(row)) return null;
  return {
    id: row.team_id,
    name: row.team_name,
    billing: row.team_billing,
    blocked: row.team_blocked === 1,
    weight: row.team_weight,
    createTime: row.team_create_time,
  };
}

function hasTeam(row: MaybeTeamBeside): row is TeamBeside {
  return row.team_name !== null;
}
