import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { createMemoryCounter } from "../../../../src/accounts/limits/memory-counter.js";
import type { Quota, QuotaCounter, Taken } from "../../../../src/accounts/limits/quota-counter.js";
import type { RedisConnection } from "../../../../src/accounts/limits/redis/connection.js";
import { createRedisWindows, redisPrefix } from "../../../../src/accounts/limits/redis/windows.js";
import { createSharedCounter } from "../../../../src/accounts/limits/shared/shared-counter.js";
import type { Clock } from "../../../../src/core/clock.js";
import { systemClock } from "../../../../src/system/clock.js";
import { root } from "../../../kit/folder.js";
import { createManualClock } from "../../../kit/manual-clock.js";
import {
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
import { expectExactLimits, expectOneLimit } from "../exact-limits.js";

const quota = (scope: string, limit: number): Quota => ({ name: "qpm", limit, scope, subject: scope });

/** A counter with windows of its own, by the time of a test. */
function counterAt(clock: Clock, connection: RedisConnection, prefix = newPrefix()): QuotaCounter {
  return createSharedCounter({
    windows: createRedisWindows(connection, prefix),
    clock,
    time: () => Math.floor(clock.monotonic()) + 1_000_000,
    onError: (thrown) => {
      throw thrown;
    },
  });
}

describe(`limits counted in Redis${withoutRedis}`, () => {
  test("admit exactly the requests that the reference model admits", async () => {
    const connection = await connected(redisUrl());
    await expectExactLimits({
      numRuns: 80,
      createCounters(clock) {
        const counter = counterAt(clock, connection);
        return Promise.resolve({ counter, readCounter: counter });
      },
    });
  });

  test("of 200 requests that three servers count at the same time, admit exactly as many as the limit allows", async () => {
    const [url, prefix] = [redisUrl(), newPrefix()];
    const connections = await Promise.all([1, 2, 3].map(() => connected(url)));
    const counters = connections.map((connection) =>
      createSharedCounter({
        windows: createRedisWindows(connection, prefix),
        clock: systemClock,
        time: () => null,
        onError: () => undefined,
      }),
    );
    await expectOneLimit(counters);
  });

  test("agree with those in memory when a window has thousands of entries", async () => {
    const clock = createManualClock(0);
    const counters = [counterAt(clock, await connected(redisUrl())), createMemoryCounter(clock)];
    const tokens: Quota = { name: "tpm", limit: 10_000, scope: "key", subject: "key" };
    const counted: (readonly number[])[] = [];
    const both = async (amount: number): Promise<Taken | undefined> => {
      const taken = await Promise.all(counters.map((each) => each.take([{ quota: tokens, amount }])));
      const [one, other] = taken.map(({ shortage, statuses }) => ({ shortage, statuses }));
      expect(one).toEqual(other);
      counted.push(taken.map(({ countedAt }) => countedAt));
      return taken[0];
    };
    const giveBack = (index: number): void =>
      counters.forEach((each, of) => each.correct([tokens], -1, counted[index]?.[of] ?? 0));
    for (let each = 0; each < 3_000; each++) {
      clock.advance(3);
      await both(1 + (each % 5));
    }
    // The sum is 9,000.
    for (const amount of [1_001, 1_500, 4_000, 9_999, 10_000])
      expect((await both(amount))?.shortage).not.toBeNull();
    for (const index of [0, 1, 499, 500, 501, 1_234, 2_999]) giveBack(index);
    clock.advance(54_000);
    for (const amount of [1_001, 4_000, 9_999]) await both(amount);
    for (let each = 0; each < 20; each++) {
      clock.advance(350);
      await both(3_000);
      giveBack(2_500 + each);
    }
    clock.advance(60_000);
    expect((await both(0))?.statuses).toEqual([{ limit: 10_000, remaining: 10_000, resetMs: 0 }]);
  });

  test("take no notice of the clock of a server, which may be wrong and jump", async () => {
    const [url, prefix] = [redisUrl(), newPrefix()];
    const clocks = [createManualClock(0), createManualClock(4_000_000_000_000)];
    const counters = await Promise.all(
      clocks.map(async (clock) =>
        createSharedCounter({
          windows: createRedisWindows(await connected(url), prefix),
          clock,
          time: () => null,
          onError: () => undefined,
        }),
      ),
    );
    const refused: boolean[] = [];
    for (let request = 0; request < 12; request++) {
      const taken = await counters[request % 2]?.take([{ quota: quota("key", 6), amount: 1 }]);
      refused.push(taken?.shortage !== null);
      clocks[request % 2]?.jump(3_600_000);
    }
    expect(refused).toEqual([...Array<boolean>(6).fill(false), ...Array<boolean>(6).fill(true)]);
  });

  test("stand still while the clock of Redis is set back by less than a window, and begin anew when it is set back by more", async () => {
    const windows = createRedisWindows(await connected(redisUrl()), newPrefix());
    const wanted = [{ quota: "key", span: 60_000, most: 2, amount: 1 }];
    const at = async (time: number) => (await windows.take([], 0, wanted, time))[0];
    expect(await at(1_000_000)).toMatchObject({ taken: true, used: 1 });
    expect(await at(990_000)).toMatchObject({ taken: true, used: 2, countedAt: 1_000_000 });
    expect(await at(941_000)).toMatchObject({ taken: false, used: 2, fitsAt: 1_060_000 });
    expect(await at(940_000)).toMatchObject({ taken: true, used: 1, countedAt: 940_000 });
  });

  test("are kept for a minute longer than they are needed, and no longer", async () => {
    const [url, prefix] = [redisUrl(), newPrefix()];
    const windows = createRedisWindows(await connected(url), prefix);
    const demands = [1_000, 60_000].map((span) => ({ quota: `of ${span}`, span, most: 2, amount: 1 }));
    const [first] = await windows.take([], 0, demands, null);
    for (const { quota: name, span } of demands) {
      const left = Number(await command(url, ["PTTL", prefix + name]));
      expect(left).toBeGreaterThan(span + 50_000);
      expect(left).toBeLessThanOrEqual(span + 60_000);
    }
    await windows.correct(demands, -1, first?.countedAt ?? 0, null);
    for (const { quota: name } of demands) expect(await command(url, ["EXISTS", prefix + name])).toBe(0);
  });
});

describe(`the user of the address of Redis${withoutOwnRedis}`, () => {
  testOwn("needs no other commands and keys than the guide says", async () => {
    const guide = readFileSync(join(root, "src/docs/postgresql.md"), "utf8");
    const [, rules = ""] = /^ACL SETUSER hearth (.*)$/m.exec(guide) ?? [];
    const redis = await startRedis();
    await command(redis.url, ["ACL", "SETUSER", "hearth", ...rules.split(" ")]);
    await command(redis.url, ["ACL", "SETUSER", "default", "off"]);
    const password = /(?<=>)\S+/.exec(rules)?.[0] ?? "";
    const address = (of: string): string => redis.url.replace("//", `//hearth:${of}@`);
    const prefix = redisPrefix("hearth");
    const connection = await connected(address(password), { prefix });
    expect(connection.problem()).toBeNull();
    let run = 0;
    await expectExactLimits({
      numRuns: 40,
      createCounters(clock) {
        const counter = counterAt(clock, connection, `${prefix}${++run} `);
        return Promise.resolve({ counter, readCounter: counter });
      },
    });
    expect((await connected(redis.url)).problem()).toMatch(/^NOAUTH /);
    expect((await connected(address("wrong"))).problem()).toMatch(/^WRONGPASS /);
  });
});
