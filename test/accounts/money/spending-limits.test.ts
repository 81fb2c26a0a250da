import { join } from "node:path";
import fc from "fast-check";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { cliActor } from "../../../src/accounts/audit/actors.js";
import { createBilling } from "../../../src/accounts/money/billing.js";
import { toMonth, type SpendingLimits } from "../../../src/accounts/money/spending.js";
import { createBillingStore } from "../../../src/accounts/money/store/billing.js";
import { openDatabase, type Database } from "../../../src/store/database.js";
import { createSpendingStore } from "../../../src/accounts/money/store/spending-limits.js";
import { createTeamStore } from "../../../src/accounts/teams/store.js";
import { createUsageStore } from "../../../src/accounts/usage/store/usage.js";
import { createWrites } from "../../../src/store/writes.js";
import { aRun, aTeam, databaseOfTwoTeams, temporaryFolder, twoConnections } from "../../store/records.js";
import { createManualClock } from "../../kit/manual-clock.js";
import { ledgerOf, outcomeOf, teamId } from "./recorded-runs.js";
import { casesOf } from "../../kit/setup/random-cases.js";

/** The last hour of a month and the first of the next. */
const hours = [Date.UTC(2026, 9, 31, 23, 59, 59, 999), Date.UTC(2026, 10, 1)] as const;
const none: SpendingLimits = { hardTicks: null, softTicks: null };

async function limit(database: Database, after: SpendingLimits): Promise<void> {
  const spending = createSpendingStore(database);
  const { limits } = await spending.find(teamId, 202611);
  await createWrites(database).commit([spending.replacement(teamId, limits, after)]);
}

type Step =
  | { readonly type: "buy" | "crash"; readonly ticks: number }
  | { readonly type: "limit"; readonly limits: SpendingLimits }
  | {
      readonly type: "begin";
      readonly ticks: number | null;
      readonly month: number;
      readonly apiKeyId: string;
      readonly askedModel: string | null;
    }
  | {
      readonly type: "end";
      readonly which: number;
      readonly tokens: number;
      readonly state: "completed" | "aborted" | "failed";
    };

const ticks = fc.integer({ min: 0, max: 2000 });
const bound = fc.option(fc.integer({ min: 0, max: 4000 }));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ type: fc.constant("buy"), ticks: fc.integer({ min: 1, max: 9000 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("crash"), ticks }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("limit"),
      limits: fc.record({ hardTicks: bound, softTicks: bound }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("begin"),
      ticks: fc.option(ticks, { freq: 6 }),
      month: fc.constantFrom(0, 1),
      apiKeyId: fc.constantFrom("key-1", "key-2"),
      askedModel: fc.constantFrom(null, "alias"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("end"),
      which: fc.nat(9),
      tokens: fc.nat(30),
      state: fc.constantFrom("completed", "aborted", "failed"),
    }),
  },
);

const sumOf = (parts: readonly { readonly ticks: bigint }[]): bigint =>
  parts.reduce((sum, { ticks }) => sum + ticks, 0n);

interface Month {
  charged: number;
  reserved: number;
}

interface Held {
  readonly id: string;
  readonly reserved: number | null;
  readonly month: number;
}

