/**
 * Reads and sets the monthly spending limits of teams: the hard limit, which only the operator sets, and the team's soft limit.
 * Every change is audited. The database rejects a run that would exceed a limit.
 */
import type { Actor, AuditedFields } from "../audit/event.js";
import { HearthError } from "../../core/errors.js";
import { ticksToUsd, type Ticks } from "../../core/money.js";
import { toMonth, type MonthlySpending, type SpendingLimits } from "./spending.js";
import type { SpendingStore } from "./store/spending-limits.js";
import type { TeamStore } from "../teams/store.js";
import type { Team } from "../principals/team.js";
import { commitAudited, retryOnConflict, type AuditDeps } from "../audit/audited-change.js";
import { usdAmount } from "./amounts.js";
import { invalid } from "../field-rules.js";
import { findVisibleTeam } from "../teams/teams.js";

/** Amounts in USD, such as `12.50`; null = no limit. Absent limits stay as they are. */
interface SpendingLimitChange {
  readonly hard?: string | null;
  readonly soft?: string | null;
}

export type SpendingService = ReturnType<typeof createSpendingService>;

interface SpendingDeps extends AuditDeps {
  readonly spending: SpendingStore;
  readonly teams: TeamStore;
}

export function createSpendingService(deps: SpendingDeps) {
  return {
    /** Returns the spending of the current month. @throws HearthError `not_found`, also for a team the actor cannot see. */
    async find(teamId: string, actor: Actor): Promise<MonthlySpending> {
      await findVisibleTeam(deps.teams, teamId, actor);
      return deps.spending.find(teamId, toMonth(deps.clock.now()));
    },
    /**
     * Sets the limits for future requests; active runs are not aborted.
     * @throws HearthError `not_found`, `invalid_value` naming the field, `permission_denied` for an actor of a single team that
     * changes the hard limit.
     */
    async change(teamId: string, change: SpendingLimitChange, actor: Actor): Promise<SpendingLimits> {
      const team = await findVisibleTeam(deps.teams, teamId, actor);
      return retryOnConflict(() => applyChange(deps, team, change, actor));
    },
  };
}

async function applyChange(
  deps: SpendingDeps,
  team: Team,
  { hard, soft }: SpendingLimitChange,
  actor: Actor,
): Promise<SpendingLimits> {
  if (actor.teamId !== null && hard !== undefined)
    throw new HearthError(
      "permission_denied",
      "This management key is for one team: it may not change its hard limit. Please ask the operator of this server.",
    );
  const { limits: before } = await deps.spending.find(team.id, toMonth(deps.clock.now()));
  const after = {
    hardTicks: hard === undefined ? before.hardTicks : parseLimit("hard", hard),
    softTicks: soft === undefined ? before.softTicks : parseLimit("soft", soft),
  };
  await commitAudited(deps, actor, {
    action: "SetSpendingLimit",
    objectId: team.id,
    teamId: team.id,
    description: `Set the monthly spending limits of the team '${team.name}'`,
    before: audited(before),
    after: audited(after),
    change: deps.spending.replacement(team.id, before, after),
  });
  return after;
}

function parseLimit(param: string, usd: string | null): Ticks | null {
  if (usd === null) return null;
  const ticks = usdAmount(param, usd);
  if (ticks < 0) throw invalid(param, "must not be negative");
  return ticks;
}

function audited({ hardTicks, softTicks }: SpendingLimits): AuditedFields {
  return { hardUsd: toUsd(hardTicks), softUsd: toUsd(softTicks) };
}

function toUsd(ticks: Ticks | null): string | null {
  return ticks === null ? null : ticksToUsd(BigInt(ticks));
}
