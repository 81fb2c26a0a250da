import type { TeamStore } from "./store.js";
import { defaultTeamSettings, type Team } from "../principals/team.js";
import { auditedTeam, commitAudited, type AuditDeps } from "../audit/audited-change.js";
import { serverActor } from "../audit/actors.js";

export interface FirstTeamDeps extends AuditDeps {
  readonly teams: TeamStore;
}

/** Returns the oldest team. Creates one when there is none: unmetered, so that a local server needs no credits. */
export async function ensureFirstTeam(deps: FirstTeamDeps): Promise<Team> {
  const { teams, clock, random } = deps;
  const oldest = (await teams.list())[0];
  if (oldest !== undefined) return oldest;
  const team: Team = {
    id: random.id(),
    name: "default",
    billing: "unmetered",
    ...defaultTeamSettings,
    createTime: clock.now(),
  };
  await commitAudited(deps, serverActor, {
    action: "CreateTeam",
    objectId: team.id,
    teamId: team.id,
    description: "Created the first team",
    before: null,
    after: auditedTeam(team),
    change: teams.insertion(team),
  });
  return team;
}
