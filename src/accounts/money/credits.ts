/**
 * What teams have to spend: bought, given back, corrected, and shown. It owns how much may be meant, and that each change stands
 * in the audit log; the entries that one makes are core/ledger.ts's, and that no balance is overdrawn is the store's.
 */
import type { Act, Actor } from "../audit/event.js";
import { HearthError } from "../../core/errors.js";
import { moneyFor, noBalances, type Balances, type LedgerStore } from "./ledger.js";
import { ticksToUsd, type Ticks } from "../../core/money.js";
import { monthOf, noSpending, type MonthlySpending, type SpendingStore } from "./spending.js";
import type { Team, TeamStore } from "../teams/team.js";
import { telling, type ActsDeps } from "../audit/audited-change.js";
import { usdAmount } from "./amounts.js";
import { invalid } from "../field-rules.js";
import { teamSeen } from "../teams/teams.js";

/** How money comes or goes: bought, given back, or corrected by an amount that may be negative. */
export type CreditChange = "purchase" | "refund" | "adjust";

export interface CreditAmount {
  /** Such as `12.50`. */
  readonly usd: string;
  /** Why, for the books. */
  readonly note: string | null;
}

export interface TeamCredits {
  readonly team: Team;
  readonly balances: Balances;
  /** Of this month. */
  readonly month: MonthlySpending;
}

export interface ChangedCredits extends TeamCredits {
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** As it was meant: a refund's is positive. */
  readonly ticks: Ticks;
}

export interface CreditService {
  /**
   * Changes a team's credit.
   * @throws HearthError `invalid_value` naming the field, `not_found` when there is no such team, `permission_denied` to an
   * actor of one team, `no_credits` when there is not as much to take away.
   */
  change(kind: CreditChange, teamId: string, amount: CreditAmount, actor: Actor): Promise<ChangedCredits>;
  /** What these teams have, in the same order. */
  of(teams: readonly Team[]): Promise<readonly TeamCredits[]>;
}

export interface CreditDeps extends Omit<ActsDeps, "writes"> {
  readonly teams: TeamStore;
  readonly ledger: LedgerStore;
  readonly spending: SpendingStore;
}

const noteCharactersMax = 500;

/** Builds the service over its ports. */
export function createCreditService(deps: CreditDeps): CreditService {
  return {
    change: (kind, teamId, amount, actor) => change(deps, kind, teamId, amount, actor),
    async of(teams) {
      const balances = await deps.ledger.balances();
      const months = await deps.spending.all(monthOf(deps.clock.now()));
      return teams.map((team) => ({
        team,
        balances: balances.get(team.id) ?? noBalances,
        month: months.get(team.id) ?? noSpending,
      }));
    },
  };
}

const acts: Readonly<Record<CreditChange, readonly [act: Act, verb: string]>> = {
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
  const team = await teamSeen(deps.teams, teamId, actor);
  if (actor.teamId !== null)
    throw new HearthError(
      "permission_denied",
      "This management key is for one team: it may not change its credit. Please ask the operator of this server.",
    );
  const ticks = amountOf(kind, usd);
  if (note !== null && [...note].length > noteCharactersMax)
    throw invalid("note", `must have at most ${noteCharactersMax} characters`);
  const [act, verb] = acts[kind];
  const time = deps.clock.now();
  const event = telling(deps, actor, {
    ...{ act, objectId: team.id, teamId: team.id },
    description: `${verb} ${ticksToUsd(BigInt(ticks))} USD of credit for the team '${team.name}'`,
    before: null,
    after: { usd: ticksToUsd(BigInt(ticks)), note },
  });
  try {
    await deps.ledger.post(moneyFor(kind, { teamId, ticks, note }, time), [event]);
  } catch (thrown) {
    if (!(thrown instanceof HearthError) || thrown.kind !== "no_credits") throw thrown;
    const { credit } = await deps.ledger.balancesOf(team.id);
    throw new HearthError(
      "no_credits",
      `The team '${team.name}' has ${ticksToUsd(credit)} USD of credit that can be taken away.`,
    );
  }
  return { ...(await creditsOf(deps, team)), time, ticks };
}

/** What the team has, and has spent this month. */
async function creditsOf({ ledger, spending, clock }: CreditDeps, team: Team): Promise<TeamCredits> {
  const balances = await ledger.balancesOf(team.id);
  return { team, balances, month: await spending.find(team.id, monthOf(clock.now())) };
}

function amountOf(kind: CreditChange, usd: string): Ticks {
  const ticks = usdAmount("amount", usd);
  if (ticks === 0) throw invalid("amount", "must not be 0");
  if (ticks < 0 && kind !== "adjust") throw invalid("amount", "must not be negative");
  return ticks;
}
