/**
 * Defines the transactions of the ledger and the entries of each kind. store/ledger.ts writes them and rejects overdrafts.
 * The ledger is kept for each team separately; the entries of every transaction sum to zero.
 */
import { HearthError } from "../../core/errors.js";
import { ticksToUsd, type Ticks } from "../../core/money.js";
import type { LedgerAccount, TransactionKind } from "../../store/column-values.js";

export type { LedgerAccount, TransactionKind } from "../../store/column-values.js";

interface LedgerEntry {
  readonly account: LedgerAccount;
  /** Never 0. */
  readonly ticks: Ticks;
}

/** Entries of one team that sum to zero, at most one for each account. */
export interface LedgerTransaction {
  readonly kind: TransactionKind;
  readonly teamId: string;
  /** The run it belongs to; null for purchases, refunds and corrections. */
  readonly runId: string | null;
  /** The reason for a purchase, refund or correction, in the operator's words. */
  readonly note: string | null;
  /** Milliseconds since the epoch. */
  readonly createTime: number;
  readonly entries: readonly LedgerEntry[];
}

/** What a team may currently spend. */
export interface Spendable {
  readonly credit: Ticks;
  /** The rest of its hard monthly spending limit; null = no limit. */
  readonly monthTicks: Ticks | null;
}

/** The balances of a team's accounts; sums over years exceed safe integers. */
export type Balances = Readonly<Record<LedgerAccount, bigint>>;

/** The balances of a team without transactions. */
export const noBalances: Balances = {
  credit: 0n,
  reserved: 0n,
  owed: 0n,
  revenue: 0n,
  purchases: 0n,
  adjustments: 0n,
};

/** The run of a transaction. */
interface LedgerRun {
  readonly id: string;
  readonly teamId: string;
}

/** Returns the transaction that reserves the maximum cost of a run; null when it is 0. */
export function reserveTransaction(
  run: LedgerRun,
  ticks: Ticks,
  createTime: number,
): LedgerTransaction | null {
  if (ticks === 0) return null;
  const entries = [entry("credit", -ticks), entry("reserved", ticks)];
  return transaction({ kind: "reserve", ...ofRun(run), createTime, entries });
}

/** Returns what a run is charged: its cost, but never more than its bound. @param boundTicks null: it has none */
export function computeCharge(costTicks: Ticks, boundTicks: Ticks | null): Ticks {
  return boundTicks === null ? costTicks : Math.min(costTicks, boundTicks);
}

/**
 * Returns the transaction that settles a run; null when nothing was reserved and nothing is charged.
 * @param reservedTicks null for an unmetered team. @param chargeTicks at most `reservedTicks`, unless that is null.
 */
export function settleTransaction(
  run: LedgerRun,
  { reservedTicks, chargeTicks }: { readonly reservedTicks: Ticks | null; readonly chargeTicks: Ticks },
  createTime: number,
): LedgerTransaction | null {
  if (chargeTicks === 0 && (reservedTicks ?? 0) === 0) return null;
  const from = reservedTicks === null ? entry("owed", -chargeTicks) : entry("reserved", -reservedTicks);
  const rest = (reservedTicks ?? chargeTicks) - chargeTicks;
  const entries = [from, entry("revenue", chargeTicks), entry("credit", rest)].filter(
    ({ ticks }) => ticks !== 0,
  );
  return transaction({
    kind: chargeTicks === 0 ? "release" : "settle",
    ...ofRun(run),
    createTime,
    entries,
  });
}

/** Returns the transaction of a purchase, refund or correction. @throws RangeError when the amount is 0 or not an integer. */
export function creditTransaction(
  kind: "purchase" | "refund" | "adjust",
  { teamId, ticks, note }: { readonly teamId: string; readonly ticks: Ticks; readonly note: string | null },
  createTime: number,
): LedgerTransaction {
  const signed = kind === "refund" ? -ticks : ticks;
  const other = kind === "adjust" ? "adjustments" : "purchases";
  const entries = [entry("credit", signed), entry(other, -signed)];
  return transaction({ kind, teamId, runId: null, note, createTime, entries });
}

/** What is insufficient: the credit, or the rest of the monthly spending limit. */
type Shortfall = "credit" | "month";

/** Returns what is insufficient for a request that may cost `ticks`; null when nothing is. */
export function shortfallFor({ credit, monthTicks }: Spendable, ticks: Ticks): Shortfall | null {
  if (ticks > credit) return "credit";
  return monthTicks !== null && ticks > monthTicks ? "month" : null;
}

/**
 * Returns the error for a team that cannot pay for a request, in the words of the hosted service.
 * @param boundTicks maximum cost of the request; null when it is not known.
 */
export function noCreditsError(teamId: string, boundTicks: Ticks | null, shortfall: Shortfall): HearthError {
  const remedy = {
    credit: "please ask the operator of this server for more credits.",
    month: "please have its limit raised, or wait for the next month (UTC).",
  };
  const bound =
    boundTicks === null
      ? ""
      : ` This request may cost up to ${ticksToUsd(BigInt(boundTicks))} USD; with a lower bound on its tokens it needs less.`;
  return new HearthError(
    "no_credits",
    `Your team ${teamId} has either used all available credits or reached its monthly spending limit. ` +
      `To continue making API requests, ${remedy[shortfall]}${bound}`,
  );
}

function entry(account: LedgerAccount, ticks: Ticks): LedgerEntry {
  return { account, ticks };
}

function ofRun({ id, teamId }: LedgerRun) {
  return { teamId, runId: id, note: null };
}

/** Checks a transaction. @throws RangeError when it is invalid. */
function transaction(checked: LedgerTransaction): LedgerTransaction {
  const { kind, entries } = checked;
  const isWhole = entries.every(({ ticks }) => Number.isSafeInteger(ticks) && ticks !== 0);
  if (!isWhole || entries.length < 2) throw new RangeError(`not the entries of a ${kind}`);
  const sum = entries.reduce((total, { ticks }) => total + BigInt(ticks), 0n);
  if (sum !== 0n) throw new RangeError(`the entries of a ${kind} do not sum to zero`);
  return checked;
}
