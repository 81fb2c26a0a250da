import fc from "fast-check";
import { expect, it } from "vitest";
import { createApiKeyStore } from "../../../src/accounts/keys/store.js";
import { createLedgerStore } from "../../../src/accounts/money/store/ledger.js";
import { createUsageStore } from "../../../src/accounts/usage/store/usage.js";
import {
  dayMs,
  hourMs,
  type UsageDimension,
  type UsageQuery,
  type UsageRow,
  type UsageTop,
} from "../../../src/accounts/money/usage-report.js";
import { createRunStore } from "../../../src/inference/run/store/runs.js";
import type { Database } from "../../../src/store/database.js";
import { casesOf } from "../../kit/setup/random-cases.js";
import { aRun, databaseOfTwoTeams } from "../../store/records.js";
import { aKey } from "../../kit/a-key.js";

const days = 4;
const start = Date.UTC(2026, 10, 28);
const keys = [
  aKey({ id: "key-1", userId: "ada", hash: new Uint8Array(32).fill(1) }),
  aKey({ id: "key-2", userId: "bob", hash: new Uint8Array(32).fill(2) }),
  aKey({ id: "key-3", userId: "ada", teamId: "team-2", hash: new Uint8Array(32).fill(3) }),
] as const;
const deletedKey = aKey({ id: "key-4", userId: "bob" });

const aRunOfAny = fc.record({
  key: fc.constantFrom(...keys, deletedKey),
  model: fc.constantFrom("small", "large"),
  requestedModel: fc.constantFrom(null, "alias"),
  startTime: fc.integer({ min: start, max: start + days * dayMs - 1 }),
  state: fc.constantFrom("completed", "aborted", "failed", "interrupted"),
  tokens: fc.integer({ min: 0, max: 1000 }),
  costTicks: fc.integer({ min: 0, max: 1_000_000 }),
  images: fc.integer({ min: 0, max: 2 }),
  isWrittenTwice: fc.boolean(),
  isPrepaid: fc.boolean(),
});
type AnyRun = typeof aRunOfAny extends fc.Arbitrary<infer Value> ? Value : never;

const hour = fc.integer({ min: 0, max: days * 24 }).map((hours) => start + hours * hourMs);
const dimension = fc.constantFrom<UsageDimension>("key", "model", "team", "member");
const top = fc.record({
  count: fc.integer({ min: 1, max: 3 }),
  measure: fc.constantFrom("cost", "runs", "tokens"),
});
const aQuery = fc
  .record({
    teamId: fc.constantFrom("team-1", "team-2", null),
    ownerId: fc.constantFrom(null, null, "ada"),
    from: hour,
    to: hour,
    unit: fc.constantFrom("hour" as const, "day", "month", null),
    by: fc.uniqueArray(dimension, { maxLength: 2 }),
    top: fc.option(top),
  })
  .map(({ top, ...query }) => ({ ...query, top: query.by.length === 1 ? top : null }));

async function write(database: Database, runs: readonly AnyRun[]): Promise<void> {
  const store = createRunStore(database);
  for (const [
    index,
    { key, tokens, images, isWrittenTwice, isPrepaid, state, costTicks, ...run },
  ] of runs.entries()) {
    const id = `run-${index}`;
    const used = { completionTokens: tokens, reasoningTokens: 1, images };
    const usage = { promptTokens: 9, cachedTokens: 2, imageTokens: 1, ...used };
    const ended = { state, usage, costTicks, endTime: run.startTime } as const;
    const row = aRun({
      ...run,
      id,
      teamId: key.teamId,
      apiKeyId: key.id,
      costTicks: 0,
      reservedTicks: isPrepaid ? costTicks : null,
    });
    if (!isWrittenTwice || state === "interrupted") await store.insert({ ...row, ...ended }, []);
    else {
      await store.insert(row, []);
      await store.finish(id, { ...ended, state }, []);
    }
  }
}

type Sums = ReadonlyMap<string, readonly bigint[]>;

