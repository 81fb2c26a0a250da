/** Reads and sets the budgets of keys, members, teams, tags and end users. Every change is audited. guard.ts applies the budgets. */
import type { Actor, AuditedFields } from "../audit/event.js";
import { commitAudited, auditEntry, retryOnConflict, type AuditDeps } from "../audit/audited-change.js";
import { HearthError } from "../../core/errors.js";
import { ticksToUsd, type Ticks } from "../../core/money.js";
import { invalid } from "../field-rules.js";
import type { ApiKeyStore } from "../keys/store.js";
import { endUserCharsMax, tagCharsMax } from "../principals/spend-labels.js";
import { deniedToTeamKey } from "../principals/manager-permissions.js";
import type { MemberStore } from "../members/store.js";
import { usdAmount } from "../money/amounts.js";
import type { TeamStore } from "../teams/store.js";
import type { Team } from "../principals/team.js";
import { findScope, findVisibleTeam } from "../teams/teams.js";
import {
  describeBudget,
  noBudget,
  type BudgetLimits,
  type BudgetName,
  type BudgetStatus,
  type BudgetSubject,
} from "./budget.js";
import type { BudgetQuery, BudgetStore } from "./store.js";

/** Under this label the sums have what exceeds the number of labels that a team may have in a month. */
const otherLabel = "*";

/** Amounts of money in USD, such as `12.50`; null = no such limit. Absent limits stay as they are. */
export interface BudgetChange {
  readonly hardUsd?: string | null;
  readonly softUsd?: string | null;
  readonly hardTokens?: number | null;
  readonly softTokens?: number | null;
}

/** A key, member or team that the actor cannot see is treated as one that does not exist. */
export type BudgetService = ReturnType<typeof createBudgetService>;

/** Budgets of tags and end users of a team. */
const labelBudgetsMax = 1000;

interface BudgetServiceDeps extends AuditDeps {
  readonly budgets: BudgetStore;
  readonly keys: ApiKeyStore;
  readonly members: MemberStore;
  readonly teams: TeamStore;
}

export function createBudgetService(deps: BudgetServiceDeps) {
  const { budgets, teams, clock } = deps;
  return {
    /**
     * Returns budgets of a team in order of creation. An actor that sees only API keys of their own gets the budgets of the team, of
     * the actor and of these keys. @throws HearthError `not_found`.
     */
    async page(query: Omit<BudgetQuery, "ownerId">, actor: Actor): Promise<readonly BudgetStatus[]> {
      const { ownerId } = await findScope(teams, query.teamId, actor);
      return budgets.page({ ...query, ownerId }, clock.now());
    },
    /**
     * Sets the limits of a budget for future requests; active runs are not aborted. A new budget counts what its current period has used.
     * Without any limit it is deleted.
     * @returns null when the budget has no limit.
     * @throws HearthError `not_found`, `invalid_value` naming the field, `permission_denied` for an actor of a single team that changes
     * the budget of the team.
     */
    change: (name: BudgetName, change: BudgetChange, actor: Actor): Promise<BudgetStatus | null> =>
      retryOnConflict(() => applyChange(deps, name, change, actor)),
  };
}

async function applyChange(
  deps: BudgetServiceDeps,
  name: BudgetName,
  change: BudgetChange,
  actor: Actor,
): Promise<BudgetStatus | null> {
  const { budgets, clock, writes } = deps;
  const now = clock.now();
  const team = await findVisibleTeam(deps.teams, name.teamId, actor);
  const before = await budgets.find(name, now);
  const subject = await nameOfSubject(deps, name, { team, isSet: before !== null }, actor);
  const after = limitsAfter(before ?? noBudget, change);
  const hasLimit = Object.values(after).some((limit) => limit !== null);
  if (before === null && !hasLimit) return null;
  if (actor.teamId !== null && name.subject === "team") throw deniedToTeamKey("change its budget");
  const entry = {
    action: "SetBudget",
    objectId: name.subjectId,
    teamId: name.teamId,
    description: `Set the ${describeBudget(name)}${isLabel(name.subject) ? "" : ` '${subject}'`}`,
    before: before === null ? null : audited(name, before),
    after: hasLimit ? audited(name, after) : null,
  } as const;
  if (before === null) {
    const budget = { ...name, ...after, createTime: now };
    await writes.commit([...budgets.insertions(budget), auditEntry(deps, actor, entry)]);
  } else {
    const write = hasLimit ? budgets.replacement(before, after) : budgets.removal(before);
    await commitAudited(deps, actor, { ...entry, change: write });
  }
  return budgets.find(name, now);
}

