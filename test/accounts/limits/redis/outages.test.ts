/** Redis that is cut off, hangs, restarts or forgets, with a memory counter of each server beside it. */
import { describe, expect } from "vitest";
import { createMemoryCounter } from "../../../../src/accounts/limits/memory-counter.js";
import type { Quota, QuotaCounter, Taken } from "../../../../src/accounts/limits/quota-counter.js";
import type { RedisConnection } from "../../../../src/accounts/limits/redis/connection.js";
import { createRedisCounter } from "../../../../src/accounts/limits/redis/redis-counter.js";
import type { RedisState } from "../../../../src/core/metrics.js";
import { until } from "../../../kit/until.js";
import { createManualClock, type ManualClock } from "../../../kit/manual-clock.js";
import { proxyOf } from "../../../kit/databases/postgres/proxy.js";
import {
  advanceToAttempt,
  command,
  connected,
  newPrefix,
  redisUrl,
  startRedis,
  test,
  testOwn,
  withoutOwnRedis,
  withoutRedis,
} from "../../../kit/databases/redis/server.js";

const limit = 5;
const quota: Quota = { name: "qpm", limit, scope: "key", subject: "key" };

interface Server {
  readonly counter: QuotaCounter;
  readonly connection: RedisConnection;
  readonly clock: ManualClock;
  /** What was reported of the connection. */
  readonly reports: (string | null)[];
  /** Counts that Redis did not make. */
  readonly missed: () => number;
}

interface ServerOptions {
  readonly prefix?: string;
  readonly withoutRedis?: RedisState["withoutRedis"];
}

async function startServer(url: string, options: ServerOptions = {}): Promise<Server> {
  const { prefix = newPrefix(), withoutRedis: mode = "open" } = options;
  const clock = createManualClock(0);
  const reports: (string | null)[] = [];
  let missed = 0;
  const onChange = (problem: string | null): void => void reports.push(problem);
  const connection = await connected(url, { clock, timeoutMs: 250, onChange, prefix });
  const own = createMemoryCounter(clock);
  const onMissed = (): void => void missed++;
  const deps = { connection, prefix, own, withoutRedis: mode, clock, time: () => null, onMissed };
  return { counter: createRedisCounter(deps), connection, clock, reports, missed: () => missed };
}

const take = ({ counter }: Server): Promise<Taken> => counter.take([{ quota, amount: 1 }]);

/** Returns how many of 20 requests a server admits. */
async function admitted(server: Server): Promise<number> {
  let count = 0;
  for (let request = 0; request < 20; request++) if ((await take(server)).shortage === null) count++;
  return count;
}

/** Moves time on until the connection is open again. */
async function reconnect({ clock, connection }: Server): Promise<void> {
  await until(() => {
    advanceToAttempt(clock);
    return connection.problem() === null;
  });
}

describe(`while Redis is cut off${withoutRedis}`, () => {
  test("each server counts for itself, so that N servers admit at most N + 1 times the limit in a window", async () => {
    const [proxy, prefix] = [await proxyOf(redisUrl()), newPrefix()];
    const servers = await Promise.all([1, 2, 3].map(() => startServer(proxy.url, { prefix })));
    const [first] = servers;
    if (first === undefined) throw new Error("no server");
    expect(await admitted(first)).toBe(limit);
    proxy.cut();
    const during = [];
    for (const server of servers) during.push(await admitted(server));
    expect(during).toEqual([limit, limit, limit]);
    proxy.restore();
    for (const server of servers) await reconnect(server);
    // Redis has kept what it had counted; what the servers counted is theirs.
    for (const server of servers) expect(await admitted(server)).toBe(0);
  });

  test("and no server counted in it before, it has the whole limit when it is back", async () => {
    const proxy = await proxyOf(redisUrl());
    const server = await startServer(proxy.url);
    proxy.cut();
    expect(await admitted(server)).toBe(limit);
    proxy.restore();
    await reconnect(server);
    expect(await admitted(server)).toBe(limit);
    // The server's own windows stay, for the next time.
    proxy.cut();
    expect(await admitted(server)).toBe(0);
  });

  test("it is reported once, and once that it is back; waiting for it takes twice as long each time", async () => {
    const proxy = await proxyOf(redisUrl());
    const server = await startServer(proxy.url);
    expect(server.reports).toEqual([]);
    proxy.cut();
    for (let request = 0; request < 3; request++) await take(server);
    for (const delay of [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]) {
      await server.clock.whenWaiting(delay);
      server.clock.advance(delay);
    }
    expect(server.reports).toHaveLength(1);
    expect(server.missed()).toBe(3);
    proxy.restore();
    await reconnect(server);
    expect(server.reports).toEqual([expect.any(String), null]);
    expect((await take(server)).shortage).toBeNull();
    expect(server.missed()).toBe(3);
  });

  test("requests are refused where the setting says so, and are counted again afterwards", async () => {
    const proxy = await proxyOf(redisUrl());
    const server = await startServer(proxy.url, { withoutRedis: "closed" });
    expect((await take(server)).shortage).toBeNull();
    proxy.cut();
    for (let request = 0; request < 3; request++)
      await expect(take(server)).rejects.toMatchObject({ kind: "overloaded", retryAfterSeconds: 5 });
    proxy.restore();
    await reconnect(server);
    expect((await take(server)).statuses).toMatchObject([{ limit, remaining: limit - 2 }]);
  });

  test("what a run has used is counted by the server, and no error is thrown", async () => {
    const proxy = await proxyOf(redisUrl());
    const server = await startServer(proxy.url);
    const { countedAt } = await take(server);
    proxy.cut();
    await take(server);
    server.counter.correct([quota], 3, countedAt);
    server.counter.correct([quota], -1, countedAt);
    expect((await take(server)).statuses).toMatchObject([{ remaining: limit - 5 }]);
  });

  test("a request whose first step it has counted is admitted or refused by the server's own windows", async () => {
    const proxy = await proxyOf(redisUrl());
    const server = await startServer(proxy.url);
    const demands = [{ quota, amount: 1 }];
    const before = { demands, countedAt: (await server.counter.take(demands)).countedAt };
    proxy.cut();
    const team = { ...quota, scope: "team", limit: 1 };
    const second = () => server.counter.take([{ quota: team, amount: 1 }], before);
    expect((await second()).shortage).toBeNull();
    expect((await second()).shortage).toMatchObject({ demand: { quota: team } });
  });
});

