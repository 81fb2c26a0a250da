import fc from "fast-check";
import { sql } from "kysely";
import { expect, it } from "vitest";
import { createApiKeyStore } from "../../../src/accounts/keys/store.js";
import { createUsageStore } from "../../../src/accounts/usage/store.js";
import {
  dayMs,
  hourMs,
  type UsageDimension,
  type UsageQuery,
  type UsageRow,
} from "../../../src/accounts/usage/usage-report.js";
import { createRunStore } from "../../../src/inference/run/store/runs.js";
import type { Database } from "../../../src/store/database.js";
import { casesOf } from "../../random-cases.js";
import { aRun, databaseOfTwoTeams } from "../../store/records.js";
import { aKey } from "../a-key.js";

const days = 4;
const start = Date.UTC(2026, 10, 28);
const keys = [
  aKey({ id: "key-1", userId: "ada", hash: new Uint8Array(32).fill(1) }),
  aKey({ id: "key-2", userId: "bob", hash: new Uint8Array(32).fill(2) }),
  aKey({ id: "key-3", userId: "ada", teamId: "team-2", hash: new Uint8Array(32).fill(3) }),
] as const;

const aRunOfAny = fc.record({
  key: fc.constantFrom(...keys),
  model: fc.constantFrom("small", "large"),
  requestedModel: fc.constantFrom(null, "alias"),
  startTime: fc.integer({ min: start, max: start + days * dayMs - 1 }),
  state: fc.constantFrom("completed", "aborted", "failed", "interrupted"),
  tokens: fc.integer({ min: 0, max: 1000 }),
  costTicks: fc.integer({ min: 0, max: 1_000_000 }),
  images: fc.integer({ min: 0, max: 2 }),
  isWrittenTwice: fc.boolean(),
});
type AnyRun = typeof aRunOfAny extends fc.Arbitrary<infer Value> ? Value : never;

const hour = fc.integer({ min: 0, max: days * 24 }).map((hours) => start + hours * hourMs);
const dimension = fc.constantFrom<UsageDimension>("key", "model", "team", "member");
const aQuery = fc.record({
  teamId: fc.constantFrom("team-1", "team-2", null),
  ownerId: fc.constantFrom(null, null, "ada"),
  from: hour,
  to: hour,
  unit: fc.constantFrom("day" as const, null),
  by: fc.uniqueArray(dimension, { maxLength: 2 }),
});

async function write(database: Database, runs: readonly AnyRun[]): Promise<void> {
  const store = createRunStore(database);
  for (const [index, { key, tokens, images, isWrittenTwice, state, costTicks, ...run }] of runs.entries()) {
    const id = `run-${index}`;
    const used = { completionTokens: tokens, reasoningTokens: 1, images };
    const usage = { promptTokens: 9, cachedTokens: 2, imageTokens: 1, ...used };
    const ended = { state, usage, costTicks, endTime: run.startTime } as const;
    const row = aRun({ ...run, id, teamId: key.teamId, apiKeyId: key.id, costTicks: 0 });
    if (!isWrittenTwice || state === "interrupted") await store.insert({ ...row, ...ended }, []);
    else {
      await store.insert(row, []);
      await store.finish(id, { ...ended, state }, []);
    }
  }
}

/** The sums of rows with the same time and group, in the order of their names. */
function summed(rows: readonly UsageRow[], unit: UsageQuery["unit"]): ReadonlyMap<string, readonly bigint[]> {
  const sums = new Map<string, readonly bigint[]>();
  for (const { time, group, runs, usage, costTicks, creditTicks } of rows) {
    const start = unit === "day" && time !== null ? time - (time % dayMs) : null;
    const name = JSON.stringify([start, group]);
    const { promptTokens, cachedTokens, imageTokens, completionTokens, reasoningTokens, images = 0 } = usage;
    const counts = [runs, promptTokens, cachedTokens, imageTokens, completionTokens, reasoningTokens, images];
    const values = [...counts.map(BigInt), costTicks, creditTicks];
    sums.set(
      name,
      values.map((value, at) => value + (sums.get(name)?.[at] ?? 0n)),
    );
  }
  return new Map([...sums].sort(([one], [other]) => (one < other ? -1 : 1)));
}

it("reports the same usage from days as from hours, whatever the time and the groups", async () => {
  const someRuns = fc.array(aRunOfAny, { maxLength: 30 });
  const queries = fc.array(aQuery, { minLength: 10, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(someRuns, queries, async (runs, asked) => {
      const database = await databaseOfTwoTeams();
      for (const key of keys) await createApiKeyStore(database).insert(key);
      await write(database, runs);
      const usage = createUsageStore(database);
      for (const { unit, ...query } of asked) {
        const all = { ...query, hosted: [], top: null, order: "time", limit: 10_000 } as const;
        const byHour = await usage.rows({ ...all, unit: "hour" });
        const rows = await usage.rows({ ...all, unit });
        expect(summed(rows, unit)).toEqual(summed(byHour, unit));
        expect(rows).toHaveLength(summed(rows, unit).size);
        const top = { count: 1, measure: "runs" } as const;
        const highest = await usage.rows({ ...all, by: query.by.slice(0, 1), unit, top });
        const together = (each: readonly UsageRow[]) =>
          summed(
            each.map((row) => ({ ...row, group: [] })),
            unit,
          );
        if (query.by.length > 0) expect(together(highest)).toEqual(together(byHour));
      }
      const sums = sql.raw(
        ["runs", "prompt_tokens", "cached_tokens", "image_tokens", "completion_tokens", "reasoning_tokens"]
          .concat(["cost_ticks", "credit_ticks", "images"])
          .map((column) => `sum(${column})`)
          .join(", "),
      );
      const groups = sql.raw("team_id, model, asked_model, api_key_id");
      const differing = await sql`
        select ${groups}, day, ${sums} from usage_days group by ${groups}, day
        except select ${groups}, hour - hour % 86400000, ${sums} from usage_hours group by 1, 2, 3, 4, 5`.execute(
        database.kysely,
      );
      expect(differing.rows).toEqual([]);
    }),
    { numRuns: casesOf(80) },
  );
});
