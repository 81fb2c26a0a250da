import pg from "pg";
import { sql } from "kysely";
import { expect, it, onTestFinished, vi } from "vitest";
import { createTakeOver } from "../../../src/app/jobs/take-over.js";
import { createTeamStore } from "../../../src/accounts/teams/store.js";
import { silentLogger } from "../../../src/core/logger.js";
import { createRunStore } from "../../../src/inference/run/store/runs.js";
import { createPullStore } from "../../../src/jobs/pulls/store.js";
import { createJobStore } from "../../../src/jobs/store.js";
import { parsePostgresUrl } from "../../../src/store/postgres/address.js";
import { joinNodes } from "../../../src/store/postgres/nodes.js";
import { clientConfig } from "../../../src/store/postgres/pool.js";
import { createWrites } from "../../../src/store/writes.js";
import { systemClock } from "../../../src/system.js";
import { newPostgresUrl, openServer } from "../../postgres/databases.js";
import { aJob, aRun, aTeam } from "../records.js";

it("a server that has ended has its runs interrupted once and its jobs queued again; one that runs keeps both", async () => {
  const url = await newPostgresUrl();
  const database = await openServer(url);
  onTestFinished(() => database.close());
  const [runs, jobs, writes] = [createRunStore(database), createJobStore(database), createWrites(database)];
  await createTeamStore(database).insert(aTeam());
  const other = new pg.Client(clientConfig(parsePostgresUrl(url)));
  other.on("error", () => undefined);
  await other.connect();
  const node = await joinNodes(other, { name: "other", storageId: "files" }, 1000);
  await runs.insert(aRun({ id: "run-own" }), []);
  await runs.insert(aRun({ id: "run-other", reservedTicks: null }), []);
  await writes.commit([jobs.insertion(aJob({ id: "job-own" })), jobs.insertion(aJob({ id: "job-other" }))]);
  await jobs.claimById("job-own", 1000, 9e15);
  await jobs.claimById("job-other", 1000, 1001);
  await sql`update runs set node_id = ${node} where id = 'run-other'`.execute(database.kysely);
  await sql`update jobs set node_id = ${node} where id = 'job-other'`.execute(database.kysely);
  const takeOver = createTakeOver(database.nodes, {
    runs,
    jobs,
    pulls: createPullStore(database),
    writes,
    clock: systemClock,
    logger: silentLogger,
  });
  const states = async (): Promise<Record<string, string>> =>
    Object.fromEntries((await runs.list(10)).map(({ id, state }) => [id, state]));

  expect(await takeOver.once()).toBe(0);
  expect(await states()).toEqual({ "run-own": "running", "run-other": "running" });

  await other.end();
  await vi.waitFor(async () => expect(await takeOver.once()).toBe(1));
  expect(await states()).toEqual({ "run-own": "running", "run-other": "interrupted" });
  expect(await jobs.claimById("job-own", 2000, 9e15)).toBeNull();
  expect(await jobs.claimById("job-other", 2000, 9e15)).toMatchObject({ id: "job-other", attempts: 2 });
  expect(await takeOver.once()).toBe(0);
});
