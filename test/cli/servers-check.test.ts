import { expect, it } from "vitest";
import { serversChecks } from "../../src/doctor/servers-check.js";
import { loadConfig } from "../../src/config/config.js";
import type { RunningNode } from "../../src/store/nodes.js";

const { config } = loadConfig({
  HEARTH_DATA: "/nowhere",
  HEARTH_DATABASE_URL: "postgres://hearth@127.0.0.1/hearth",
  HEARTH_REDIS_URL: "redis://127.0.0.1:6379",
});

async function check(running: () => Promise<readonly RunningNode[]>): Promise<readonly [boolean, string]> {
  const [found] = await serversChecks(config, running);
  return [found?.ok ?? false, found?.detail ?? ""];
}

it("hearth doctor says which servers run, and fails when they count rate limits in different places", async () => {
  const sqlite = loadConfig({ HEARTH_DATA: "/nowhere" }).config;
  expect(await serversChecks(sqlite, () => Promise.reject(new Error("is not asked")))).toEqual([]);
  const [isUsable, none] = await check(() => Promise.resolve([]));
  const place = /^none runs; rate limits are counted in (.+)$/.exec(none)?.[1] ?? "";
  expect([isUsable, place]).toEqual([true, expect.stringContaining("Redis")]);
  const a = { name: "a", limitsPlace: place };
  const b = { name: "b", limitsPlace: place };
  const c = { name: "c", limitsPlace: "PostgreSQL" };
  const counted = `rate limits are counted in ${place}`;
  expect(await check(() => Promise.resolve([a]))).toEqual([true, `a runs; ${counted}`]);
  expect(await check(() => Promise.resolve([a, b]))).toEqual([true, `a, b run; ${counted}`]);
  const [ok, detail] = await check(() => Promise.resolve([a, c]));
  expect([ok, detail]).toEqual([
    false,
    expect.stringContaining("in different places, c in PostgreSQL, by these"),
  ]);
  expect(await check(() => Promise.reject(new Error("gone")))).toEqual([false, "gone"]);
});
