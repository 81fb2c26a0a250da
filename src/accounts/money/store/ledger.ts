import { sql } from "kysely";
import { noBalances, type Balances, type LedgerTransaction, type Spendable } from "../ledger.js";
import { toMonth, type Month } from "../spending.js";
import type { OnProgress } from "../../../core/report/progress.js";
import type { Database } from "../../../store/database.js";
import { verifyLedger } from "./verify-ledger.js";
import { prepare, prepareBinding, prepareInsert } from "../../../store/prepared.js";
import { toLedgerError } from "./refusal.js";
import type { Columns } from "../../../store/tables.js";
import { listStatements, createWrite, type Write } from "../../../store/writes.js";

const entryColumns = ["account", "amountTicks"] as const;

export type LedgerStore = ReturnType<typeof createLedgerStore>;

/**
 * Creates the queries of the ledger's tables. A trigger on the entries updates the balances, and check constraints on the
 * balances reject an overdraft, also of concurrent writers.
 */
export function createLedgerStore(database: Database) {
  const { commit } = database;
  const posting = preparePosting(database);
  const readSpendable = prepareSpendable(database);
  return {
    /** Prepares the writes of a transaction. It runs on every priced request. Entries are never changed or deleted. */
    posting,
    /**
     * Writes a transaction, together with other writes; resolves when it is synced to disk.
     * @throws HearthError `no_credits` when a balance would be overdrawn, `invalid_value` when one would exceed what can be
     * counted.
     */
    async post(transaction: LedgerTransaction, together: readonly Write[] = []): Promise<void> {
      try {
        await commit(listStatements([...posting(transaction), ...together]), true);
      } catch (thrown) {
        throw toLedgerError(thrown, { teamId: transaction.teamId, ticks: null });
      }
    },
    /** Returns what a team may spend in the month of `now`, in milliseconds since the epoch. */
    async spendable(teamId: string, now: number): Promise<Spendable> {
      const [row] = (await readSpendable({ teamId, month: toMonth(now) })).rows;
      return { credit: row?.credit ?? 0, monthTicks: row?.monthTicks ?? null };
    },
    /** Returns the balances of every team that has a transaction, by team id. */
    balances: () => balances(database.reports, null),
    async readBalances(teamId: string): Promise<Balances> {
      return (await balances(database.kysely, teamId)).get(teamId) ?? noBalances;
    },
    /** Recomputes everything. Returns a bounded number of sentences, one for each error; none when the ledger balances. */
    verify: (onProgress?: OnProgress) => verifyLedger(database, onProgress),
  };
}

/** A query that runs on every priced request: two balances and a limit, each read by primary key. */
function prepareSpendable({ kysely, dialect }: Database) {
  type Parameters = { readonly teamId: string; readonly month: Month };
  type Row = { readonly credit: number | null; readonly monthTicks: number | null };
  return prepare(kysely, ["teamId", "month"], ({ teamId, month }: Parameters) =>
    kysely
      .selectNoFrom([
        sql<number | null>`(select balance_ticks from ledger_balances
          where team_id = ${teamId} and account = 'credit')`.as("credit"),
        sql<
          number | null
        >`(select ${dialect.greater(sql`0`, sql`hard_ticks - coalesce(charged_ticks + reserved_ticks, 0)`)}
          from spending_limits as limits
          left join team_months as spent on spent.team_id = limits.team_id and spent.month = ${month}
          where limits.team_id = ${teamId})`.as("monthTicks"),
      ])
      .$castTo<Row>(),
  );
}

function preparePosting({ kysely, dialect }: Database): (transaction: LedgerTransaction) => readonly Write[] {
  const insertTransaction = prepareInsert(kysely, "ledgerTransactions");
  const insertEntry = prepareBinding(entryColumns, (row: Columns<"ledgerEntries", typeof entryColumns>) =>
    kysely
      .insertInto("ledgerEntries")
      .values({ ...row, transactionId: dialect.insertedId("ledger_transactions") }),
  );
  return ({ kind, teamId, runId, note, createTime, entries }) => [
    createWrite("ledgerTransactions", insertTransaction({ kind, teamId, runId, note, createTime })),
    // Every transaction locks the balances of its team in one order.
    ...entries
      .toSorted((one, other) => (one.account < other.account ? -1 : 1))
      .map(({ account, ticks }) =>
        createWrite("ledgerEntries", insertEntry({ account, amountTicks: ticks })),
      ),
  ];
}

async function balances(
  kysely: Database["kysely"],
  teamId: string | null,
): Promise<ReadonlyMap<string, Balances>> {
  const rows = await kysely
    .selectFrom("ledgerBalances")
    .select(["teamId", "account"])
    // As text: sums over years exceed the safe integers of JavaScript.
    .select(sql<string>`cast(balance_ticks as text)`.as("ticks"))
    .$if(teamId !== null, (all) => all.where("teamId", "=", teamId))
    .orderBy("teamId")
    .execute();
  const teams = new Map<string, Balances>();
  for (const { teamId, account, ticks } of rows)
    teams.set(teamId, { ...(teams.get(teamId) ?? noBalances), [account]: BigInt(ticks) });
  return teams;
}
