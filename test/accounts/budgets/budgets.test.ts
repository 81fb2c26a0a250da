import { join } from "node:path";
import fc from "fast-check";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import {
  budgetLeft,
  noBudget,
  periodStart,
  type BudgetLimits,
} from "../../../src/accounts/budgets/budget.js";
import { createBudgetStore } from "../../../src/accounts/budgets/store.js";
import { hashSecret } from "../../../src/accounts/credentials/secret.js";
import { createApiKeyStore } from "../../../src/accounts/keys/store.js";
import { createTeamStore } from "../../../src/accounts/teams/store.js";
import { openDatabase } from "../../../src/store/database.js";
import { ledgerOf, outcomeOf, teamId } from "../money/recorded-runs.js";
import { casesOf } from "../../kit/setup/random-cases.js";
import { aRun, aTeam, databaseOfTwoTeams, temporaryFolder, twoConnections } from "../../store/records.js";
import { aKey } from "../../kit/a-key.js";
import { bounded, first, moments, name, names, prices, setBudget } from "./bounded-runs.js";

type Step =
  | { readonly type: "set"; readonly which: number; readonly limits: BudgetLimits }
  | { readonly type: "begin"; readonly keyId: string; readonly tokens: number }
  | { readonly type: "end"; readonly which: number; readonly share: number }
  | { readonly type: "later" | "crash" };

const amount = fc.option(fc.integer({ min: 0, max: 120 }));
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("set"),
      which: fc.nat(names.length - 1),
      limits: fc.record({
        hardTicks: amount.map((tokens) => (tokens === null ? null : tokens * prices.completion)),
        softTicks: fc.constant(null),
        hardTokens: amount,
        softTokens: fc.constant(7),
      }),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant("begin"),
      keyId: fc.constantFrom("key-1", "key-2", "key-3"),
      tokens: fc.integer({ min: 9, max: 60 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ type: fc.constant("end"), which: fc.nat(9), share: fc.nat(100) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom("later", "crash") }) },
);

interface Held {
  readonly id: string;
  readonly keyId: string;
  readonly startTime: number;
  readonly tokens: number;
}

interface Spent {
  readonly keyId: string;
  readonly startTime: number;
  readonly tokens: number;
  readonly ticks: number;
}

/** The owner of a key tells which runs are a member's. */
const owners = [
  ["key-1", "member-1"],
  ["key-2", "member-1"],
  ["key-3", "member-2"],
] as const;

const belongs = (which: (typeof names)[number], keyId: string): boolean =>
  which.subject === "team" ||
  (which.subject === "tag" && keyId !== "key-3") ||
  (which.subject === "user" && keyId !== "key-1") ||
  which.subjectId === (which.subject === "key" ? keyId : `member-${keyId === "key-3" ? 2 : 1}`);

