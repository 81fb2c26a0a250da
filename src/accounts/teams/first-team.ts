import type { Team, TeamStore } from "./team.js";
import { auditedTeam, carryOut, type ActsDeps } from "../audit/audited-change.js";
import { serverActor } from "../audit/actors.js";

export interface FirstTeamDeps extends ActsDeps {
  readonly teams: TeamStore;
}

/** The oldest team, made where there is none: unmetered, so that a laptop just works. */
export async function ensureFirstTeam(deps: FirstTeamDeps): Promise<Team> {
  const { teams, clock, random } = deps;
  const oldest = (await teams.list())[0];
  if (oldest !== undefined) return oldest;
  const team: Team = {
    id: random.id(),
    name: "default",
    billing: "unmetered",
    blocked: false,
    weight: 1,
    createTime: clock.now(),
  };
  await carryOut(deps, serverActor, {
    act: "CreateTeam",
    objectId: team.id,
    teamId: team.id,
    description: "Created the first team",
    before: null,
    after: auditedTeam(team),
    change: teams.insertion(team),
  });
  return team;
}
