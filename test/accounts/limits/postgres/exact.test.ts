import { expect, it, onTestFinished } from "vitest";
import type { Quota, QuotaCounter } from "../../../../src/accounts/limits/quota-counter.js";
import { createSharedCounter } from "../../../../src/accounts/limits/shared/shared-counter.js";
import { createSharedWindowStore } from "../../../../src/accounts/limits/shared/store.js";
import type { Clock } from "../../../../src/core/clock.js";
import type { Database } from "../../../../src/store/database.js";
import { systemClock } from "../../../../src/system/clock.js";
import { expectExactLimits, expectOneLimit } from "../exact-limits.js";
import { createManualClock } from "../../../kit/manual-clock.js";
import { newPostgresUrl, openBeside } from "../../../kit/databases/postgres/databases.js";
import { proxyOf } from "../../../kit/databases/postgres/proxy.js";
import { sql } from "kysely";

async function opened(url: string): Promise<Database> {
  const database = await openBeside(url);
  onTestFinished(() => database.close());
  return database;
}

/**
 * A counter whose corrections and sweeps are done when the next demand is counted, with windows of its own. A sweep that came later could
 * be the window of another counter, whose clock is ahead.
 */
function counterOf(database: Database, clock: Clock, prefix = ""): QuotaCounter {
  const store = createSharedWindowStore(database);
  const pending: Promise<void>[] = [];
  const own = <Named extends { readonly quota: string }>(records: readonly Named[]): readonly Named[] =>
    records.map((record) => ({ ...record, quota: prefix + record.quota }));
  return createSharedCounter({
    windows: {
      ...store,
      async take(earlier, earlierAt, wanted, at) {
        await Promise.all(pending.splice(0));
        return store.take(own(earlier), earlierAt, own(wanted), at);
      },
      correct(quotas, ...rest) {
        const written = store.correct(own(quotas), ...rest);
        pending.push(written);
        return written;
      },
      sweep(at) {
        const swept = store.sweep(at);
        pending.push(swept);
        return swept;
      },
    },
    clock,
    time: () => Math.floor(clock.monotonic()) + 1_000_000,
    onError: (thrown) => {
      throw thrown;
    },
  });
}

it("shared limits admit exactly the requests that the reference model admits", async () => {
  const database = await opened(await newPostgresUrl());
  let run = 0;
  await expectExactLimits({
    numRuns: 40,
    createCounters(clock) {
      const counter = counterOf(database, clock, `run ${++run} `);
      return Promise.resolve({ counter, readCounter: counter });
    },
  });
});

const quota = (scope: string, limit: number): Quota => ({ name: "qpm", limit, scope, subject: scope });

it("of 200 requests that three servers count at the same time, exactly as many are admitted as the limit allows", async () => {
  const url = await newPostgresUrl();
  const windows = await Promise.all([1, 2, 3].map(async () => createSharedWindowStore(await opened(url))));
  const counters = windows.map((each) =>
    createSharedCounter({ windows: each, clock: systemClock, time: () => null, onError: () => undefined }),
  );
  await expectOneLimit(counters);
});

it("windows that were idle for a minute are removed, and no others", async () => {
  const database = await opened(await newPostgresUrl());
  const clock = createManualClock(0);
  const counter = counterOf(database, clock);
  const take = (scope: string) => counter.take([{ quota: quota(scope, 9), amount: 1 }]);
  await take("idle");
  clock.advance(30_000);
  await take("used");
  clock.advance(30_000);
  const { statuses } = await take("new");
  expect(statuses).toMatchObject([{ remaining: 8 }]);
  await createSharedWindowStore(database).sweep(1_060_000);
  for (const table of ["rate_windows", "rate_entries"] as const) {
    const { rows } = await sql<{
      readonly quota: string;
    }>`select quota from ${sql.table(table)} order by quota`.execute(database.kysely);
    expect(rows.map((row) => row.quota)).toEqual(["qpm new", "qpm used"]);
  }
});

it("while the database is away, nothing is counted and nothing is admitted: a request could not be priced either", async () => {
  const proxy = await proxyOf(await newPostgresUrl());
  const counter = createSharedCounter({
    windows: createSharedWindowStore(await opened(proxy.url)),
    clock: systemClock,
    time: () => null,
    onError: () => undefined,
  });
  const take = () => counter.take([{ quota: quota("key", 3), amount: 1 }]);
  expect((await take()).statuses).toMatchObject([{ remaining: 2 }]);
  proxy.cut();
  for (let request = 0; request < 2; request++)
    await expect(take()).rejects.toMatchObject({ kind: "overloaded", retryAfterSeconds: 5 });
  proxy.restore();
  expect((await take()).statuses).toMatchObject([{ remaining: 1 }]);
});