describe("what a team spends in a month", () => {
  it("equals the charges and reservations of its runs, stays within its hard limit, and usage, invoice lines and changes of the balance add up, for any interleaving", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const file = join(temporaryFolder(), "hearth.db");
        let database = await openDatabase(file);
        await createTeamStore(database).insert(aTeam({ id: teamId }));
        let teamLedger = ledgerOf(database);
        let held: readonly Held[] = [];
        let [credit, begun, ended, costs, charged] = [0, 0, 0, 0, 0];
        let limits = none;
        const nothing = { charged: 0, reserved: 0 };
        const months: [Month, Month] = [{ ...nothing }, { ...nothing }];
        for (const each of steps) {
          if (each.type === "buy") {
            await teamLedger.buy(each.ticks);
            credit += each.ticks;
          } else if (each.type === "limit") {
            limits = each.limits;
            await limit(database, limits);
          } else if (each.type === "begin") {
            const { ticks: reserved, month, apiKeyId, askedModel } = each;
            const spent = months[month as 0 | 1];
            const most = limits.hardTicks ?? Infinity;
            const fits =
              reserved === null ||
              reserved === 0 ||
              (reserved <= credit && spent.charged + spent.reserved + reserved <= most);
            const id = `run-${(begun += 1)}`;
            const change = { startTime: hours[month as 0 | 1], apiKeyId, askedModel };
            expect(await outcomeOf(teamLedger.begin(id, reserved, change))).toBe(
              fits ? "done" : "no_credits",
            );
            if (!fits) continue;
            held = [...held, { id, reserved, month }];
            credit -= reserved ?? 0;
            spent.reserved += reserved ?? 0;
          } else if (each.type === "end") {
            const run = held[each.which % Math.max(held.length, 1)];
            if (run === undefined) continue;
            const cost = await teamLedger.end(run.id, run.reserved, each.tokens, each.state);
            held = held.filter((other) => other !== run);
            const spent = months[run.month as 0 | 1];
            spent.reserved -= run.reserved ?? 0;
            spent.charged += cost;
            credit += run.reserved === null ? 0 : run.reserved - cost;
            [ended, costs] = [ended + 1, costs + cost];
            charged += run.reserved === null ? 0 : cost;
          } else {
            await database.close();
            database = await openDatabase(file);
            teamLedger = ledgerOf(database);
            expect(await teamLedger.runs.interruptAll(3)).toBe(held.length);
            for (const { reserved } of held) credit += reserved ?? 0;
            for (const spent of months) spent.reserved = 0;
            held = [];
          }
          for (const month of [0, 1] as const) {
            const { charged: done, reserved } = months[month];
            const most = limits.hardTicks;
            expect(await teamLedger.ledger.spendable(teamId, hours[month])).toEqual({
              credit,
              monthTicks: most === null ? null : Math.max(0, most - done - reserved),
            });
            expect(await createSpendingStore(database).find(teamId, toMonth(hours[month]))).toEqual({
              chargedTicks: BigInt(done),
              reservedTicks: BigInt(reserved),
              limits,
            });
          }
        }
        const query = { teamId, from: 0, to: hours[1] + 1, unit: null, by: [], hosted: [] } as const;
        const all = { ownerId: null, label: null, top: null, order: "time", limit: 9 } as const;
        const [used] = await createUsageStore(database).rows({ ...query, ...all });
        expect([used?.runs ?? 0, used?.costTicks ?? 0n, used?.creditTicks ?? 0n]).toEqual([
          ended,
          BigInt(costs),
          BigInt(charged),
        ]);
        const team = { teams: createTeamStore(database), spending: createSpendingStore(database) };
        const stores = { ...team, billing: createBillingStore(database) };
        for (const [month, { charged: spent }] of months.entries()) {
          const billing = createBilling({ ...stores, clock: createManualClock(hours[month as 0 | 1]) });
          const { changes, totalTicks } = await billing.balance(teamId, cliActor);
          expect(sumOf(changes)).toBe(totalTicks);
          expect(totalTicks).toBe(BigInt(credit + months[0].reserved + months[1].reserved));
          const invoice = await billing.invoice(teamId, cliActor);
          expect([sumOf(invoice.lines), invoice.totalTicks]).toEqual([BigInt(spent), BigInt(spent)]);
          expect(invoice.lines.every(({ ticks }) => ticks >= 0n)).toBe(true);
        }
        expect(await teamLedger.ledger.verify()).toEqual([]);
        await database.close();
      }),
      { numRuns: casesOf(60) },
    );
  });

  it("gives the rest of the limit to only one of two concurrent connections", async () => {
    const [one, other] = await twoConnections();
    await ledgerOf(one).buy(1000);
    await limit(one, { hardTicks: 100, softTicks: null });
    const outcomes = await Promise.all([
      outcomeOf(ledgerOf(one).begin("run-1", 60)),
      outcomeOf(ledgerOf(other).begin("run-2", 60)),
    ]);
    expect(outcomes.toSorted()).toEqual(["done", "no_credits"]);
    expect(await ledgerOf(one).credit()).toBe(940);
    expect(await ledgerOf(one).ledger.verify()).toEqual([]);
  });

  it("may reach its limit exactly, but not exceed it", async () => {
    const database = await databaseOfTwoTeams();
    const teamLedger = ledgerOf(database);
    await teamLedger.buy(1000);
    await limit(database, { hardTicks: 100, softTicks: 0 });
    expect(await outcomeOf(teamLedger.begin("run-1", 40))).toBe("done");
    expect(await outcomeOf(teamLedger.begin("run-2", 61))).toBe("no_credits");
    expect(await outcomeOf(teamLedger.begin("run-3", 60))).toBe("done");
    expect(await outcomeOf(teamLedger.begin("run-4", 1))).toBe("no_credits");
  });

  it("counts a run once, even if a second end is written", async () => {
    const database = await databaseOfTwoTeams();
    const teamLedger = ledgerOf(database);
    await teamLedger.buy(1000);
    await teamLedger.begin("run-1", 500);
    await teamLedger.end("run-1", 500, 2);
    await database.kysely.updateTable("runs").set({ state: "failed" }).execute();
    expect(await teamLedger.ledger.verify()).toEqual([]);
  });

  it("is not limited when nothing is reserved", async () => {
    const database = await databaseOfTwoTeams();
    await limit(database, { hardTicks: 0, softTicks: 0 });
    const teamLedger = ledgerOf(database);
    expect(await outcomeOf(teamLedger.begin("run-1", null))).toBe("done");
    expect(await outcomeOf(teamLedger.begin("run-2", 0))).toBe("done");
    expect(await teamLedger.end("run-1", null, 9)).toBeGreaterThan(0);
  });

  it("is returned for many teams at once, with the limits of those that have any", async () => {
    const database = await databaseOfTwoTeams();
    const spending = createSpendingStore(database);
    expect(await spending.all(202610)).toEqual(new Map());
    await limit(database, { hardTicks: 7, softTicks: null });
    await ledgerOf(database).runs.insert(
      aRun({ teamId: "team-2", state: "failed", endTime: 9, startTime: hours[0] }),
      [],
    );
    const limited = { chargedTicks: 0n, reservedTicks: 0n, limits: { hardTicks: 7, softTicks: null } };
    const charged = { chargedTicks: 90n, reservedTicks: 0n, limits: none };
    expect(await spending.all(202610)).toEqual(
      new Map(Object.entries({ "team-1": limited, "team-2": charged })),
    );
    expect(await spending.all(202611)).toEqual(new Map(Object.entries({ "team-1": limited })));
  });

  it("rejects a change of limits that were changed since they were read", async () => {
    const database = await databaseOfTwoTeams();
    const spending = createSpendingStore(database);
    const stale = spending.replacement(teamId, none, { hardTicks: 5, softTicks: null });
    await limit(database, { hardTicks: 7, softTicks: null });
    await expect(createWrites(database).commit([stale])).rejects.toMatchObject({ kind: "conflict" });
    expect((await spending.find(teamId, 202611)).limits.hardTicks).toBe(7);
  });
});

