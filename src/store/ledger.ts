import { sql } from "kysely";
import type { Balances, LedgerStore, LedgerTransaction } from "../core/ledger.js";
import type { Database } from "./database.js";
import { verifyLedger } from "./ledger-verify.js";
import { prepare, prepareBinding } from "./prepared.js";
import { refusalOf } from "./refusal.js";
import type { EntryRow, TransactionRow } from "./schema.js";
import { changesOf, writeOf } from "./writes.js";

type NewTransaction = Omit<TransactionRow, "id">;
type NewEntry = Pick<EntryRow, "account" | "amount_ticks">;

const transactionColumns = ["kind", "team_id", "run_id", "note", "create_time"] as const;
const entryColumns = ["account", "amount_ticks"] as const;

/**
 * The ledger's tables. Postings run on every priced request. What an account stands at is kept by a trigger of the entries, and
 * the checks on it are what refuses an overdraft, whoever asks at the same time.
 */
export function createLedgerStore(database: Database): LedgerStore {
  const { kysely, commit } = database;
  const posting = preparePosting(database);
  const creditOf = prepare(kysely, ["teamId"], ({ teamId }: { teamId: string }) =>
    kysely
      .selectFrom("ledger_balances")
      .select("balance_ticks")
      .where("team_id", "=", teamId)
      .where("account", "=", "credit"),
  );
  return {
    posting,
    // async: whatever is thrown becomes a rejection.
    async post(transaction, together = []) {
      try {
        commit(changesOf([...posting(transaction), ...together]), true);
      } catch (thrown) {
        throw refusalOf(thrown, { teamId: transaction.teamId, ticks: null });
      }
    },
    async credit(teamId) {
      return (await creditOf({ teamId })).rows[0]?.balance_ticks ?? 0;
    },
    balances: () => balances(database),
    verify: () => verifyLedger(database),
  };
}

function preparePosting({
  kysely,
}: Database): (transaction: LedgerTransaction) => ReturnType<typeof writeOf>[] {
  const insertTransaction = prepareBinding(transactionColumns, (row: NewTransaction) =>
    kysely.insertInto("ledger_transactions").values(row),
  );
  const insertEntry = prepareBinding(entryColumns, (row: NewEntry) =>
    kysely
      .insertInto("ledger_entries")
      // The transaction that was inserted just before: ids grow.
      .values({ ...row, transaction_id: sql<number>`(select max(id) from ledger_transactions)` }),
  );
  return ({ kind, teamId, runId, note, createTime, entries }) => {
    const row = { kind, team_id: teamId, run_id: runId, note, create_time: createTime };
    return [
      writeOf("ledger_transactions", insertTransaction(row)),
      ...entries.map(({ account, ticks }) =>
        writeOf("ledger_entries", insertEntry({ account, amount_ticks: ticks })),
      ),
    ];
  };
}

async function balances({ kysely }: Database): Promise<ReadonlyMap<string, Balances>> {
  const rows = await kysely
    .selectFrom("ledger_balances")
    .select(["team_id", "account"])
    // As text: sums over years outgrow the integers of JavaScript.
    .select(sql<string>`cast(balance_ticks as text)`.as("ticks"))
    .orderBy("team_id")
    .execute();
  const teams = new Map<string, Balances>();
  for (const { team_id, account, ticks } of rows)
    teams.set(team_id, { ...(teams.get(team_id) ?? nothing), [account]: BigInt(ticks) });
  return teams;
}

const nothing: Balances = {
  credit: 0n,
  reserved: 0n,
  owed: 0n,
  revenue: 0n,
  purchases: 0n,
  adjustments: 0n,
};
