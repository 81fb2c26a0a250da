/** Reads and changes the rate limits of teams on models. Every change is audited. rate-limits.ts applies the limits. */
import type { Actor } from "../audit/event.js";
import { HearthError } from "../../core/errors.js";
import { noLimits, type Limits } from "../../core/limits.js";
import type { TeamLimitStore } from "./store.js";
import { allModels, eachEndUser, everyModel, type TeamLimits } from "../principals/team-limit.js";
import type { TeamStore } from "../teams/store.js";
import type { Team } from "../principals/team.js";
import type { Write } from "../../store/writes.js";
import {
  commitAudited,
  retryOnConflict,
  type AuditDeps,
  type AuditedChange,
} from "../audit/audited-change.js";
import { checkLimit, checkModelId } from "../field-rules.js";
import { keySettings, limitsMax } from "../keys/key-settings.js";
import { deniedToTeamKey } from "../principals/manager-permissions.js";
import { findVisibleTeam } from "../teams/teams.js";

/** A change of limits; absent fields stay as they are. */
export type LimitChange = Partial<Limits>;

/** A team that the actor cannot see is treated as one that does not exist. */
export type TeamLimitService = ReturnType<typeof createTeamLimitService>;

interface TeamLimitDeps extends AuditDeps {
  readonly teams: TeamStore;
  readonly teamLimits: TeamLimitStore;
}

/** Models on which a team may have limits. */
const limitedModelsMax = 1000;

export function createTeamLimitService(deps: TeamLimitDeps) {
  const { teams, teamLimits } = deps;
  return {
    /** Returns all limits of a team, those on every model first. @throws HearthError `not_found`. */
    async list(teamId: string, actor: Actor): Promise<readonly TeamLimits[]> {
      await findVisibleTeam(teams, teamId, actor);
      return teamLimits.list(teamId);
    },
    /**
     * Changes the limits on a model, with `everyModel` those on every model without limits of its own, with `allModels` those on
     * all models together, with `eachEndUser` those on each end user; deletes them when all are null.
     * @throws HearthError `not_found`, `invalid_value` naming the field, `permission_denied` for an actor of a single team,
     * `conflict` when the team has limits on too many models.
     */
    update: (teamId: string, model: string, change: LimitChange, actor: Actor): Promise<TeamLimits> =>
      retryOnConflict(() => update(deps, { teamId, model, ...noLimits }, change, actor)),
  };
}

/** @param unset the limits on the model that a team has without any. */
async function update(
  deps: TeamLimitDeps,
  unset: TeamLimits,
  change: LimitChange,
  actor: Actor,
): Promise<TeamLimits> {
  const { teamId, model } = unset;
  const team = await findVisibleTeam(deps.teams, teamId, actor);
  if (actor.teamId !== null) throw deniedToTeamKey("change its limits");
  if (model !== everyModel) checkModelId(model);
  for (const field of ["qps", "qpm", "tpm"] as const)
    checkLimit(field, change[field] ?? null, limitsMax[keySettings[field].kind]);
  const all = await deps.teamLimits.list(teamId);
  const before = all.find((one) => one.model === model) ?? null;
  if (before === null && all.length >= limitedModelsMax)
    throw new HearthError("conflict", `The team has limits on ${limitedModelsMax} models already.`);
  const after = { ...(before ?? unset), ...change };
  const write = createWrite(deps.teamLimits, before, after);
  if (write !== null) await commitAudited(deps, actor, toAuditedChange(team, before, after, write));
  return after;
}

/** Returns the write that stores the limits; null when nothing changes. Limits that are all null are not stored. */
function createWrite(store: TeamLimitStore, before: TeamLimits | null, after: TeamLimits): Write | null {
  const hasLimit = after.qps !== null || after.qpm !== null || after.tpm !== null;
  if (before === null) return hasLimit ? store.insertion(after) : null;
  return hasLimit ? store.replacement(before, after) : store.removal(before);
}

function toAuditedChange(
  team: Team,
  before: TeamLimits | null,
  after: TeamLimits,
  change: Write,
): AuditedChange {
  return {
    action: "UpdateTeamLimits",
    objectId: team.id,
    teamId: team.id,
    description: `Changed the limits of the team '${team.name}' on ${describeSubject(after)}`,
    before: before === null ? null : audited(before),
    after: audited(after),
    change,
  };
}

function describeSubject({ model }: TeamLimits): string {
  if (model === everyModel) return "every model";
  if (model === eachEndUser) return "each end user";
  return model === allModels ? "all models together" : `the model '${model}'`;
}

function audited({ model, qps, qpm, tpm }: TeamLimits) {
  return { model, qps, qpm, tpm };
}
