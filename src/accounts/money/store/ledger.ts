import { sql } from "kysely";
import {
  noBalances,
  type Balances,
  type LedgerStore,
  type LedgerTransaction,
  type MoneyChange,
} from "../ledger.js";
import { monthOf, type Month } from "../spending.js";
import type { Database } from "../../../store/database.js";
import { verifyLedger } from "./verify-ledger.js";
import { prepare, prepareBinding } from "../../../store/prepared.js";
import { refusalOf } from "./refusal.js";
import type { EntryRow, TransactionRow } from "../../../store/schema.js";
import { changesOf, writeOf } from "../../../store/writes.js";

type NewTransaction = Omit<TransactionRow, "id">;
type NewEntry = Pick<EntryRow, "account" | "amount_ticks">;

const transactionColumns = ["kind", "team_id", "run_id", "note", "create_time"] as const;
const entryColumns = ["account", "amount_ticks"] as const;

/**
 * The ledger's tables. Postings run on every priced request. What an account stands at is kept by a trigger of the entries, and
 * the checks on it are what refuses an overdraft, whoever asks at the same time.
 */
export function createLedgerStore(database: Database): LedgerStore {
  const { commit } = database;
  const posting = preparePosting(database);
  const spendableOf = prepareSpendable(database);
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
    async spendable(teamId, now) {
      const [row] = (await spendableOf({ teamId, month: monthOf(now) })).rows;
      return { credit: row?.credit ?? 0, monthTicks: row?.month_ticks ?? null };
    },
    balances: () => balances(database, null),
    balancesOf: async (teamId) => (await balances(database, teamId)).get(teamId) ?? noBalances,
    money: (teamId, limit) => money(database, teamId, limit),
    verify: () => verifyLedger(database),
  };
}

/** Two balances and a limit, each by its key; asked on every priced request. */
function prepareSpendable({ kysely }: Database) {
  type Asked = { readonly teamId: string; readonly month: Month };
  type Row = { readonly credit: number | null; readonly month_ticks: number | null };
  return prepare(kysely, ["teamId", "month"], ({ teamId, month }: Asked) =>
    kysely
      .selectNoFrom([
        sql<number | null>`(select balance_ticks from ledger_balances
          where team_id = ${teamId} and account = 'credit')`.as("credit"),
        sql<
          number | null
        >`(select max(0, min(coalesce(hard_ticks, soft_ticks), coalesce(soft_ticks, hard_ticks))
            - coalesce(charged_ticks + reserved_ticks, 0))
          from spending_limits as bound
          left join team_months as spent on spent.team_id = bound.team_id and spent.month = ${month}
          where bound.team_id = ${teamId})`.as("month_ticks"),
      ])
      .$castTo<Row>(),
  );
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

async function money({ kysely }: Database, teamId: string, limit: number): Promise<readonly MoneyChange[]> {
  const rows = await kysely
    .selectFrom("ledger_transactions")
    .innerJoin("ledger_entries", (entry) =>
      entry.onRef("transaction_id", "=", "id").on("account", "=", "credit"),
    )
    .select(["kind", "create_time", "amount_ticks"])
    .where("team_id", "=", teamId)
    .where("run_id", "is", null)
    .orderBy("create_time", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    origin: row.kind as MoneyChange["origin"],
    ticks: BigInt(row.amount_ticks),
    time: row.create_time,
  }));
}

async function balances({ kysely }: Database, teamId: string | null): Promise<ReadonlyMap<string, Balances>> {
  const rows = await kysely
    .selectFrom("ledger_balances")
    .select(["team_id", "account"])
    // As text: sums over years outgrow the integers of JavaScript.
    .select(sql<string>`cast(balance_ticks as text)`.as("ticks"))
    .$if(teamId !== null, (all) => all.where("team_id", "=", teamId))
    .orderBy("team_id")
    .execute();
  const teams = new Map<string, Balances>();
  for (const { team_id, account, ticks } of rows)
    teams.set(team_id, { ...(teams.get(team_id) ?? noBalances), [account]: BigInt(ticks) });
  return teams;
}
