/**
 * What teams may spend in a month: the operator's bound, the hard one, and the team's own, the soft one. It owns who may set
 * which, and that each change stands in the audit log; that no run goes beyond is the store's, where the run is written.
 */
import type { Actor, AuditedFields } from "../audit/event.js";
import { HearthError } from "../../core/errors.js";
import { ticksToUsd, type Ticks } from "../../core/money.js";
import { monthOf, type MonthlySpending, type SpendingLimits, type SpendingStore } from "./spending.js";
import type { Team, TeamStore } from "../teams/team.js";
import { carryOut, persistently, type ActsDeps } from "../audit/audited-change.js";
import { usdAmount } from "./amounts.js";
import { invalid } from "../field-rules.js";
import { teamSeen } from "../teams/teams.js";

/** USD such as `12.50`; null = no limit. What is left out stays. */
export interface LimitChange {
  readonly hard?: string | null;
  readonly soft?: string | null;
}

export interface SpendingService {
  /** This month's. @throws HearthError `not_found`, also for a team that the actor does not see. */
  find(teamId: string, actor: Actor): Promise<MonthlySpending>;
  /**
   * The next request finds the limits so; what runs already is not cut.
   * @throws HearthError `not_found`, `invalid_value` naming the field, `permission_denied` to an actor of one team for the hard limit.
   */
  change(teamId: string, change: LimitChange, actor: Actor): Promise<SpendingLimits>;
}

export interface SpendingDeps extends ActsDeps {
  readonly spending: SpendingStore;
  readonly teams: TeamStore;
}

/** Builds the service over its ports. */
export function createSpendingService(deps: SpendingDeps): SpendingService {
  return {
    async find(teamId, actor) {
      await teamSeen(deps.teams, teamId, actor);
      return deps.spending.find(teamId, monthOf(deps.clock.now()));
    },
    async change(teamId, change, actor) {
      const team = await teamSeen(deps.teams, teamId, actor);
      return persistently(() => changed(deps, team, change, actor));
    },
  };
}

async function changed(
  deps: SpendingDeps,
  team: Team,
  { hard, soft }: LimitChange,
  actor: Actor,
): Promise<SpendingLimits> {
  if (actor.teamId !== null && hard !== undefined)
    throw new HearthError(
      "permission_denied",
      "This management key is for one team: it may not change its hard limit. Please ask the operator of this server.",
    );
  const { limits: before } = await deps.spending.find(team.id, monthOf(deps.clock.now()));
  const after = {
    hardTicks: hard === undefined ? before.hardTicks : limitOf("hard", hard),
    softTicks: soft === undefined ? before.softTicks : limitOf("soft", soft),
  };
  await carryOut(deps, actor, {
    ...{ act: "SetSpendingLimit", objectId: team.id, teamId: team.id },
    description: `Set the monthly spending limits of the team '${team.name}'`,
    before: audited(before),
    after: audited(after),
    change: deps.spending.replacement(team.id, before, after),
  });
  return after;
}

function limitOf(param: string, usd: string | null): Ticks | null {
  if (usd === null) return null;
  const ticks = usdAmount(param, usd);
  if (ticks < 0) throw invalid(param, "must not be negative");
  return ticks;
}

function audited({ hardTicks, softTicks }: SpendingLimits): AuditedFields {
  return { hardUsd: usdOf(hardTicks), softUsd: usdOf(softTicks) };
}

function usdOf(ticks: Ticks | null): string | null {
  return ticks === null ? null : ticksToUsd(BigInt(ticks));
}
