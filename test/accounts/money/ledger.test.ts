import { join } from "node:path";
import fc from "fast-check";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../../src/store/database.js";
import { createTeamStore } from "../../../src/accounts/teams/store.js";
import { onPostgres } from "../../kit/databases/postgres/databases.js";
import { aTeam, databaseOfTwoTeams, temporaryFolder } from "../../store/records.js";
import { ledgerOf, outcomeOf, teamId } from "./recorded-runs.js";

type Step =
  | { readonly type: "buy" | "refund" | "begin"; readonly ticks: number }
  | { readonly type: "begin-unmetered" | "crash" }
  | { readonly type: "end"; readonly which: number; readonly tokens: number };

const ticks = fc.integer({ min: 1, max: 2000 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constantFrom("buy", "refund", "begin", "begin"), ticks }),
  fc.record({ type: fc.constantFrom("begin-unmetered", "crash") }),
  fc.record({ type: fc.constant("end"), which: fc.nat(9), tokens: fc.nat(30) }),
);

describe("the ledger", () => {
  it("balances, never overdrawn, through any interleaving of purchases, refunds, runs and crashes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const file = join(temporaryFolder(), "hearth.db");
        let database = await openDatabase(file);
        await createTeamStore(database).insert(aTeam({ id: teamId }));
        let teamLedger = ledgerOf(database);
        const held = new Map<string, number | null>();
        let [credit, revenue, begun] = [0, 0, 0];
        const take = async (amount: number, work: Promise<unknown>): Promise<boolean> => {
          expect(await outcomeOf(work)).toBe(amount <= credit ? "done" : "no_credits");
          const isTaken = amount <= credit;
          if (isTaken) credit -= amount;
          return isTaken;
        };
        for (const each of steps) {
          if (each.type === "buy") {
            await teamLedger.buy(each.ticks);
            credit += each.ticks;
          } else if (each.type === "refund") await take(each.ticks, teamLedger.refund(each.ticks));
          else if (each.type === "begin") {
            const id = `run-${(begun += 1)}`;
            if (await take(each.ticks, teamLedger.begin(id, each.ticks))) held.set(id, each.ticks);
          } else if (each.type === "begin-unmetered") {
            const id = `run-${(begun += 1)}`;
            await teamLedger.begin(id, null);
            held.set(id, null);
          } else if (each.type === "end") {
            const [id, reserved] = [...held][each.which % Math.max(held.size, 1)] ?? [];
            if (id === undefined || reserved === undefined) continue;
            const charge = await teamLedger.end(id, reserved, each.tokens);
            held.delete(id);
            revenue += charge;
            if (reserved !== null) credit += reserved - charge;
          } else {
            await database.close();
            database = await openDatabase(file);
            teamLedger = ledgerOf(database);
            expect(await teamLedger.runs.interruptAll(3)).toBe(held.size);
            for (const reserved of held.values()) credit += reserved ?? 0;
            held.clear();
          }
          expect(await teamLedger.credit()).toBe(credit);
        }
        const balances = (await teamLedger.ledger.balances()).get(teamId);
        const reserved = [...held.values()].reduce((sum: number, each) => sum + (each ?? 0), 0);
        expect(balances?.reserved ?? 0n).toBe(BigInt(reserved));
        expect(balances?.revenue ?? 0n).toBe(BigInt(revenue));
        expect(await teamLedger.ledger.verify()).toEqual([]);
        await database.close();
      }),
      { numRuns: 40 },
    );
  });

  it("F14: gives the last credit to only one of two concurrent connections", async () => {
    const file = join(temporaryFolder(), "hearth.db");
    const [one, other] = [await openDatabase(file), await openDatabase(file)];
    await createTeamStore(one).insert(aTeam({ id: teamId }));
    await ledgerOf(one).buy(100);
    const outcomes = await Promise.all([
      outcomeOf(ledgerOf(one).begin("run-1", 60)),
      outcomeOf(ledgerOf(other).begin("run-2", 60)),
    ]);
    expect(outcomes.toSorted()).toEqual(["done", "no_credits"]);
    expect((await ledgerOf(one).runs.list(9)).length).toBe(1);
    await one.close();
    await other.close();
  });

  it("charges a run once, even if its end is written twice", async () => {
    const teamLedger = ledgerOf(await databaseOfTwoTeams());
    await teamLedger.buy(1000);
    await teamLedger.begin("run-1", 500);
    await teamLedger.end("run-1", 500, 2);
    await expect(teamLedger.end("run-1", 500, 9)).rejects.toMatchObject({ kind: "conflict" });
    expect(await teamLedger.ledger.verify()).toEqual([]);
  });

  it("refuses more credit than can be counted", async () => {
    const teamLedger = ledgerOf(await databaseOfTwoTeams());
    await teamLedger.buy(Number.MAX_SAFE_INTEGER);
    expect(await outcomeOf(teamLedger.buy(1))).toBe("invalid_value");
    expect(await teamLedger.credit()).toBe(Number.MAX_SAFE_INTEGER);
  });

  it("sums purchases beyond the safe integers of JavaScript", async () => {
    const teamLedger = ledgerOf(await databaseOfTwoTeams());
    for (let year = 0; year < 3; year++) {
      await teamLedger.buy(Number.MAX_SAFE_INTEGER);
      await teamLedger.refund(Number.MAX_SAFE_INTEGER - 1);
      await teamLedger.refund(1);
    }
    await teamLedger.buy(Number.MAX_SAFE_INTEGER);
    await teamLedger.begin("run-1", Number.MAX_SAFE_INTEGER);
    await teamLedger.end("run-1", Number.MAX_SAFE_INTEGER, Math.floor(Number.MAX_SAFE_INTEGER / 40) - 10);
    await teamLedger.buy(Number.MAX_SAFE_INTEGER - 1000);
    const balances = (await teamLedger.ledger.balances()).get(teamId);
    expect(balances?.purchases).toBe(-2n * BigInt(Number.MAX_SAFE_INTEGER) + 1000n);
    expect(await teamLedger.ledger.verify()).toEqual([]);
  });

  it.each(["update ledger_entries set amount_ticks = 1", "delete from ledger_entries"])(
    "lets nobody change what is written: %s",
    async (statement) => {
      const database = await databaseOfTwoTeams();
      await ledgerOf(database).buy(1000);
      await expect(sql.raw(statement).execute(database.kysely)).rejects.toThrow("append-only");
      const other = statement.replace("ledger_entries", "ledger_transactions").replace("amount_ticks", "id");
      await expect(sql.raw(other).execute(database.kysely)).rejects.toThrow("append-only");
    },
  );
});

