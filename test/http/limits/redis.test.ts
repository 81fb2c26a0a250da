import { describe, expect } from "vitest";
import type { Config } from "../../../src/config/config.js";
import { loadConfig } from "../../../src/config/config.js";
import { redisChecks } from "../../../src/doctor/redis-check.js";
import { type ScriptedServer, startServer } from "../../kit/server.js";
import { headersOf, hello, post } from "../../kit/server/requests.js";
import { keys } from "../../kit/server/six-keys.js";
import { until } from "../../kit/until.js";
import { type CuttableConnection, proxyOf } from "../../kit/databases/postgres/proxy.js";
import {
  advanceToAttempt,
  command,
  newPrefixName,
  redisUrl,
  startRedis,
  test,
  testOwn,
  withoutOwnRedis,
  withoutRedis,
} from "../../kit/databases/redis/server.js";

const managementKey = "a management key that no test uses";

/** Starts a server that counts limits in Redis, and whose first key may make 3 requests a minute. */
async function start(url: string, limitsWithoutRedis: Config["limitsWithoutRedis"] = "open") {
  const config = { redisUrl: url, redisPrefix: newPrefixName(), limitsWithoutRedis };
  const server = await startServer({ engine: () => ["Good"], config });
  const { ok } = await fetch(`${server.url}/auth/api-keys/key-of-ada`, {
    method: "PUT",
    headers: headersOf(managementKey),
    body: JSON.stringify({ apiKey: { qpm: 3 }, fieldMask: "qpm" }),
  });
  if (!ok) throw new Error("the limit was not set");
  return server;
}

async function statuses(server: ScriptedServer, count: number, key: string = keys.ada) {
  const answers: number[] = [];
  for (let request = 0; request < count; request++) {
    const answer = await post(server, hello, { headers: headersOf(key) });
    await answer.text();
    answers.push(answer.status);
  }
  return answers;
}

