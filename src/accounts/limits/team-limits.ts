/**
 * What teams may ask of models, as whoever manages them reads and changes it. It owns what limits may be and who may change them;
 * every change stands in the audit log. What is counted against them is rate-limits.ts's.
 */
import type { Actor } from "../audit/event.js";
import { HearthError } from "../../core/errors.js";
import { noLimits, type Limits } from "../../core/limits.js";
import { everyModel, type TeamLimits, type TeamLimitStore } from "./team-limit.js";
import type { Team, TeamStore } from "../teams/team.js";
import type { Write } from "../../store/write.js";
import { carryOut, persistently, type ActsDeps } from "../audit/audited-change.js";
import { checkLimit, checkModelId } from "../field-rules.js";
import { ofOneTeam, teamSeen } from "../teams/teams.js";

/** What limits should become; what is left out stays. */
export type LimitChange = Partial<Limits>;

/** A team that the actor does not see is answered for like one that does not exist. */
export interface TeamLimitService {
  /** All that a team has, those of every model first. @throws HearthError `not_found`. */
  list(teamId: string, actor: Actor): Promise<readonly TeamLimits[]>;
  /**
   * Changes the limits on a model, or with `everyModel` those of each that has none of its own; where none is left they go.
   * @throws HearthError `not_found`, `invalid_value` naming the field, `permission_denied` to an actor of one team, `conflict` when
   * the team has too many.
   */
  update(teamId: string, model: string, change: LimitChange, actor: Actor): Promise<TeamLimits>;
}

export interface TeamLimitDeps extends ActsDeps {
  readonly teams: TeamStore;
  readonly teamLimits: TeamLimitStore;
}

/** Models that a team may have limits of its own on. */
const limitedModelsMax = 1000;

/** Builds the service over its ports. */
export function createTeamLimitService(deps: TeamLimitDeps): TeamLimitService {
  const { teams, teamLimits } = deps;
  return {
    async list(teamId, actor) {
      await teamSeen(teams, teamId, actor);
      return teamLimits.list(teamId);
    },
    update: (teamId, model, change, actor) =>
      persistently(() => update(deps, { teamId, model }, change, actor)),
  };
}

async function update(
  deps: TeamLimitDeps,
  { teamId, model }: Pick<TeamLimits, "teamId" | "model">,
  change: LimitChange,
  actor: Actor,
): Promise<TeamLimits> {
  const team = await teamSeen(deps.teams, teamId, actor);
  if (actor.teamId !== null) throw ofOneTeam("change its limits");
  if (model !== everyModel) checkModelId(model);
  for (const field of ["qps", "qpm", "tpm"] as const) checkLimit(field, change[field] ?? null);
  const all = await deps.teamLimits.list(teamId);
  const before = all.find((one) => one.model === model) ?? null;
  if (before === null && all.length >= limitedModelsMax)
    throw new HearthError("conflict", `The team has limits on ${limitedModelsMax} models already.`);
  const after = { ...(before ?? { teamId, model, ...noLimits }), ...change };
  const written = changeOf(deps.teamLimits, before, after);
  if (written !== null) await carryOut(deps, actor, deedOf(team, before, after, written));
  return after;
}

/** Limits that limit nothing are no limits. */
function changeOf(store: TeamLimitStore, before: TeamLimits | null, after: TeamLimits): Write | null {
  const limitsSomething = after.qps !== null || after.qpm !== null || after.tpm !== null;
  if (before === null) return limitsSomething ? store.insertion(after) : null;
  return limitsSomething ? store.replacement(before, after) : store.removal(before);
}

function deedOf(team: Team, before: TeamLimits | null, after: TeamLimits, change: Write) {
  const model = after.model === everyModel ? "every model" : `the model '${after.model}'`;
  return {
    act: "UpdateTeamLimits",
    objectId: team.id,
    teamId: team.id,
    description: `Changed the limits of the team '${team.name}' on ${model}`,
    before: before === null ? null : audited(before),
    after: audited(after),
    change,
  } as const;
}

function audited({ model, qps, qpm, tpm }: TeamLimits) {
  return { model, qps, qpm, tpm };
}
