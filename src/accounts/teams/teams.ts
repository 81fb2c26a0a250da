import { isDeepStrictEqual } from "node:util";
import type { Actor } from "../audit/event.js";
import { HearthError } from "../../core/errors.js";
import { groupsIn } from "../principals/acls.js";
import type { TeamStore } from "./store.js";
import { defaultTeamSettings, type BillingMode, type Team } from "../principals/team.js";
import {
  auditedTeam,
  auditEntry,
  commitAudited,
  retryOnConflict,
  type AuditDeps,
} from "../audit/audited-change.js";
import { canSee, deriveScope, type Scope, type TeamScope } from "../visibility.js";
import { deniedToTeamKey } from "../principals/manager-permissions.js";
import { resolveReference } from "../../core/resolve-reference.js";
import { checkAcls } from "../field-rules.js";
import { foldName } from "../names.js";
import { checkTeamName } from "./team-names.js";
import { checkGroupsExist } from "../groups/known-groups.js";
import type { AccessGroupStore } from "../groups/store.js";

/** A change of a team; absent fields stay as they are. */
export type TeamChange = Partial<Pick<Team, "name" | "blocked" | "acls" | "keepsBodies">>;

interface CreateTeamRequest {
  readonly name: string;
  /** `prepaid` when absent. */
  readonly billing?: BillingMode;
}

/** Creates, reads and changes teams; every change is audited. */
export type TeamService = ReturnType<typeof createTeamService>;

interface TeamServiceDeps extends AuditDeps {
  readonly teams: TeamStore;
  readonly accessGroups: AccessGroupStore;
  /** Names and ids of teams to which settings refer; absent: there are none. */
  readonly teamsOfSettings?: readonly string[];
}

const teamsMax = 10_000;

export function createTeamService(deps: TeamServiceDeps) {
  const { teams } = deps;
  return {
    /**
     * @throws HearthError `invalid_value`, `permission_denied` for an actor of a single team, `conflict` when another team has the name or
     * there are too many teams.
     */
    create: (request: CreateTeamRequest, actor: Actor): Promise<Team> =>
      retryOnConflict(() => create(deps, request, actor)),
    /** Returns the teams that the actor can see, in order of creation. */
    list: async (actor: Actor): Promise<readonly Team[]> =>
      (await teams.list()).filter(({ id }) => canSee(actor, id)),
    /** @throws HearthError `not_found`, also for a team that the actor cannot see. */
    find: (id: string, actor: Actor): Promise<Team> => findVisibleTeam(teams, id, actor),
    /** Returns a team, with the access groups that its ACLs name. @throws HearthError `not_found`, as `find` does. */
    async findAccess(id: string, actor: Actor) {
      const team = await findVisibleTeam(teams, id, actor);
      const names = groupsIn(team.acls ?? []);
      const groups = names.length === 0 ? [] : await deps.accessGroups.findAll(names);
      return { team, groups: new Map(groups.map(({ name, acls }) => [name, acls])) };
    },
    /**
     * Returns the team with this id, start of an id, or name, in whatever case and spacing.
     * @throws HearthError `not_found` when there is none, `conflict` when there are several.
     */
    resolve: async (reference: string): Promise<Team> =>
      resolveReference(
        "team",
        reference,
        await teams.list(),
        ({ name }) => foldName(name) === foldName(reference),
        ({ name }) => name,
      ),
    /**
     * @throws HearthError `not_found`, `invalid_value`, `permission_denied` when an actor of a single team changes whether it
     * is blocked, or what its keys may do at most, or gives it a name that the settings have; `conflict` when another team has the name, or
     * the settings have the former one.
     */
    update: (id: string, change: TeamChange, actor: Actor): Promise<Team> =>
      retryOnConflict(() => update(deps, id, change, actor)),
  };
}

/**
 * Returns what an actor sees of the team that they ask for.
 * @param asked null: all that the actor sees
 * @throws HearthError `not_found`, also for a team that the actor cannot see.
 */
export async function findScope(teams: TeamStore, asked: string, actor: Actor): Promise<TeamScope>;
export async function findScope(teams: TeamStore, asked: string | null, actor: Actor): Promise<Scope>;
export async function findScope(teams: TeamStore, asked: string | null, actor: Actor): Promise<Scope> {
  const scope = deriveScope(actor, asked);
  if (scope.teamId !== null) await findVisibleTeam(teams, scope.teamId, actor);
  return scope;
}

/** Returns a team by id. @throws HearthError `not_found`, also for a team that the actor cannot see. */
export async function findVisibleTeam(teams: TeamStore, id: string, actor: Actor): Promise<Team> {
  const team = await teams.find(id);
  if (team === null || !canSee(actor, id))
    throw new HearthError("not_found", "Cannot find team", { param: "teamId" });
  return team;
}

async function create(
  deps: TeamServiceDeps,
  { name, billing = "prepaid" }: CreateTeamRequest,
  actor: Actor,
): Promise<Team> {
  const { teams, clock, random } = deps;
  if (actor.teamId !== null) throw deniedToTeamKey("create teams");
  await checkTeamName(teams, name, null);
  if ((await teams.list()).length >= teamsMax)
    throw new HearthError("conflict", `There are ${teamsMax} teams already; no more can be created.`);
  const team: Team = {
    id: random.id(),
    name,
    billing,
    ...defaultTeamSettings,
    createTime: clock.now(),
  };
  await commitAudited(deps, actor, {
    action: "CreateTeam",
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
  const before = await findVisibleTeam(deps.teams, id, actor);
  const after = { ...before, ...change };
  // A blocked team must not unblock itself.
  if (actor.teamId !== null && after.blocked !== before.blocked) throw deniedToTeamKey("block or unblock it");
  if (actor.teamId !== null && !isDeepStrictEqual(after.acls, before.acls))
    throw deniedToTeamKey("change what its keys may do at most");
  if (after.name !== before.name) await checkRenaming(deps, before, after, actor);
  if (change.acls != null) checkAcls(change.acls);
  await checkGroupsExist(deps.accessGroups, change.acls, before.acls);
  const entry = {
    action: "UpdateTeam",
    objectId: id,
    teamId: id,
    description: `${chooseVerb(before, after)} the team '${before.name}'`,
    before: auditedTeam(before),
    after: auditedTeam(after),
  } as const;
  await deps.writes.commit([
    deps.teams.replacement(before, after),
    ...(after.keepsBodies ? [] : [deps.teams.bodiesRemoval(id)]),
    auditEntry(deps, actor, entry),
  ]);
  return after;
}

/**
 * Checks a new name. A name in the settings leads people to a team: only the operator gives it to one, and a team that has it keeps it, as
 * the name of another one would lead them there.
 */
async function checkRenaming(deps: TeamServiceDeps, before: Team, after: Team, actor: Actor): Promise<void> {
  await checkTeamName(deps.teams, after.name, after.id);
  const [former, folded] = [foldName(before.name), foldName(after.name)];
  if (former === folded) return;
  const isOfSettings = (name: string): boolean =>
    (deps.teamsOfSettings ?? []).some((each) => foldName(each) === name);
  if (actor.teamId !== null && isOfSettings(folded))
    throw deniedToTeamKey("give it a name that the settings have");
  if (isOfSettings(former))
    throw new HearthError(
      "conflict",
      `oidcGroups in the settings names the team '${before.name}': use its id there before you rename it.`,
      { param: "name" },
    );
}

function chooseVerb(before: Team, after: Team): string {
  if (before.blocked === after.blocked) return before.name === after.name ? "Updated" : "Renamed";
  return after.blocked ? "Blocked" : "Unblocked";
}
