/** When two transactions wait for rows that the other one has locked, the database ends one after a second. */
import pg from "pg";
import { sql } from "kysely";
import { expect, it, vi } from "vitest";
import { createTakeOver } from "../../../src/jobs/take-over.js";
import {
  creditTransaction,
  reserveTransaction,
  settleTransaction,
} from "../../../src/accounts/money/ledger.js";
import { createLedgerStore } from "../../../src/accounts/money/store/ledger.js";
import { createTeamStore } from "../../../src/accounts/teams/store.js";
import { silentLogger } from "../../../src/core/logger.js";
import { createRunStore } from "../../../src/inference/run/store/runs.js";
import { createPullStore } from "../../../src/jobs/pulls/store.js";
import { createJobStore } from "../../../src/jobs/store.js";
import type { Database } from "../../../src/store/database.js";
import { createWrites } from "../../../src/store/writes.js";
import { systemClock } from "../../../src/system/clock.js";
import { newPostgresUrl, openBeside, openServer } from "../../kit/databases/postgres/databases.js";
import { aRun, aTeam } from "../records.js";

const teams = ["team-1", "team-2"];
const member = "user-1";
const reservedTicks = 10;
const spend = { tags: ["nightly"], metadata: [], endUser: null };

/** Two teams that pay in advance, with budgets of all kinds and a monthly limit. */
async function addTeams(database: Database): Promise<void> {
  const ledger = createLedgerStore(database);
  for (const id of teams) {
    await createTeamStore(database).insert(aTeam({ id, name: id, billing: "prepaid" }));
    await ledger.post(creditTransaction("purchase", { teamId: id, ticks: 1e12, note: null }, 0));
    const limits = { hardTicks: 1e12, softTicks: null };
    await database.kysely
      .insertInto("spendingLimits")
      .values({ teamId: id, ...limits })
      .execute();
    const subjects = [
      { subject: "key", subjectId: "key-1" },
      { subject: "member", subjectId: member },
      { subject: "tag", subjectId: "tag:nightly" },
      { subject: "team", subjectId: id },
    ] as const;
    const budgets = subjects.map((of) => ({
      ...{ ...of, teamId: id, period: "month" as const, createTime: 1 },
      ...{ ...limits, hardTokens: null, softTokens: null },
    }));
    await database.kysely.insertInto("budgets").values(budgets).execute();
  }
}

/** Returns what begins and ends runs as requests do. */
function runsOf(database: Database) {
  const [runs, ledger] = [createRunStore(database), createLedgerStore(database)];
  const posting = (written: Parameters<typeof ledger.posting>[0] | null) =>
    written === null ? [] : ledger.posting(written);
  const budgeted = { userId: member, bound: { ticks: reservedTicks, tokens: 5 } };
  return {
    begin: (id: string, teamId: string) =>
      runs.insert(
        aRun({ id, requestId: id, teamId, reservedTicks, budgeted, labelled: { text: null, spend } }),
        posting(reserveTransaction({ id, teamId }, reservedTicks, 5000)),
      ),
    end: (id: string, teamId: string) =>
      runs.finish(
        id,
        { state: "completed", usage: aRun().usage, costTicks: 4, endTime: 6000 },
        posting(settleTransaction({ id, teamId }, { reservedTicks, chargeTicks: 4 }, 6000)),
      ),
  };
}

/** Returns how often the database has ended a transaction. What its connections have counted it knows when they have ended. */
async function deadlocksOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await vi.waitUntil(async () => {
      const text = `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
      return (await client.query(text)).rows.length === 0;
    });
    const text = "select deadlocks from pg_stat_database where datname = current_database()";
    return Number((await client.query<{ readonly deadlocks: string }>(text)).rows[0]?.deadlocks);
  } finally {
    await client.end();
  }
}

it("runs that begin and end, and the take-over of others of the same teams, never deadlock", async () => {
  const url = await newPostgresUrl();
  const before = await deadlocksOf(url);
  const [database, beside] = [await openServer(url), await openBeside(url)];
  await addTeams(database);
  const { begin, end } = runsOf(beside);
  const deps = { clock: systemClock, logger: silentLogger, writes: createWrites(database) };
  const stores = {
    runs: createRunStore(database),
    jobs: createJobStore(database),
    pulls: createPullStore(database),
  };
  const takeOver = createTakeOver(database.nodes, { ...stores, ...deps });
  let isTakenOver = false;
  const requests = async (worker: number): Promise<void> => {
    for (let at = 0; !isTakenOver || at < 10; at += 1)
      for (const team of teams) {
        await begin(`run-${worker}-${at}-${team}`, team);
        await end(`run-${worker}-${at}-${team}`, team);
      }
  };
  const takeOverFrom = async (node: number): Promise<void> => {
    for (const team of teams)
      for (let at = 0; at < 3; at += 1) await begin(`lost-${node}-${at}-${team}`, team);
    await sql`update runs set node_id = ${node} where id like ${`lost-${node}-%`}`.execute(beside.kysely);
    expect(await takeOver.once()).toBe(1);
  };
  const takeOvers = async (): Promise<void> => {
    try {
      for (let node = 100; node < 130; node += 1) await takeOverFrom(node);
    } finally {
      isTakenOver = true;
    }
  };
  await Promise.all([takeOvers(), ...Array.from({ length: 6 }, (_, worker) => requests(worker))]);

  expect(await createLedgerStore(database).verify()).toEqual([]);
  await Promise.all([database.close(), beside.close()]);
  expect((await deadlocksOf(url)) - before).toBe(0);
});
