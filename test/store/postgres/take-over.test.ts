import pg from "pg";
import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { createLostRuns, createTakeOver } from "../../../src/jobs/take-over.js";
import { createTeamStore } from "../../../src/accounts/teams/store.js";
import { silentLogger } from "../../../src/core/logger.js";
import { createRunStore } from "../../../src/inference/run/store/runs.js";
import { createPullStore } from "../../../src/jobs/pulls/store.js";
import { createJobStore } from "../../../src/jobs/store.js";
import { parsePostgresUrl } from "../../../src/store/postgres/address.js";
import { nodeSpace } from "../../../src/store/postgres/locks.js";
import { joinNodes } from "../../../src/store/postgres/nodes.js";
import { applicationName, clientConfig } from "../../../src/store/postgres/pool.js";
import { createWrites } from "../../../src/store/writes.js";
import { systemClock } from "../../../src/system/clock.js";
import { newPostgresUrl, openServer } from "../../kit/databases/postgres/databases.js";
import { createManualClock } from "../../kit/manual-clock.js";
import { eventually } from "../../kit/until.js";
import { aJob, aRun, aTeam } from "../records.js";

const otherNode = { name: "other", storageId: "files", limitsPlace: "PostgreSQL" };

/** Opens a new database as a server does, with a team. */
async function startServer() {
  const url = await newPostgresUrl();
  const database = await openServer(url);
  onTestFinished(() => database.close());
  const [runs, jobs, writes] = [createRunStore(database), createJobStore(database), createWrites(database)];
  await createTeamStore(database).insert(aTeam());
  const pulls = createPullStore(database);
  const deps = { runs, jobs, pulls, writes, clock: systemClock, logger: silentLogger };
  return { url, database, runs, jobs, writes, deps, takeOver: createTakeOver(database.nodes, deps) };
}

it("a server that has ended has its runs interrupted once and its jobs queued again; one that runs keeps both", async () => {
  const { url, database, runs, jobs, writes, takeOver } = await startServer();
  const other = new pg.Client(clientConfig(parsePostgresUrl(url)));
  other.on("error", () => undefined);
  await other.connect();
  const node = await joinNodes(other, otherNode, 1000);
  await runs.insert(aRun({ id: "run-own" }), []);
  await runs.insert(aRun({ id: "run-other", reservedTicks: null }), []);
  await writes.commit([jobs.insertion(aJob({ id: "job-own" })), jobs.insertion(aJob({ id: "job-other" }))]);
  await jobs.claimById("job-own", 1000, 9e15);
  await jobs.claimById("job-other", 1000, 1001);
  await sql`update runs set node_id = ${node} where id = 'run-other'`.execute(database.kysely);
  await sql`update jobs set node_id = ${node} where id = 'job-other'`.execute(database.kysely);
  const states = async (): Promise<Record<string, string>> =>
    Object.fromEntries((await runs.list(10)).map(({ id, state }) => [id, state]));

  expect(await takeOver.once()).toBe(0);
  expect(await states()).toEqual({ "run-own": "running", "run-other": "running" });

  await other.end();
  await eventually(async () => expect(await takeOver.once()).toBe(1));
  expect(await states()).toEqual({ "run-own": "running", "run-other": "interrupted" });
  expect(await jobs.claimById("job-own", 2000, 9e15)).toBeNull();
  expect(await jobs.claimById("job-other", 2000, 9e15)).toMatchObject({ id: "job-other", attempts: 2 });
  expect(await takeOver.once()).toBe(0);
});

