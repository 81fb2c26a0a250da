/** Limits of several servers on one database, over HTTP: counted in PostgreSQL, and in Redis. */
import { describe, expect, it } from "vitest";
import type { ScriptedServer, ScriptedSettings } from "../kit/server.js";
import { headersOf, hello, post } from "../kit/server/requests.js";
import { until } from "../kit/until.js";
import { proxyOf } from "../kit/databases/postgres/proxy.js";
import { newPrefixName, redisUrl, test, withoutRedis } from "../kit/databases/redis/server.js";
import { startNodes } from "./nodes.js";

const limit = 10;
const script = () => ["Good"];

/** Starts three servers, and limits the first key to 10 requests a minute. */
async function startThree(options: ScriptedSettings = {}): Promise<readonly ScriptedServer[]> {
  const nodes = await startNodes([script, script, script], options);
  const { ok } = await fetch(`${nodes[0]?.url ?? ""}/auth/api-keys/key-of-ada`, {
    method: "PUT",
    headers: headersOf("a management key that no test uses"),
    body: JSON.stringify({ apiKey: { qpm: limit }, fieldMask: "qpm" }),
  });
  if (!ok) throw new Error("the limit was not set");
  return nodes;
}

/** Returns how many of 10 requests to each server, all at the same time, are admitted; the others are refused. */
async function admitted(nodes: readonly ScriptedServer[]): Promise<number> {
  const answers = await Promise.all(
    nodes.flatMap((node) => Array.from({ length: 10 }, () => post(node, hello))),
  );
  const statuses = await Promise.all(answers.map(async (answer) => [await answer.text(), answer.status][1]));
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
  return statuses.filter((status) => status === 200).length;
}

it("a limit counted in PostgreSQL holds exactly for all servers of a database together", async () => {
  expect(await admitted(await startThree())).toBe(limit);
});

describe(`a limit counted in Redis${withoutRedis}`, () => {
  const configOf = (url: string) => ({ config: { redisUrl: url, redisPrefix: newPrefixName() } });

  test("holds exactly for all servers of a database together", async () => {
    expect(await admitted(await startThree(configOf(redisUrl())))).toBe(limit);
  });

  test("holds for each server by itself while Redis is cut off, and exactly for all of them when it is back", async () => {
    const proxy = await proxyOf(redisUrl());
    const nodes = await startThree(configOf(proxy.url));
    proxy.cut();
    expect(await admitted(nodes)).toBe(3 * limit);
    expect(await admitted(nodes)).toBe(0);
    proxy.restore();
    await until(() => {
      // In small steps: an attempt to connect has its limit by this clock, and takes long on a slow machine.
      for (const { clock } of nodes) clock.advance(5);
      return nodes.every(({ logs }) => logs.some(({ message }) => message.startsWith("Redis counts")));
    });
    expect(await admitted(nodes)).toBe(limit);
  });
});