describe("verify", () => {
  it.each([
    [
      "update usage_hours set cached_tokens = cached_tokens + 1",
      /the usage of team team-1, model small requested as alias, key key-1 in the hour of 2026-11-01T00:00Z is stored as \[1,9,3,1,2,0,156,156,0\] but its runs add up to \[1,9,2,1,2,0,156,156,0\]/,
    ],
    ["delete from usage_hours", /is stored as \[0,0,0,0,0,0,0,0,0\] but its runs add up to \[1,/],
    [
      "insert into usage_hours select team_id, hour, 'ghost', asked_model, api_key_id, runs, 1, 0, 0, 0, 0, 0, 0, 0 from usage_hours",
      /model ghost .* is stored as \[1,1,.* but its runs add up to \[0,/,
    ],
    [
      "update team_months set charged_ticks = 1",
      /team team-1 is stored with 1 spent and 300 reserved in the month 202611, but its runs of that month add up to 156 and 300/,
    ],
    [
      "update usage_months set cost_ticks = cost_ticks + 1",
      /the usage of team team-1, model small in the month 202611 is stored as \[7,2,2,0,0,157,156\] but its runs add up to \[7,2,2,0,0,156,156\]/,
    ],
    ["delete from team_months", /team team-1 is stored with 0 spent and 0 reserved in the month 202611/],
  ])("reports the effect of %s", async (statement, message) => {
    const database = await databaseOfTwoTeams();
    const teamLedger = ledgerOf(database);
    await teamLedger.buy(10_000);
    await teamLedger.begin("run-1", 500, { startTime: hours[1], requestedModel: "alias" });
    await teamLedger.begin("run-2", 300, { startTime: hours[1] });
    await teamLedger.end("run-1", 500, 2);
    expect(await teamLedger.ledger.verify()).toEqual([]);
    await sql.raw(statement).execute(database.kysely);
    const problems = await teamLedger.ledger.verify();
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(message);
  });
});
