import { expect, it } from "vitest";
import { runningServers } from "../../src/app/stores/open-database.js";
import { describeLimitsPlace } from "../../src/accounts/limits/limits-place.js";
import { serversChecks } from "../../src/doctor/servers-check.js";
import { loadConfig } from "../../src/config/config.js";
import { newPostgresUrl, openServer } from "../kit/databases/postgres/databases.js";
import { startServer } from "../kit/server.js";
import { seedKeys } from "../kit/server/six-keys.js";

const elsewhere = "Redis at redis.internal:6379/0, prefix hearth";

it("a server warns of another one that counts rate limits elsewhere, and hearth doctor names it while it runs", async () => {
  const url = await newPostgresUrl();
  const database = await openServer(url, { name: "first" });
  await seedKeys(database);
  const other = await openServer(url, { name: "second", limitsPlace: elsewhere });
  const { logs } = await startServer({ engine: () => ["Good"], database });
  expect(logs.filter(({ level }) => level === "warn")).toEqual([
    {
      level: "warn",
      fields: { server: "second", countsIn: elsewhere, thisCountsIn: "PostgreSQL" },
      message:
        "another server of this database counts rate limits elsewhere: set the same redisUrl and redisPrefix for both",
    },
  ]);
  const { config } = loadConfig({ HEARTH_DATABASE_URL: url });
  const check = () => serversChecks(config, () => runningServers(config));
  expect(await check()).toEqual([
    {
      name: "servers",
      ok: false,
      detail: `rate limits are counted in different places, second in ${elsewhere}, by these settings in PostgreSQL: set the same redisUrl and redisPrefix for all servers`,
    },
  ]);
  await other.close();
  expect(await check()).toEqual([
    { name: "servers", ok: true, detail: "first runs; rate limits are counted in PostgreSQL" },
  ]);
});

it("hearth doctor says why the database of the servers cannot be used", async () => {
  const { config } = loadConfig({ HEARTH_DATABASE_URL: "postgres://hearth:secret@127.0.0.1:1/hearth" });
  const [check] = await serversChecks(config, () => runningServers(config));
  expect(check).toMatchObject({ name: "servers", ok: false });
  expect(check?.detail).toContain("cannot use the database");
  expect(check?.detail).not.toContain("secret");
});

it("servers that count in the same Redis say so equally, however its address is written, and never with its password", () => {
  const placeOf = (redisUrl: string) => describeLimitsPlace({ redisUrl, redisPrefix: "hearth" });
  expect(placeOf("rediss://hearth:secret@redis.internal")).toBe(elsewhere);
  expect(placeOf("redis://redis.internal:6379/0")).toBe(elsewhere);
  expect(placeOf("redis://redis.internal:6380/2")).toBe("Redis at redis.internal:6380/2, prefix hearth");
});
