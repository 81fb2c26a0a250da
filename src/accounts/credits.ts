/**
 * What teams have to spend: bought, given back, corrected, and shown. It owns how much may be meant, and that each change stands
 * in the audit log; the entries that one makes are core/ledger.ts's, and that no balance is overdrawn is the store's.
 */
import type { Act, Actor } from "../core/audit.js";
import { HearthError } from "../core/errors.js";
import { moneyFor, type Balances, type LedgerStore } from "../core/ledger.js";
import { ticksToUsd, usdToTicks, type Ticks } from "../core/money.js";
import type { Team, TeamStore } from "../core/team.js";
import { telling, type ActsDeps } from "./acts.js";
import { teamSeen } from "./teams.js";

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
}

export interface CreditService {
  /**
   * Changes a team's credit.
   * @throws HearthError `invalid_value` naming the field, `not_found` when there is no such team, `permission_denied` to an
   * actor of one team, `no_credits` when there is not as much to take away.
   */
  change(kind: CreditChange, teamId: string, amount: CreditAmount, actor: Actor): Promise<TeamCredits>;
  /** What these teams have, in the same order. */
  of(teams: readonly Team[]): Promise<readonly TeamCredits[]>;
}

export interface CreditDeps extends Omit<ActsDeps, "writes"> {
  readonly teams: TeamStore;
  readonly ledger: LedgerStore;
}

const noteCharactersMax = 500;

/** Builds the service over its ports. */
export function createCreditService(deps: CreditDeps): CreditService {
  return {
    change: (kind, teamId, amount, actor) => change(deps, kind, teamId, amount, actor),
    async of(teams) {
      const balances = await deps.ledger.balances();
      return teams.map((team) => ({ team, balances: balances.get(team.id) ?? none }));
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
): Promise<TeamCredits> {
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
  const event = telling(deps, actor, {
    ...{ act, objectId: team.id, teamId: team.id },
    description: `${verb} ${ticksToUsd(BigInt(ticks))} USD of credit for the team '${team.name}'`,
    before: null,
    after: { usd: ticksToUsd(BigInt(ticks)), note },
  });
  try {
    await deps.ledger.post(moneyFor(kind, { teamId, ticks, note }, deps.clock.now()), [event]);
  } catch (thrown) {
    if (!(thrown instanceof HearthError) || thrown.kind !== "no_credits") throw thrown;
    const { credit } = await balancesOf(deps, team);
    throw new HearthError(
      "no_credits",
      `The team '${team.name}' has ${ticksToUsd(credit)} USD of credit that can be taken away.`,
    );
  }
  return { team, balances: await balancesOf(deps, team) };
}

async function balancesOf({ ledger }: CreditDeps, { id }: Team): Promise<Balances> {
  return (await ledger.balances()).get(id) ?? none;
}

const none: Balances = {
  credit: 0n,
  reserved: 0n,
  owed: 0n,
  revenue: 0n,
  purchases: 0n,
  adjustments: 0n,
};

function amountOf(kind: CreditChange, usd: string): Ticks {
  let ticks: Ticks;
  try {
    ticks = usdToTicks(usd);
  } catch (thrown) {
    if (thrown instanceof RangeError) throw invalid("amount", thrown.message);
    throw thrown;
  }
  if (ticks === 0) throw invalid("amount", "must not be 0");
  if (ticks < 0 && kind !== "adjust") throw invalid("amount", "must not be negative");
  return ticks;
}

function invalid(param: string, what: string): HearthError {
  return new HearthError("invalid_value", `${param} ${what}.`, { param });
}
