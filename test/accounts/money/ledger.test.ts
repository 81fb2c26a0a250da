import { join } from "node:path";
import fc from "fast-check";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../../src/store/database.js";
import { createTeamStore } from "../../../src/accounts/teams/store.js";
import { aTeam, databaseOfTwoTeams, temporaryFolder } from "../../store/records.js";
import { booksOf, outcomeOf, teamId } from "./recorded-runs.js";

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
        let books = booksOf(database);
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
            await books.buy(each.ticks);
            credit += each.ticks;
          } else if (each.type === "refund") await take(each.ticks, books.refund(each.ticks));
          else if (each.type === "begin") {
            const id = `run-${(begun += 1)}`;
            if (await take(each.ticks, books.begin(id, each.ticks))) held.set(id, each.ticks);
          } else if (each.type === "begin-unmetered") {
            const id = `run-${(begun += 1)}`;
            await books.begin(id, null);
            held.set(id, null);
          } else if (each.type === "end") {
            const [id, reserved] = [...held][each.which % Math.max(held.size, 1)] ?? [];
            if (id === undefined || reserved === undefined) continue;
            const charge = await books.end(id, reserved, each.tokens);
            held.delete(id);
            revenue += charge;
            if (reserved !== null) credit += reserved - charge;
          } else {
            await database.close();
            database = await openDatabase(file);
            books = booksOf(database);
            expect(await books.runs.interruptAll(3)).toBe(held.size);
            for (const reserved of held.values()) credit += reserved ?? 0;
            held.clear();
          }
          expect(await books.credit()).toBe(credit);
        }
        const balances = (await books.ledger.balances()).get(teamId);
        const reserved = [...held.values()].reduce((sum: number, each) => sum + (each ?? 0), 0);
        expect(balances?.reserved ?? 0n).toBe(BigInt(reserved));
        expect(balances?.revenue ?? 0n).toBe(BigInt(revenue));
        expect(await books.ledger.verify()).toEqual([]);
        await database.close();
      }),
      { numRuns: 40 },
    );
  });

  it("F14: gives the last credit to one of two connections that ask at the same time", async () => {
    const file = join(temporaryFolder(), "hearth.db");
    const [one, other] = [await openDatabase(file), await openDatabase(file)];
    await createTeamStore(one).insert(aTeam({ id: teamId }));
    await booksOf(one).buy(100);
    const outcomes = await Promise.all([
      outcomeOf(booksOf(one).begin("run-1", 60)),
      outcomeOf(booksOf(other).begin("run-2", 60)),
    ]);
    expect(outcomes.toSorted()).toEqual(["done", "no_credits"]);
    expect((await booksOf(one).runs.list(9)).length).toBe(1);
    await one.close();
    await other.close();
  });

  it("charges a run once, whoever says twice that it has ended", async () => {
    const books = booksOf(await databaseOfTwoTeams());
    await books.buy(1000);
    await books.begin("run-1", 500);
    await books.end("run-1", 500, 2);
    await expect(books.end("run-1", 500, 9)).rejects.toThrow(/UNIQUE/);
    expect(await books.ledger.verify()).toEqual([]);
  });

  it("refuses more credit than can be counted", async () => {
    const books = booksOf(await databaseOfTwoTeams());
    await books.buy(Number.MAX_SAFE_INTEGER);
    expect(await outcomeOf(books.buy(1))).toBe("invalid_value");
    expect(await books.credit()).toBe(Number.MAX_SAFE_INTEGER);
  });

  it("counts what a team has bought in all its time beyond what JavaScript counts", async () => {
    const books = booksOf(await databaseOfTwoTeams());
    for (let year = 0; year < 3; year++) {
      await books.buy(Number.MAX_SAFE_INTEGER);
      await books.refund(Number.MAX_SAFE_INTEGER - 1);
      await books.refund(1);
    }
    await books.buy(Number.MAX_SAFE_INTEGER);
    await books.begin("run-1", Number.MAX_SAFE_INTEGER);
    await books.end("run-1", Number.MAX_SAFE_INTEGER, Math.floor(Number.MAX_SAFE_INTEGER / 40) - 10);
    await books.buy(Number.MAX_SAFE_INTEGER - 1000);
    const balances = (await books.ledger.balances()).get(teamId);
    expect(balances?.purchases).toBe(-2n * BigInt(Number.MAX_SAFE_INTEGER) + 1000n);
    expect(await books.ledger.verify()).toEqual([]);
  });

  it.each(["update ledger_entries set amount_ticks = 1", "delete from ledger_entries"])(
    "lets nobody change what is written: %s",
    async (statement) => {
      const database = await databaseOfTwoTeams();
      await booksOf(database).buy(1000);
      await expect(sql.raw(statement).execute(database.kysely)).rejects.toThrow("append-only");
      const other = statement.replace("ledger_entries", "ledger_transactions").replace("amount_ticks", "id");
      await expect(sql.raw(other).execute(database.kysely)).rejects.toThrow("append-only");
    },
  );
});

describe("verify", () => {
  const allowing = ["drop trigger ledger_entries_refuse_update", "drop trigger ledger_entries_refuse_delete"];
  const unwatched = ["drop trigger ledger_entries_are_counted"];

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
      /the account credit of team team-1 is kept as \d+ and its entries sum to \d+/,
    ],
    [
      "a balance that is gone",
      ["delete from ledger_balances where account = 'revenue'"],
      /the account revenue of team team-1 is kept as 0 and its entries sum to 232/,
    ],
    [
      "a cost that is not that of its prices",
      ["update runs set cost_ticks = 170 where id = 'run-1'"],
      /run run-1 cost 170, and at its prices 156[^]*run run-1 cost 170, and was charged 156/,
    ],
    [
      "a price that was changed afterwards",
      ["update price_book set completion_text_token_ticks = 41"],
      /run run-1 cost 156, and at its prices 158/,
    ],
    [
      "a run that ended without being charged",
      ["update runs set state = 'completed', end_time = 9, cost_ticks = 76 where id = 'run-2'"],
      /run run-2 cost 76, and was charged 0[^]*run run-2 has ended, and 300 are still reserved for it/,
    ],
    [
      "a reserve without a run",
      ["delete from runs where id = 'run-2'"],
      /is of the run run-2, which is not there[^]*team team-1 has 300 reserved, and its running runs hold 0/,
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
      /run run-2 has 301 reserved, and its entries say 300/,
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
  ])("finds %s", async (_, statements, told) => {
    const database = await databaseOfTwoTeams();
    const books = booksOf(database);
    await books.buy(5000);
    await books.begin("run-1", 500);
    await books.begin("run-2", 300);
    await books.end("run-1", 500, 2);
    await books.begin("run-3", null);
    await books.end("run-3", null, 0);
    expect(await books.ledger.verify()).toEqual([]);
    for (const statement of statements) await sql.raw(statement).execute(database.kysely);
    expect((await books.ledger.verify()).join("\n")).toMatch(told);
  });
});