describe(`Redis that hangs${withoutRedis}`, () => {
  test("delays no request beyond the timeout, and those after it not at all", async () => {
    const proxy = await proxyOf(redisUrl());
    const server = await startServer(proxy.url);
    proxy.hang();
    const waiting = [take(server), take(server)];
    await server.clock.whenWaiting(250);
    server.clock.advance(250);
    for (const taken of await Promise.all(waiting)) expect(taken.shortage).toBeNull();
    expect(server.reports).toEqual(["it did not answer within 250 ms"]);
    // No time passes: nobody waits.
    expect((await take(server)).shortage).toBeNull();
    // It accepts connections, and does not answer them.
    server.clock.advance(100);
    await server.clock.whenWaiting(2_000);
    server.clock.advance(2_000);
    await server.clock.whenWaiting(200);
    expect((await take(server)).shortage).toBeNull();
    proxy.unhang();
    await reconnect(server);
    expect(server.reports).toEqual(["it did not answer within 250 ms", null]);
    const missed = server.missed();
    await take(server);
    expect(server.missed()).toBe(missed);
  });
});

describe(`Redis that forgets${withoutOwnRedis}`, () => {
  testOwn("its scripts gets them again, with the same request", async () => {
    const redis = await startRedis();
    const server = await startServer(redis.url);
    await take(server);
    await command(redis.url, ["SCRIPT", "FLUSH"]);
    expect((await take(server)).statuses).toMatchObject([{ remaining: limit - 2 }]);
    expect(server.missed()).toBe(0);
  });

  testOwn("all data begins with empty windows: the limit can be had once more", async () => {
    const redis = await startRedis();
    const server = await startServer(redis.url);
    expect(await admitted(server)).toBe(limit);
    await command(redis.url, ["FLUSHALL"]);
    expect(await admitted(server)).toBe(limit);
    expect(server.missed()).toBe(0);
  });

  testOwn("by a crash and a restart counts again when it is back, with empty windows", async () => {
    const redis = await startRedis();
    const server = await startServer(redis.url);
    expect(await admitted(server)).toBe(limit);
    await redis.kill();
    expect(await admitted(server)).toBe(limit);
    await redis.start();
    await reconnect(server);
    expect(await admitted(server)).toBe(limit);
    expect(server.reports).toEqual([expect.any(String), null]);
  });

  testOwn("where it may not write is not used until it may", async () => {
    const redis = await startRedis();
    const server = await startServer(redis.url);
    await command(redis.url, ["CONFIG", "SET", "maxmemory", "1"]);
    expect((await take(server)).shortage).toBeNull();
    expect(server.reports).toEqual([expect.stringMatching(/^OOM /)]);
    await server.clock.whenWaiting(100);
    server.clock.advance(100);
    await server.clock.whenWaiting(200);
    await command(redis.url, ["CONFIG", "SET", "maxmemory", "0"]);
    await reconnect(server);
    expect(server.reports).toEqual([expect.stringMatching(/^OOM /), null]);
  });
});
