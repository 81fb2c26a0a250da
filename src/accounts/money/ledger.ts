/**
 * The ledger's nouns and laws. It owns what a transaction is and which entries each kind has; where they are written, and that
 * no balance is overdrawn, is store/ledger.ts's. Every team has books of its own, and in each the entries sum to zero.
 */
import { HearthError } from "../../core/errors.js";
import { ticksToUsd, type Ticks } from "../../core/money.js";
import type { Write } from "../../store/write.js";
import type { LedgerAccount, TransactionKind } from "../../store/column-values.js";

export type { LedgerAccount, TransactionKind } from "../../store/column-values.js";

export interface LedgerEntry {
  readonly account: LedgerAccount;
  /** Never 0. */
  readonly ticks: Ticks;
}

/** Entries of one team that sum to zero, no two of the same account. */
export interface LedgerTransaction {
  readonly kind: TransactionKind;
  readonly teamId: string;
  /** The run that it belongs to; null where money comes or goes. */
  readonly runId: string | null;
  /** Why money came or went, in the operator's words. */
  readonly note: string | null;
  /** Milliseconds since the epoch. */
  readonly createTime: number;
  readonly entries: readonly LedgerEntry[];
}

/** What a team may spend just now. */
export interface Spendable {
  readonly credit: Ticks;
  /** What is left of its spending limit of the month; null = it has none. */
  readonly monthTicks: Ticks | null;
}

/** What a team's accounts stand at; sums over years outgrow safe integers. */
export type Balances = Readonly<Record<LedgerAccount, bigint>>;

/** Money that came or went, as its team's credit has it. */
export interface MoneyChange {
  readonly origin: "purchase" | "refund" | "adjust";
  /** What it made the credit more by; less when it is negative. */
  readonly ticks: bigint;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/** The accounts of a team without any transaction. */
export const noBalances: Balances = {
  credit: 0n,
  reserved: 0n,
  owed: 0n,
  revenue: 0n,
  purchases: 0n,
  adjustments: 0n,
};

export interface LedgerStore {
  /** The changes that write a transaction, to be made with others; no entry is ever changed or deleted afterwards. */
  posting(transaction: LedgerTransaction): readonly Write[];
  /**
   * Writes a transaction, together with other changes or alone; it is on the disk when this resolves.
   * @throws HearthError `no_credits` where a balance would be overdrawn, `invalid_value` where one would be too large to count.
   */
  post(transaction: LedgerTransaction, together?: readonly Write[]): Promise<void>;
  /** What a team may spend in the month of that time, in milliseconds since the epoch. */
  spendable(teamId: string, now: number): Promise<Spendable>;
  /** Of one team. */
  balancesOf(teamId: string): Promise<Balances>;
  /** What came to a team's credit and went from it without a run, the newest first. */
  money(teamId: string, limit: number): Promise<readonly MoneyChange[]>;
  /** Of every team that has a transaction, by team id. */
  balances(): Promise<ReadonlyMap<string, Balances>>;
  /** Recomputes everything. @returns a sentence for each thing that is wrong, a bounded number of them; none: it balances. */
  verify(): Promise<readonly string[]>;
}

/** Whose work an entry is of. */
export interface LedgerRun {
  readonly id: string;
  readonly teamId: string;
}

/** Holds an upper bound for a run; null when there is nothing to hold. */
export function reserveFor(run: LedgerRun, ticks: Ticks, createTime: number): LedgerTransaction | null {
  if (ticks === 0) return null;
  const entries = [entry("credit", -ticks), entry("reserved", ticks)];
  return transaction({ kind: "reserve", ...ofRun(run), createTime, entries });
}

/** What a run is charged: its cost, but never more than was reserved; a bound that was wrong is the house's loss. */
export function chargeOf(costTicks: Ticks, reservedTicks: Ticks | null): Ticks {
  return reservedTicks === null ? costTicks : Math.min(costTicks, reservedTicks);
}

/**
 * Ends a run in the books; null when nothing was held and nothing is charged.
 * @param reservedTicks null for a team that need not reserve. @param chargeTicks at most as much, where it did.
 */
export function settleFor(
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

/** Money that comes or goes. @throws RangeError for amounts that are no whole number of ticks, or none. */
export function moneyFor(
  kind: "purchase" | "refund" | "adjust",
  { teamId, ticks, note }: { readonly teamId: string; readonly ticks: Ticks; readonly note: string | null },
  createTime: number,
): LedgerTransaction {
  const signed = kind === "refund" ? -ticks : ticks;
  const other = kind === "adjust" ? "adjustments" : "purchases";
  const entries = [entry("credit", signed), entry(other, -signed)];
  return transaction({ kind, teamId, runId: null, note, createTime, entries });
}

/** What is lacking: credit, or room below the spending limit of the month. */
export type Lacking = "credit" | "month";

/** What lacks for a request that may cost so much; null where nothing does. */
export function lackingFor({ credit, monthTicks }: Spendable, ticks: Ticks): Lacking | null {
  if (ticks > credit) return "credit";
  return monthTicks !== null && ticks > monthTicks ? "month" : null;
}

/**
 * What a team without enough to spend is told, in the words of the hosted service, which are the same for both.
 * @param boundTicks what the request may cost at the most; null where that is not known yet.
 */
export function noCredits(teamId: string, boundTicks: Ticks | null, lacking: Lacking): HearthError {
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
      `To continue making API requests, ${remedy[lacking]}${bound}`,
  );
}

function entry(account: LedgerAccount, ticks: Ticks): LedgerEntry {
  return { account, ticks };
}

function ofRun({ id, teamId }: LedgerRun): Pick<LedgerTransaction, "teamId" | "runId" | "note"> {
  return { teamId, runId: id, note: null };
}

/** @throws RangeError when the law of the books is broken. */
function transaction(made: LedgerTransaction): LedgerTransaction {
  const { kind, entries } = made;
  const isWhole = entries.every(({ ticks }) => Number.isSafeInteger(ticks) && ticks !== 0);
  if (!isWhole || entries.length < 2) throw new RangeError(`not the entries of a ${kind}`);
  const sum = entries.reduce((total, { ticks }) => total + BigInt(ticks), 0n);
  if (sum !== 0n) throw new RangeError(`the entries of a ${kind} do not sum to zero`);
  return made;
}