/** Adds up amounts by a name, in the order of names. */
function addedUp(amounts: readonly (readonly [name: string, values: readonly bigint[]])[]): Sums {
  const sums = new Map<string, readonly bigint[]>();
  for (const [name, values] of amounts)
    sums.set(
      name,
      values.map((value, at) => value + (sums.get(name)?.[at] ?? 0n)),
    );
  return new Map([...sums].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function sumsOfRows(rows: readonly UsageRow[]): Sums {
  return addedUp(
    rows.map(({ time, group, runs, usage, costTicks, creditTicks }) => {
      const { promptTokens, cachedTokens, imageTokens, completionTokens, reasoningTokens, images } = usage;
      const counts = [runs, promptTokens, cachedTokens, imageTokens, completionTokens, reasoningTokens];
      const values = [...counts, images ?? 0].map(BigInt);
      return [
        nameOf(
          time,
          group.map(({ id }) => id),
        ),
        [...values, costTicks, creditTicks],
      ];
    }),
  );
}

function nameOf(time: number | null, ids: readonly string[]): string {
  return JSON.stringify([time, ids]);
}

type AnyQuery = typeof aQuery extends fc.Arbitrary<infer Value> ? Value : never;

/** The sums that a report must have, from the runs alone. */
function sumsOfRuns(runs: readonly AnyRun[], query: AnyQuery): Sums {
  const { teamId, ownerId, from, to, unit } = query;
  const counted = runs.filter(
    ({ key, startTime, state }) =>
      state !== "interrupted" &&
      (teamId === null || key.teamId === teamId) &&
      (ownerId === null || (key.userId === ownerId && key !== deletedKey)) &&
      startTime >= from &&
      startTime < to,
  );
  const [first] = query.by;
  const highest = query.top === null || first === undefined ? null : highestOf(counted, first, query.top);
  return addedUp(
    counted.map((run) => {
      const ids = query.by.map((dimension) => idOf(run, dimension));
      const seen = highest === null || ids.every((id) => highest.has(id));
      return [nameOf(startOf(unit, run.startTime), seen ? ids : []), amountsOf(run)];
    }),
  );
}

function highestOf(runs: readonly AnyRun[], by: UsageDimension, { count, measure }: UsageTop): Set<string> {
  const of = {
    runs: () => 1,
    cost: ({ costTicks }: AnyRun) => costTicks,
    tokens: ({ tokens }: AnyRun) => 10 + tokens,
  };
  const sums = addedUp(runs.map((run) => [idOf(run, by), [BigInt(of[measure](run))]]));
  // The names are in order, and the sort is stable.
  const sorted = [...sums].sort(([, [one = 0n]], [, [other = 0n]]) => Number(other - one));
  return new Set(sorted.slice(0, count).map(([id]) => id));
}

function idOf({ key, model }: AnyRun, dimension: UsageDimension): string {
  if (dimension === "key") return key.id;
  if (dimension === "team") return key.teamId;
  if (dimension === "member") return key === deletedKey ? "" : key.userId;
  return model;
}

function startOf(unit: UsageQuery["unit"], time: number): number | null {
  const date = new Date(time);
  if (unit === "month") return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
  return unit === null ? null : time - (time % (unit === "day" ? dayMs : hourMs));
}

function amountsOf({ tokens, images, costTicks, isPrepaid }: AnyRun): readonly bigint[] {
  return [1, 9, 2, 1, tokens, 1, images, costTicks, isPrepaid ? costTicks : 0].map(BigInt);
}

it("reports the sums of the runs, whatever the time, the unit and the groups", async () => {
  const someRuns = fc.array(aRunOfAny, { maxLength: 30 });
  const queries = fc.array(aQuery, { minLength: 10, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(someRuns, queries, async (runs, asked) => {
      const database = await databaseOfTwoTeams();
      for (const key of keys) await createApiKeyStore(database).insert(key);
      await write(database, runs);
      const usage = createUsageStore(database);
      for (const query of asked) {
        const rows = await usage.rows({ ...query, hosted: [], label: null, order: "time", limit: 10_000 });
        expect(sumsOfRows(rows)).toEqual(sumsOfRuns(runs, query));
        expect(rows).toHaveLength(sumsOfRows(rows).size);
        expect(rows.map(({ time }) => time)).toEqual(
          rows.map(({ time }) => time).sort((a, b) => Number(a) - Number(b)),
        );
      }
      const problems = await createLedgerStore(database).verify();
      expect(problems.filter((problem) => problem.startsWith("the usage of "))).toEqual([]);
    }),
    { numRuns: casesOf(80) },
  );
});
