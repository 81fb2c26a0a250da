/**
 * Measures how many requests a second are admitted by their limits: counted in memory, in PostgreSQL and in Redis, in turns. A request is
 * counted in two steps, as requests are: two limits of its key, then three of its team and key. Without `--postgres URL` and a Redis in
 * `HEARTH_TEST_REDIS` it starts servers of its own, which do not wait for the disk.
 */
import { createMemoryCounter } from "../../../../src/accounts/limits/memory-counter.js";
import type { Quota, QuotaCounter } from "../../../../src/accounts/limits/quota-counter.js";
import { RedisConnection } from "../../../../src/accounts/limits/redis/connection.js";
import { createRedisWindows, redisPrefix } from "../../../../src/accounts/limits/redis/windows.js";
import { createSharedCounter } from "../../../../src/accounts/limits/shared/shared-counter.js";
import { createSharedWindowStore } from "../../../../src/accounts/limits/shared/store.js";
import type { SharedWindows } from "../../../../src/accounts/limits/shared/shared-windows.js";
import { openPostgres } from "../../../../src/store/postgres/open.js";
import { systemClock } from "../../../../src/system/clock.js";
import { startPostgresHost } from "../../../../test/kit/databases/postgres/host.js";
import { redisProgram, spawnRedis } from "../../../../test/kit/databases/redis/spawn.js";
import type { SectionOptions } from "../options.js";
import { quantile, toRow, type Row } from "../../figures/table.js";

const rounds = 5;
const roundMs = 1_000;
const parallel = 64;
const teams = 100;
const connectionsMax = 16;

interface Measured {
  readonly name: string;
  readonly counter: QuotaCounter;
  /** Requests in all rounds, of one team and of many. */
  readonly rates: { readonly one: number[]; readonly many: number[] };
  /** Times of requests that come one after the other, in milliseconds. */
  readonly times: number[];
}

interface Opened {
  readonly counter: QuotaCounter;
  close(): Promise<void>;
}

export async function limitsSection({ postgres }: SectionOptions): Promise<readonly Row[]> {
  const opened: (readonly [string, Opened])[] = [
    ["memory", { counter: createMemoryCounter(systemClock), close: () => Promise.resolve() }],
    [`PostgreSQL, ${connectionsMax} connections`, await openInPostgres(postgres)],
  ];
  const redis = await openInRedis();
  if (redis !== null) opened.push(["Redis", redis]);
  try {
    const all = opened.map(([name, { counter }]) => measured(name, counter));
    for (let round = 0; round < rounds; round++)
      for (const each of all) {
        each.rates.one.push(await measureRate(each.counter, 1));
        each.rates.many.push(await measureRate(each.counter, teams));
        each.times.push(...(await measureTimes(each.counter)));
      }
    const absent = toRow("Redis: skipped, no redis-server", "");
    return [...all.flatMap(toRows), ...(redis === null ? [absent] : [])];
  } finally {
    for (const [, each] of opened) await each.close();
  }
}

function measured(name: string, counter: QuotaCounter): Measured {
  return { name, counter, rates: { one: [], many: [] }, times: [] };
}

function toRows({ name, rates, times }: Measured): readonly Row[] {
  const median = (values: readonly number[]): string => quantile(values, 0.5).toFixed(0);
  const at = (share: number): string => quantile(times, share).toFixed(2);
  return [
    toRow(`${name}: requests admitted a second, ${parallel} at once, of one team`, median(rates.one)),
    toRow(`${name}: of ${teams} teams`, median(rates.many)),
    toRow(
      `${name}: time of a request's counts, one at a time, p50 / p95 / p99`,
      `${at(0.5)} / ${at(0.95)} / ${at(0.99)} ms`,
    ),
  ];
}

async function openInPostgres(given: string | null): Promise<Opened> {
  const host = given === null ? await startPostgresHost(undefined) : null;
  const url = given ?? (await (await fetch(host?.url ?? "", { method: "POST" })).text());
  const database = await openPostgres({ url, connectionsMax, clock: systemClock, server: null });
  return {
    counter: sharedCounter(createSharedWindowStore(database)),
    async close() {
      await database.close();
      await host?.close();
    },
  };
}

/** Returns null where there is no Redis. */
async function openInRedis(): Promise<Opened | null> {
  const given = process.env["HEARTH_TEST_REDIS"] ?? "";
  if (given === "" && redisProgram === null) return null;
  const server = given === "" ? await spawnRedis() : null;
  const prefix = redisPrefix(`hearth-bench-${process.pid}`);
  const connection = new RedisConnection({
    url: server?.url ?? given,
    prefix,
    timeoutMs: 10_000,
    clock: systemClock,
    onChange: (problem) => void process.stderr.write(`Redis: ${problem ?? "up"}\n`),
  });
  await connection.start();
  return {
    counter: sharedCounter(createRedisWindows(connection, prefix)),
    async close() {
      connection.close();
      await server?.close();
    },
  };
}

function sharedCounter(windows: SharedWindows): QuotaCounter {
  const onError = (thrown: unknown): void => void process.stderr.write(`${String(thrown)}\n`);
  return createSharedCounter({ windows, clock: systemClock, time: () => null, onError });
}

/** Counts what one request of a team counts. */
async function admit(counter: QuotaCounter, team: number): Promise<void> {
  const quota = (name: Quota["name"], scope: string): Quota => ({ name, scope, subject: scope, limit: 1e9 });
  const [key, ofTeam] = [`key ${team}`, `team ${team} model`];
  const demands = [quota("qps", key), quota("qpm", key)].map((each) => ({ quota: each, amount: 1 }));
  const { countedAt } = await counter.take(demands);
  const wanted = [
    { quota: quota("qpm", ofTeam), amount: 1 },
    { quota: quota("tpm", ofTeam), amount: 300 },
    { quota: quota("tpm", key), amount: 300 },
  ];
  const { shortage } = await counter.take(wanted, { demands, countedAt });
  if (shortage !== null) throw new Error("a request was refused");
}

async function measureRate(counter: QuotaCounter, of: number): Promise<number> {
  let count = 0;
  const began = performance.now();
  const work = async (): Promise<void> => {
    while (performance.now() - began < roundMs) {
      // Memory answers at once: others get a turn all the same.
      await admit(counter, count++ % of);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return count / ((performance.now() - began) / 1000);
}

async function measureTimes(counter: QuotaCounter): Promise<readonly number[]> {
  const times: number[] = [];
  for (let request = 0; request < 200; request++) {
    const began = performance.now();
    await admit(counter, request % teams);
    times.push(performance.now() - began);
  }
  return times;
}