/**
 * Returns what the audit log calls the subject. @param isSet whether it has this budget already
 * @throws HearthError `not_found`.
 */
async function nameOfSubject(
  { keys, members, budgets }: BudgetServiceDeps,
  name: BudgetName,
  { team, isSet }: { readonly team: Team; readonly isSet: boolean },
  actor: Actor,
): Promise<string> {
  const { teamId, subject, subjectId } = name;
  if (subject === "team") return team.name;
  if (isLabel(subject)) {
    if (!isSet) await checkLabel(budgets, name);
    return subjectId;
  }
  if (subject === "key") {
    const key = await keys.find(subjectId);
    if (key?.teamId === teamId) return key.name;
    throw new HearthError("not_found", "Cannot find API key", { param: "apiKeyId" });
  }
  // The budget of a member who was removed can still be changed.
  const [member] = isSet ? await members.findEver([subjectId]) : [await members.find(subjectId)];
  // A member of the whole server has keys in any team.
  if (member != null && (member.teamId === teamId || (member.teamId === null && actor.teamId === null)))
    return member.email;
  throw new HearthError("not_found", "Cannot find member", { param: "memberId" });
}

function isLabel(subject: BudgetSubject): boolean {
  return subject === "tag" || subject === "user";
}

/** Checks a tag or an end user that gets a budget. @throws HearthError `invalid_value`. */
async function checkLabel(budgets: BudgetStore, { teamId, subject, subjectId }: BudgetName): Promise<void> {
  const [param, charsMax] = subject === "tag" ? ["tag", tagCharsMax] : ["endUser", endUserCharsMax];
  if (subjectId === "" || subjectId.length > charsMax)
    throw invalid(param, `must have 1 to ${charsMax} characters`);
  if (subjectId !== subjectId.trim() || /\p{Cc}/u.test(subjectId))
    throw invalid(param, "must not have control characters, nor spaces around it");
  if (subjectId === otherLabel) throw invalid(param, "must not be *");
  if ((await budgets.countLabels(teamId)) >= labelBudgetsMax)
    throw invalid(param, `cannot have a budget: a team has at most ${labelBudgetsMax} of tags and end users`);
}

function limitsAfter(before: BudgetLimits, change: BudgetChange): BudgetLimits {
  const after = {
    hardTicks: ticksAfter("hardUsd", before.hardTicks, change.hardUsd),
    softTicks: ticksAfter("softUsd", before.softTicks, change.softUsd),
    hardTokens: tokensAfter("hardTokens", before.hardTokens, change.hardTokens),
    softTokens: tokensAfter("softTokens", before.softTokens, change.softTokens),
  };
  if (exceeds(after.softTicks, after.hardTicks)) throw invalid("softUsd", "must not be more than hardUsd");
  if (exceeds(after.softTokens, after.hardTokens))
    throw invalid("softTokens", "must not be more than hardTokens");
  return after;
}

function exceeds(soft: number | null, hard: number | null): boolean {
  return soft !== null && hard !== null && soft > hard;
}

function ticksAfter(param: string, before: Ticks | null, usd: string | null | undefined): Ticks | null {
  if (usd === undefined) return before;
  if (usd === null) return null;
  const ticks = usdAmount(param, usd);
  if (ticks < 0) throw invalid(param, "must not be negative");
  return ticks;
}

function tokensAfter(param: string, before: number | null, tokens: number | null | undefined): number | null {
  if (tokens === undefined) return before;
  if (tokens !== null && (!Number.isSafeInteger(tokens) || tokens < 0))
    throw invalid(param, `must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`);
  return tokens;
}

function audited(
  { subject, period }: BudgetName,
  { hardTicks, softTicks, hardTokens, softTokens }: BudgetLimits,
): AuditedFields {
  const usd = (ticks: Ticks | null) => (ticks === null ? null : ticksToUsd(BigInt(ticks)));
  return { subject, period, hardUsd: usd(hardTicks), softUsd: usd(softTicks), hardTokens, softTokens };
}
