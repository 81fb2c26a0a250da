/**
 * Adds, refunds, corrects and shows the credit of teams. Every change is audited. ledger.ts defines the ledger entries of a
 * change, and the store rejects overdrafts.
 */
import type { AuditAction, Actor } from "../audit/event.js";
import { HearthError } from "../../core/errors.js";
import { creditTransaction, noBalances, type Balances } from "./ledger.js";
import { ticksToUsd, type Ticks } from "../../core/money.js";
import { toMonth, noSpending, type MonthlySpending } from "./spending.js";
import type { LedgerStore } from "./store/ledger.js";
import type { SpendingStore } from "./store/spending-limits.js";
import type { TeamStore } from "../teams/store.js";
import type { Team } from "../principals/team.js";
import { auditEntry, type AuditDeps } from "../audit/audited-change.js";
import { usdAmount } from "./amounts.js";
import { invalid } from "../field-rules.js";
import { findVisibleTeam } from "../teams/teams.js";

/** A purchase, a refund, or a correction, whose amount may be negative. */
export type CreditChange = "purchase" | "refund" | "adjust";

interface CreditAmount {
  /** Such as `12.50`. */
  readonly usd: string;
  /** The reason, stored in the ledger. */
  readonly note: string | null;
}

export interface TeamCredits {
  readonly team: Team;
  readonly balances: Balances;
  /** Spending of the current month. */
  readonly month: MonthlySpending;
}

interface ChangedCredits extends TeamCredits {
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** The amount of the change; positive for a refund. */
  readonly ticks: Ticks;
}

export type CreditService = ReturnType<typeof createCreditService>;

interface CreditDeps extends Omit<AuditDeps, "writes"> {
  readonly teams: TeamStore;
  readonly ledger: LedgerStore;
  readonly spending: SpendingStore;
}

const noteCharactersMax = 500;

export function createCreditService(deps: CreditDeps) {
  return {
    /**
     * Changes a team's credit.
     * @throws HearthError `invalid_value` naming the field, `not_found` when the team does not exist, `permission_denied` for an
     * actor of a single team, `no_credits` when the team has less credit than is to be taken.
     */
    change: (
      kind: CreditChange,
      teamId: string,
      amount: CreditAmount,
      actor: Actor,
    ): Promise<ChangedCredits> => change(deps, kind, teamId, amount, actor),
    /** Returns the credit of these teams, in the same order. */
    async of(teams: readonly Team[]): Promise<readonly TeamCredits[]> {
      const balances = await deps.ledger.balances();
      const months = await deps.spending.all(toMonth(deps.clock.now()));
      return teams.map((team) => ({
        team,
        balances: balances.get(team.id) ?? noBalances,
        month: months.get(team.id) ?? noSpending,
      }));
    },
  };
}

const actions: Readonly<Record<CreditChange, readonly [action: AuditAction, verb: string]>> = {
  purchase: ["PurchaseCredit", "Added"],
  refund: ["RefundCredit", "Refunded"],
  adjust: ["AdjustCredit", "Adjusted by"],
};

async function change(
  deps: CreditDeps,
  kind: CreditChange,
  teamId: string,
  { usd, note }: CreditAmount,
  actor: Actor,
): Promise<ChangedCredits> {
  const team = await findVisibleTeam(deps.teams, teamId, actor);
  if (actor.teamId !== null)
    throw new HearthError(
      "permission_denied",
      "This management key is for one team: it may not change its credit. Please ask the operator of this server.",
    );
  const ticks = readAmount(kind, usd);
  if (note !== null && [...note].length > noteCharactersMax)
    throw invalid("note", `must have at most ${noteCharactersMax} characters`);
  const [action, verb] = actions[kind];
  const time = deps.clock.now();
  const event = auditEntry(deps, actor, {
    action,
    objectId: team.id,
    teamId: team.id,
    description: `${verb} ${ticksToUsd(BigInt(ticks))} USD of credit for the team '${team.name}'`,
    before: null,
    after: { usd: ticksToUsd(BigInt(ticks)), note },
  });
  try {
    await deps.ledger.post(creditTransaction(kind, { teamId, ticks, note }, time), [event]);
  } catch (thrown) {
    if (!(thrown instanceof HearthError) || thrown.kind !== "no_credits") throw thrown;
    const { credit } = await deps.ledger.readBalances(team.id);
    throw new HearthError(
      "no_credits",
      `The team '${team.name}' has only ${ticksToUsd(credit)} USD of credit that can be taken.`,
    );
  }
  return { ...(await readCredits(deps, team)), time, ticks };
}

async function readCredits({ ledger, spending, clock }: CreditDeps, team: Team): Promise<TeamCredits> {
  const balances = await ledger.readBalances(team.id);
  return { team, balances, month: await spending.find(team.id, toMonth(clock.now())) };
}

function readAmount(kind: CreditChange, usd: string): Ticks {
  const ticks = usdAmount("amount", usd);
  if (ticks === 0) throw invalid("amount", "must not be 0");
  if (ticks < 0 && kind !== "adjust") throw invalid("amount", "must not be negative");
  return ticks;
}
