import type { Actor } from "../audit/event.js";
import { HearthError } from "../../core/errors.js";
import type { Billing, Team, TeamStore } from "./team.js";
import { auditedTeam, carryOut, persistently, type ActsDeps } from "../audit/audited-change.js";
import { sees } from "../audit/actors.js";
import { meant } from "../resolve-reference.js";
import { checkName } from "../field-rules.js";

/** What a team should become; what is left out stays. */
export type TeamChange = Partial<Pick<Team, "name" | "blocked">>;

/** Teams, as whoever manages them makes, reads and changes them. */
export interface TeamService {
  /** A new team, prepaid unless it is said otherwise. @throws HearthError `invalid_value`, `permission_denied` to an actor of one team, `conflict` when there are too many. */
  create(wish: { readonly name: string; readonly billing?: Billing }, actor: Actor): Promise<Team>;
  /** Those that the actor sees, in order of creation. */
  list(actor: Actor): Promise<readonly Team[]>;
  /** @throws HearthError `not_found`, also for a team that the actor does not see. */
  find(id: string, actor: Actor): Promise<Team>;
  /** The one that a person means by its id or name. @throws HearthError `not_found` when none is meant, `conflict` when more than one is. */
  meant(reference: string): Promise<Team>;
  /** @throws HearthError `not_found`, `invalid_value`, `permission_denied` when an actor of one team would block or unblock it. */
  update(id: string, change: TeamChange, actor: Actor): Promise<Team>;
}

export interface TeamServiceDeps extends ActsDeps {
  readonly teams: TeamStore;
}

const teamsMax = 10_000;

/** Builds the service over its ports. */
export function createTeamService(deps: TeamServiceDeps): TeamService {
  const { teams } = deps;
  return {
    create: (wish, actor) => create(deps, wish, actor),
    list: async (actor) => (await teams.list()).filter(({ id }) => sees(actor, id)),
    find: (id, actor) => teamSeen(teams, id, actor),
    meant: async (reference) =>
      meant("team", reference, await teams.list(), ({ name }) => name === reference),
    update: (id, change, actor) => persistently(() => update(deps, id, change, actor)),
  };
}

/** The team of that id. @throws HearthError `not_found`, also for a team that the actor does not see. */
export async function teamSeen(teams: TeamStore, id: string, actor: Actor): Promise<Team> {
  const team = await teams.find(id);
  if (team === null || !sees(actor, id))
    throw new HearthError("not_found", "Cannot find team", { param: "teamId" });
  return team;
}

async function create(
  deps: TeamServiceDeps,
  { name, billing = "prepaid" }: Parameters<TeamService["create"]>[0],
  actor: Actor,
): Promise<Team> {
  const { teams, clock, random } = deps;
  if (actor.teamId !== null) throw ofOneTeam("make teams");
  checkName(name);
  if ((await teams.list()).length >= teamsMax)
    throw new HearthError("conflict", `There are ${teamsMax} teams already, and no more can be made.`);
  const createTime = clock.now();
  const team: Team = { id: random.id(), name, billing, blocked: false, weight: 1, createTime };
  await carryOut(deps, actor, {
    act: "CreateTeam",
    objectId: team.id,
    teamId: team.id,
    description: `Created the team '${name}'`,
    before: null,
    after: auditedTeam(team),
    change: teams.insertion(team),
  });
  return team;
}

async function update(deps: TeamServiceDeps, id: string, change: TeamChange, actor: Actor): Promise<Team> {
  const before = await teamSeen(deps.teams, id, actor);
  const after = { ...before, ...change };
  // A team that was blocked must not unblock itself.
  if (actor.teamId !== null && after.blocked !== before.blocked) throw ofOneTeam("block or unblock it");
  checkName(after.name);
  await carryOut(deps, actor, {
    act: "UpdateTeam",
    objectId: id,
    teamId: id,
    description: `${verbOf(before, after)} the team '${before.name}'`,
    before: auditedTeam(before),
    after: auditedTeam(after),
    change: deps.teams.replacement(before, after),
  });
  return after;
}

function verbOf(before: Team, after: Team): string {
  if (before.blocked === after.blocked) return before.name === after.name ? "Updated" : "Renamed";
  return after.blocked ? "Blocked" : "Unblocked";
}

/** The refusal of what is the operator's to do. */
export function ofOneTeam(what: string): HearthError {
  return new HearthError(
    "permission_denied",
    `This management key is for one team: it may not ${what}. Please ask the operator of this server.`,
  );
}