describe("verify", () => {
  const allowing = onPostgres
    ? ["drop trigger ledger_entries_refuse_changes on ledger_entries"]
    : ["drop trigger ledger_entries_refuse_update", "drop trigger ledger_entries_refuse_delete"];
  const unwatched = [`drop trigger ledger_entries_are_counted${onPostgres ? " on ledger_entries" : ""}`];

  it.each<[string, readonly string[], RegExp]>([
    [
      "an entry that was changed",
      [
        ...allowing,
        "update ledger_entries set amount_ticks = 499 where account = 'reserved' and amount_ticks = 500",
      ],
      /transaction 2 has 2 entries, which sum to -1/,
    ],
    [
      "an entry that is gone",
      [...allowing, "delete from ledger_entries where transaction_id = 1 and account = 'purchases'"],
      /transaction 1 has 1 entries/,
    ],
    [
      "a balance that is not the sum of its entries",
      ["update ledger_balances set balance_ticks = balance_ticks + 1 where account = 'credit'"],
      /the account credit of team team-1 has the balance \d+ but its entries sum to \d+/,
    ],
    [
      "a balance that is gone",
      ["delete from ledger_balances where account = 'revenue'"],
      /the account revenue of team team-1 has the balance 0 but its entries sum to 232/,
    ],
    [
      "a cost that is not that of its prices",
      ["update runs set cost_ticks = 170 where id = 'run-1'"],
      /run run-1 cost 170, but at its prices 156[^]*run run-1 cost 170, but was charged 156/,
    ],
    [
      "a price that was changed afterwards",
      ["update price_book set completion_text_token_ticks = 41"],
      /run run-1 cost 156, but at its prices 158/,
    ],
    [
      "a run that ended without being charged",
      ["update runs set state = 'completed', end_time = 9, cost_ticks = 76 where id = 'run-2'"],
      /run run-2 cost 76, but was charged 0[^]*run run-2 has ended, but 300 are still reserved for it/,
    ],
    [
      "a reserve without a run",
      ["delete from runs where id = 'run-2'"],
      /is of the run run-2, which does not exist[^]*team team-1 has 300 reserved, but its running runs hold 0/,
    ],
    [
      "a run that was charged and has not ended",
      ["update runs set state = 'running', end_time = null, cost_ticks = 76 where id = 'run-1'"],
      /is of the run run-1, which has not ended/,
    ],
    [
      "a run that was charged twice",
      [
        "drop index ledger_run_ends",
        ...unwatched,
        "insert into ledger_transactions values (9, 'settle', 'team-1', 'run-1', null, 9)",
        "insert into ledger_entries values (9, 'reserved', -156), (9, 'revenue', 156)",
      ],
      /run run-1 has more than one settle/,
    ],
    [
      "a reserve that is not what its run says",
      ["update runs set reserved_ticks = 301 where id = 'run-2'"],
      /run run-2 has 301 reserved, but its entries say 300/,
    ],
    [
      "money from an account that it cannot come from",
      [
        ...unwatched,
        "insert into ledger_transactions values (9, 'purchase', 'team-1', null, null, 9)",
        "insert into ledger_entries values (9, 'credit', 5), (9, 'revenue', -5)",
      ],
      /transaction 9, a purchase, has an entry of the account revenue/,
    ],
  ])("reports %s", async (_, statements, message) => {
    const database = await databaseOfTwoTeams();
    const teamLedger = ledgerOf(database);
    await teamLedger.buy(5000);
    await teamLedger.begin("run-1", 500);
    await teamLedger.begin("run-2", 300);
    await teamLedger.end("run-1", 500, 2);
    await teamLedger.begin("run-3", null);
    await teamLedger.end("run-3", null, 0);
    expect(await teamLedger.ledger.verify()).toEqual([]);
    for (const statement of statements) await sql.raw(statement).execute(database.kysely);
    expect((await teamLedger.ledger.verify()).join("\n")).toMatch(message);
  });
});