describe("what is spent of a budget", () => {
  it("equals the charges and reservations of its runs, never exceeds a hard limit that was not lowered, and the books balance, for any interleaving", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const file = join(temporaryFolder(), "hearth.db");
        let database = await openDatabase(file);
        await createTeamStore(database).insert(aTeam({ id: teamId }));
        for (const [id, userId] of owners)
          await createApiKeyStore(database).insert(aKey({ id, teamId, userId, hash: hashSecret(id) }));
        let books = ledgerOf(database);
        let [time, begun] = [0, 0];
        let held: readonly Held[] = [];
        let spent: readonly Spent[] = [];
        const limits = new Map<(typeof names)[number], BudgetLimits>();
        const now = () => moments[Math.min(time, 3) as 0 | 1 | 2 | 3];
        const used = (which: (typeof names)[number], startTime: number) => {
          const isIn = (run: { readonly keyId: string; readonly startTime: number }) =>
            belongs(which, run.keyId) &&
            periodStart(which.period, run.startTime) === periodStart(which.period, startTime);
          const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
          const [ended, active] = [spent.filter(isIn), held.filter(isIn)];
          return {
            spentTicks: sum(ended.map(({ ticks }) => ticks)),
            spentTokens: sum(ended.map(({ tokens }) => tokens)),
            reservedTicks: sum(active.map(({ tokens }) => tokens * prices.completion)),
            reservedTokens: sum(active.map(({ tokens }) => tokens)),
          };
        };
        for (const each of steps) {
          if (each.type === "set") {
            const which = names[each.which] ?? names[0];
            if (which === undefined) continue;
            await setBudget(database, which, each.limits, now());
            limits.set(which, each.limits);
          } else if (each.type === "begin") {
            const { keyId, tokens } = each;
            const fits = [...limits].every(([which, { hardTicks, hardTokens }]) => {
              if (!belongs(which, keyId)) return true;
              const before = used(which, now());
              return (
                before.spentTicks + before.reservedTicks + tokens * prices.completion <=
                  (hardTicks ?? Infinity) &&
                before.spentTokens + before.reservedTokens + tokens <= (hardTokens ?? Infinity)
              );
            });
            const id = `run-${(begun += 1)}`;
            const outcome = await outcomeOf(books.begin(id, null, bounded(keyId, now(), tokens)));
            expect(outcome).toBe(fits ? "done" : "budget_exceeded");
            if (fits) held = [...held, { id, keyId, startTime: now(), tokens }];
          } else if (each.type === "end") {
            const run = held[each.which % Math.max(held.length, 1)];
            if (run === undefined) continue;
            const completion = Math.floor(((run.tokens - 9) * each.share) / 100);
            const ticks = await books.end(run.id, null, completion);
            held = held.filter((other) => other !== run);
            const { keyId, startTime } = run;
            spent = [...spent, { keyId, startTime, tokens: 9 + completion, ticks }];
          } else if (each.type === "later") time += 1;
          else {
            await database.close();
            database = await openDatabase(file);
            books = ledgerOf(database);
            expect(await books.runs.interruptAll(now())).toBe(held.length);
            held = [];
          }
          for (const which of names) {
            const status = await createBudgetStore(database).find(which, now());
            const limit = limits.get(which) ?? noBudget;
            expect(status === null).toBe(Object.values(limit).every((one) => one === null));
            if (status === null) continue;
            const { spentTicks, reservedTicks, ...tokens } = used(which, now());
            expect(status).toMatchObject({ ...limit, ...tokens });
            expect([status.spentTicks, status.reservedTicks]).toEqual([
              BigInt(spentTicks),
              BigInt(reservedTicks),
            ]);
          }
        }
        expect(await books.ledger.verify()).toEqual([]);
        await database.close();
      }),
      { numRuns: casesOf(60) },
    );
  });

  it("F14: is given to only as many of 100 parallel runs on two connections as it covers", async () => {
    const [one, other] = await twoConnections();
    await setBudget(one, name("key", "key-1", "day"), { ...noBudget, hardTokens: 105 });
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        outcomeOf(
          ledgerOf(index % 2 === 0 ? one : other).begin(`run-${index}`, null, bounded("key-1", first, 10)),
        ),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(10);
    expect(outcomes.filter((outcome) => outcome === "budget_exceeded")).toHaveLength(90);
    expect(await ledgerOf(one).ledger.verify()).toEqual([]);
  });

  it("includes what the runs of the current period had spent and reserved when the budget was set", async () => {
    const database = await databaseOfTwoTeams();
    const books = ledgerOf(database);
    await books.begin("run-1", null, bounded("key-1", moments[1], 20));
    await books.begin("run-2", null, bounded("key-1", moments[2], 20));
    await books.end("run-2", null, 4);
    await books.begin("run-3", null, bounded("key-1", moments[2], 30));
    const which = name("key", "key-1", "day");
    await setBudget(database, which, { ...noBudget, hardTokens: 100 }, moments[2]);
    const status = await createBudgetStore(database).find(which, moments[2]);
    expect(status).toMatchObject({ spentTokens: 13, reservedTokens: 30 });
    expect(status === null ? null : budgetLeft(status)).toEqual({ ticks: null, tokens: 57 });
    await books.end("run-1", null, 4);
    await books.end("run-3", null, 4);
    expect(await createBudgetStore(database).find(which, moments[2])).toMatchObject({
      spentTokens: 26,
      reservedTokens: 0,
    });
    expect(await books.ledger.verify()).toEqual([]);
  });

  it("does not refuse a free run for its money, also when it is spent", async () => {
    const database = await databaseOfTwoTeams();
    await setBudget(database, name("team", teamId, "total"), { ...noBudget, hardTicks: 0 });
    const free = {
      ...bounded("key-1", first, 10),
      budgeted: { userId: "u", bound: { ticks: 0, tokens: 10 } },
    };
    expect(await outcomeOf(ledgerOf(database).begin("run-1", null, free))).toBe("done");
    expect(await outcomeOf(ledgerOf(database).begin("run-2", null, bounded("key-1", first, 10)))).toBe(
      "budget_exceeded",
    );
  });

  it("is not that of another team's runs, nor of another key's", async () => {
    const database = await databaseOfTwoTeams();
    const [budgets, books] = [createBudgetStore(database), ledgerOf(database)];
    for (const which of [
      name("key", "key-1", "day"),
      name("member", "member-1", "day"),
      name("team", teamId, "day"),
    ])
      await setBudget(database, which, { ...noBudget, hardTokens: 50 });
    await books.runs.insert(aRun({ id: "run-1", ...bounded("key-2", first, 60), teamId: "team-2" }), []);
    await books.begin("run-2", null, bounded("key-3", first, 20));
    const principal = { key: aKey({ id: "key-1", userId: "member-1", teamId }), team: aTeam() };
    const reserved = (await budgets.of(principal, first)).map(
      ({ subject, reservedTokens }) => [subject, reservedTokens] as const,
    );
    expect(Object.fromEntries(reserved)).toEqual({ key: 0, member: 0, team: 20 });
  });

  it.each([
    ["update budget_periods set spent_tokens = 1", /stored with \[0,1,400,10\] .* add up to \[0,0,400,10\]/],
    [
      "update budget_periods set reserved_ticks = 0",
      /the day budget of the key key-1 in team team-1 is stored with \[0,0,0,10\]/,
    ],
    ["delete from budget_periods", /stored with \[0,0,0,0\] in the period of 2027-10-31T00:00Z/],
  ])("is recomputed by hearth ledger verify, which reports the effect of %s", async (statement, message) => {
    const database = await databaseOfTwoTeams();
    await setBudget(database, name("key", "key-1", "day"), { ...noBudget, hardTokens: 100 });
    await ledgerOf(database).begin("run-1", null, bounded("key-1", first, 10));
    expect(await ledgerOf(database).ledger.verify()).toEqual([]);
    await sql.raw(statement).execute(database.kysely);
    expect(await ledgerOf(database).ledger.verify()).toEqual([expect.stringMatching(message)]);
  });
});
