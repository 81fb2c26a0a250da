/** Budgets whose soft limit is reached, and those that refuse requests. */
import { describeBudget, isSoftReached, type BudgetStatus } from "../../../accounts/budgets/budget.js";
import type { BudgetStore } from "../../../accounts/budgets/store.js";
import type { ApiKeyStore } from "../../../accounts/keys/store.js";
import type { MemberStore } from "../../../accounts/members/store.js";
import { ticksToUsd } from "../../../core/money.js";
import type { AlertDetails, AlertKind } from "../../../core/report/alerts.js";
import type { Condition } from "../alert.js";
import type { ConditionSource } from "../conditions.js";

interface BudgetSourceDeps {
  readonly budgets: BudgetStore;
  readonly keys: ApiKeyStore;
  readonly members: MemberStore;
}

/** Budgets that are read at most; others follow when some of these are no longer reached. */
const budgetsMax = 1000;

/**
 * Creates the source. An alert of a budget is over when its period ends, or when the budget is changed: what is spent does not become
 * less.
 */
export function budgetSource(deps: BudgetSourceDeps): ConditionSource {
  return async ({ now, active }) => {
    const reached = await deps.budgets.reached(now, budgetsMax);
    const soft = reached.filter(isSoftReached).map((status) => [status, "budget_soft"] as const);
    const hard = reached.filter(isHardReached).map((status) => [status, "budget_hard"] as const);
    const found = new Map<string, Condition>();
    for (const [status, kind] of [...soft, ...hard])
      found.set(`${kind} ${nameSubject(status, kind)}`, await toCondition(deps, status, kind));
    for (const { kind, subject, teamId, message, details } of active) {
      if (kind !== "budget_hard" || found.has(`${kind} ${subject}`)) continue;
      const [name] = JSON.parse(subject) as [Parameters<BudgetSourceDeps["budgets"]["find"]>[0]];
      const status = await deps.budgets.find(name, now);
      if (status !== null && nameSubject(status, kind) === subject)
        found.set(`${kind} ${subject}`, { kind, subject, teamId, message, details });
    }
    return [...found.values()];
  };
}

/**
 * Creates the source of budgets that have refused requests of this server since its last call, which may not be reached: the estimate
 * of a request may have been more than was left.
 */
export function refusedBudgetSource(
  deps: BudgetSourceDeps,
  takeRefusals: () => readonly BudgetStatus[],
): ConditionSource {
  return () => Promise.all(takeRefusals().map((status) => toCondition(deps, status, "budget_hard")));
}

function isHardReached({ hardTicks, hardTokens, spentTicks, spentTokens }: BudgetStatus): boolean {
  return (
    (hardTicks !== null && spentTicks >= BigInt(hardTicks)) ||
    (hardTokens !== null && spentTokens >= hardTokens)
  );
}

/** Names the budget, its period and its limits: with others it is another condition. */
function nameSubject(status: BudgetStatus, kind: AlertKind): string {
  const { teamId, subject, subjectId, period, startTime } = status;
  const limits =
    kind === "budget_hard" ? [status.hardTicks, status.hardTokens] : [status.softTicks, status.softTokens];
  return JSON.stringify([{ teamId, subject, subjectId, period }, startTime, ...limits]);
}

async function toCondition(
  deps: BudgetSourceDeps,
  status: BudgetStatus,
  kind: "budget_soft" | "budget_hard",
): Promise<Condition> {
  const { teamId, subject, subjectId } = status;
  const name = await findName(deps, status);
  const what = name === null || name === subjectId ? "" : ` '${name}'`;
  const sentence =
    kind === "budget_soft"
      ? `The soft limit of the ${describeBudget(status)}${what} is reached`
      : `The ${describeBudget(status)}${what} refuses requests`;
  const resets =
    status.resetTime === null ? "" : ` It resets at ${new Date(status.resetTime).toISOString()}.`;
  return {
    kind,
    subject: nameSubject(status, kind),
    teamId,
    message: `${sentence}.${resets}`,
    details: { subject, subjectId, subjectName: name, ...describeAmounts(status) },
  };
}

async function findName({ keys, members }: BudgetSourceDeps, status: BudgetStatus): Promise<string | null> {
  const { subject, subjectId } = status;
  if (subject === "key") return (await keys.find(subjectId))?.name ?? null;
  if (subject === "member") return (await members.findEver([subjectId]))[0]?.email ?? null;
  return subject === "team" ? null : subjectId;
}

function describeAmounts(status: BudgetStatus): AlertDetails {
  const usd = (ticks: number | null) => (ticks === null ? null : ticksToUsd(BigInt(ticks)));
  return {
    period: status.period,
    resetTime: status.resetTime === null ? null : new Date(status.resetTime).toISOString(),
    spentUsd: ticksToUsd(status.spentTicks),
    softUsd: usd(status.softTicks),
    hardUsd: usd(status.hardTicks),
    spentTokens: status.spentTokens,
    softTokens: status.softTokens,
    hardTokens: status.hardTokens,
  };
}