it("what the connections of an ended server were doing is rolled back before its runs are taken over", async () => {
  const { url, database, runs, takeOver } = await startServer();
  const connect = async (name: string): Promise<pg.Client> => {
    const client = new pg.Client({ ...clientConfig(parsePostgresUrl(url)), application_name: name });
    client.on("error", () => undefined);
    await client.connect();
    onTestFinished(() => client.end().catch(() => undefined));
    return client;
  };
  const lock = await connect("hearth");
  const node = await joinNodes(lock, otherNode, 1000);
  await runs.insert(aRun({ id: "run-other", reservedTicks: null }), []);
  await sql`update runs set node_id = ${node} where id = 'run-other'`.execute(database.kysely);
  const open = await connect(applicationName(node));
  await open.query("begin");
  await open.query(
    "update runs set state = 'completed', end_time = 5, cost_ticks = 7 where id = 'run-other'",
  );

  expect(await takeOver.once()).toBe(0);
  expect((await open.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  await lock.end();
  await eventually(async () => expect(await takeOver.once()).toBe(1));

  expect(await runs.list(10)).toMatchObject([{ id: "run-other", state: "interrupted", costTicks: 0 }]);
  await expect(open.query("commit")).rejects.toThrow();
});

it("a server that cannot be taken over yet is tried again, and keeps no other one from being taken over", async () => {
  const { database, runs, writes, deps } = await startServer();
  for (const node of [98, 99]) {
    await runs.insert(aRun({ id: `run-${node}`, requestId: `request-${node}`, reservedTicks: null }), []);
    await sql`update runs set node_id = ${node} where id = ${`run-${node}`}`.execute(database.kysely);
  }
  const failures = [new Error("its rows are locked")];
  const logged: unknown[] = [];
  const takeOver = createTakeOver(database.nodes, {
    ...deps,
    writes: {
      async commit(all) {
        const failure = failures.pop();
        if (failure !== undefined) throw failure;
        await writes.commit(all);
      },
    },
    logger: { ...silentLogger, error: (details) => logged.push(details) },
  });
  const running = async () =>
    (await runs.list(10)).filter(({ state }) => state === "running").map(({ id }) => id);

  expect(await takeOver.once()).toBe(1);
  expect(await running()).toEqual(["run-98"]);
  expect(logged).toMatchObject([{ node: 98, err: { message: "its rows are locked" } }]);
  expect(await takeOver.once()).toBe(1);
  expect(await running()).toEqual([]);
});

it("what got the number of an ended server after the take-over is taken over, too, unless that server runs again", async () => {
  const { url, database, runs, jobs, writes, takeOver } = await startServer();
  await writes.commit([jobs.insertion(aJob({ id: "job-late" }))]);
  await jobs.claimById("job-late", 1000, 1001);
  await runs.insert(aRun({ id: "run-late", reservedTicks: null }), []);
  await sql`update runs set node_id = 99`.execute(database.kysely);
  await sql`update jobs set node_id = 99`.execute(database.kysely);
  const running = new pg.Client(clientConfig(parsePostgresUrl(url)));
  await running.connect();
  await running.query("select pg_advisory_lock($1, 99)", [nodeSpace]);
  expect(await takeOver.once()).toBe(0);
  await running.end();
  await eventually(async () => expect(await takeOver.once()).toBe(1));
  expect(await runs.list(10)).toMatchObject([{ id: "run-late", state: "interrupted" }]);
  expect(await jobs.claimById("job-late", 2000, 9e15)).toMatchObject({ id: "job-late" });
  expect(await takeOver.once()).toBe(0);
});

it("a run of this server whose end the database has lost is interrupted after ten seconds, and no run that goes on", async () => {
  const database = await openServer(await newPostgresUrl());
  onTestFinished(() => database.close());
  const [runs, writes] = [createRunStore(database), createWrites(database)];
  await createTeamStore(database).insert(aTeam());
  await runs.insert(aRun({ id: "run-lost", reservedTicks: null }), []);
  await runs.insert(aRun({ id: "run-live", reservedTicks: null }), []);
  const clock = createManualClock(0);
  const isLive = (id: string) => id === "run-live";
  const look = createLostRuns(isLive, { runs, writes, clock, logger: silentLogger });
  const states = async (): Promise<Record<string, string>> =>
    Object.fromEntries((await runs.list(10)).map(({ id, state }) => [id, state]));

  await look();
  clock.advance(9_999);
  await look();
  expect(await states()).toEqual({ "run-lost": "running", "run-live": "running" });
  clock.advance(1);
  await look();
  expect(await states()).toEqual({ "run-lost": "interrupted", "run-live": "running" });
});