async function readiness(server: ScriptedServer) {
  const answer = await fetch(`${server.url}/readyz`);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

/** Returns the metrics of Redis without their help. */
async function metrics(server: ScriptedServer): Promise<readonly string[]> {
  const answer = await fetch(`${server.url}/metrics`, { headers: headersOf(keys.chatter) });
  const all = await (answer.ok ? answer : await fetch(`${server.url}/metrics`)).text();
  return all.split("\n").filter((line) => /^hearth_limits_/.test(line));
}

/** Moves time on until Redis counts again. */
async function back(server: ScriptedServer, proxy: CuttableConnection): Promise<void> {
  proxy.restore();
  await until(() => {
    advanceToAttempt(server.clock);
    return server.logs.some(({ message }) => message === "Redis counts rate limits again");
  });
}

const refused = [200, 200, 200, 429, 429];

describe(`a server whose limits are counted in Redis${withoutRedis}`, () => {
  test("M11: counts a request that is refused for its body, as without Redis", async () => {
    const server = await start(redisUrl());
    for (let times = 0; times < 2; times += 1) expect((await post(server, {})).status).toBe(422);
    expect(await statuses(server, 2)).toEqual([200, 429]);
  });

  test("refuses what is over a limit, as without Redis, and says in /metrics that it is used", async () => {
    const server = await start(redisUrl());
    expect(await statuses(server, 4)).toEqual([200, 200, 200, 429]);
    const answer = await post(server, hello);
    expect(answer.headers.get("x-ratelimit-remaining-requests")).toBe("0");
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(50);
    expect(await metrics(server)).toEqual([
      "hearth_limits_redis_up 1",
      "hearth_limits_without_redis_total 0",
    ]);
    const unlimited = await startServer({ engine: () => ["Good"] });
    expect(await metrics(unlimited)).toEqual([]);
  });

  test("counts by itself while Redis is cut off, says so, and counts in Redis again", async () => {
    const proxy = await proxyOf(redisUrl());
    const server = await start(proxy.url);
    expect(await statuses(server, 2)).toEqual([200, 200]);
    proxy.cut();
    expect(await statuses(server, 5)).toEqual(refused);
    expect(await readiness(server)).toMatchObject({
      status: 200,
      body: {
        status: "ok",
        details: expect.arrayContaining([
          "Redis cannot be used: this server counts rate limits by itself",
        ]) as unknown,
      },
    });
    expect((await metrics(server))[0]).toBe("hearth_limits_redis_up 0");
    await back(server, proxy);
    expect(await statuses(server, 2)).toEqual([200, 429]);
    expect(JSON.stringify((await readiness(server)).body)).not.toContain("Redis");
    const lines = server.logs.filter(({ message }) => message.includes("Redis"));
    expect(lines.map(({ level, message }) => [level, message])).toEqual([
      ["error", "Redis cannot count rate limits"],
      ["info", "Redis counts rate limits again"],
    ]);
  });

  test("refuses with 503 where the setting says so, but not those without limits, and is not ready", async () => {
    const proxy = await proxyOf(redisUrl());
    const server = await start(proxy.url, "closed");
    proxy.cut();
    const answer = await post(server, hello);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await answer.text()).toContain("cannot count requests against their limits now");
    expect(await statuses(server, 2, keys.chatter)).toEqual([200, 200]);
    expect(await readiness(server)).toEqual({
      status: 503,
      body: {
        status: "unavailable",
        reasons: ["Redis cannot be used: requests that a rate limit applies to are refused"],
      },
    });
    await back(server, proxy);
    expect(await statuses(server, 4)).toEqual([200, 200, 200, 429]);
    expect((await readiness(server)).status).toBe(200);
  });

  test("starts without Redis, and uses it when it is there", async () => {
    const proxy = await proxyOf(redisUrl());
    proxy.cut();
    const server = await start(proxy.url);
    expect(await statuses(server, 4)).toEqual([200, 200, 200, 429]);
    await back(server, proxy);
    expect(await statuses(server, 4)).toEqual([200, 200, 200, 429]);
  });

  test("stays ready and answers at once while Redis hangs: only the first requests wait, for the timeout", async () => {
    const proxy = await proxyOf(redisUrl());
    const server = await start(proxy.url);
    proxy.hang();
    const first = statuses(server, 1);
    await server.clock.whenWaiting(250);
    server.clock.advance(250);
    expect(await first).toEqual([200]);
    expect(await statuses(server, 3)).toEqual([200, 200, 429]);
  });
});

describe(`hearth doctor${withoutOwnRedis}`, () => {
  const configOf = (url: string): Config => ({ ...loadConfig({}).config, redisUrl: url });

  testOwn("names the version of Redis, and a Redis that forgets counts when its memory is full", async () => {
    const redis = await startRedis();
    const check = () => redisChecks(configOf(redis.url));
    expect(await check()).toEqual([
      {
        name: "redis",
        ok: true,
        detail: expect.stringMatching(/^(Redis|Valkey) \d+\.\S+ counts rate limits$/) as string,
      },
    ]);
    await command(redis.url, ["CONFIG", "SET", "maxmemory", "100mb"]);
    await command(redis.url, ["CONFIG", "SET", "maxmemory-policy", "allkeys-lru"]);
    expect((await check())[0]?.detail).toContain(
      "forgets counts (maxmemory-policy allkeys-lru): set noeviction",
    );
  });

  testOwn("says why Redis cannot be used, and what follows, without the password", async () => {
    const redis = await startRedis(["--requirepass", "right"]);
    const url = redis.url.replace("//", "//:wrong@");
    expect(await redisChecks(configOf(url))).toEqual([
      {
        name: "redis",
        ok: false,
        detail: expect.stringMatching(/^WRONGPASS .*; each server counts rate limits for itself$/) as string,
      },
    ]);
    await redis.kill();
    const [gone] = await redisChecks({ ...configOf(url), limitsWithoutRedis: "closed" });
    expect(gone?.ok).toBe(false);
    expect(gone?.detail).toMatch(/^no server accepts .*; requests that a limit applies to are refused$/);
    expect(await redisChecks(loadConfig({}).config)).toEqual([]);
  });
});
