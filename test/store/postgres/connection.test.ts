import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTeamStore } from "../../../src/accounts/teams/store.js";
import { createLedgerStore } from "../../../src/accounts/money/store/ledger.js";
import { creditTransaction } from "../../../src/accounts/money/ledger.js";
import { createJobStore } from "../../../src/jobs/store.js";
import type { Database } from "../../../src/store/database.js";
import { DatabaseHealth } from "../../../src/store/health.js";
import { inThisDatabase, serverLock } from "../../../src/store/postgres/locks.js";
import { openPostgres } from "../../../src/store/postgres/open.js";
import { createWrites } from "../../../src/store/writes.js";
import { systemClock } from "../../../src/system/clock.js";
import { createManualClock } from "../../kit/manual-clock.js";
import { newPostgresUrl, openBeside, openServer } from "../../kit/databases/postgres/databases.js";
import { proxyOf } from "../../kit/databases/postgres/proxy.js";
import { aJob, aTeam } from "../records.js";
import { until, eventually } from "../../kit/until.js";

async function open(url: string, isServer = false): Promise<Database> {
  const database = await (isServer
    ? openServer(url)
    : openPostgres({ url, connectionsMax: 4, clock: systemClock, server: null }));
  onTestFinished(() => database.close());
  return database;
}

describe("a lost connection", () => {
  it("is overloaded with a time to try again, is seen by the check of the database, and ends by itself", async () => {
    const proxy = await proxyOf(await newPostgresUrl());
    const database = await open(proxy.url);
    const clock = createManualClock(0);
    const health = new DatabaseHealth(database, clock, () => undefined);
    const teams = createTeamStore(database);
    await teams.insert(aTeam());
    expect(await health.problem()).toBeNull();
    proxy.cut();
    await expect(teams.list()).rejects.toMatchObject({ kind: "overloaded", retryAfterSeconds: 5 });
    await expect(teams.insert(aTeam({ id: "team-2" }))).rejects.toMatchObject({ kind: "overloaded" });
    const writes = createWrites(database);
    await expect(writes.commit([createJobStore(database).insertion(aJob())])).rejects.toMatchObject({
      kind: "overloaded",
    });
    expect(await health.problem()).toBe("the database does not answer");
    proxy.restore();
    clock.advance(1000);
    expect(await health.problem()).toBeNull();
    expect(await teams.list()).toEqual([aTeam()]);
  });

  describe("during a transaction", () => {
    async function world() {
      const url = await newPostgresUrl();
      const proxy = await proxyOf(url);
      const database = await open(proxy.url);
      await createTeamStore(database).insert(aTeam({ billing: "prepaid" }));
      const [ledger, jobs] = [createLedgerStore(database), createJobStore(database)];
      const purchase = creditTransaction("purchase", { teamId: "team-1", ticks: 700, note: null }, 1000);
      // Its statements are prepared from now on, so that it is one message.
      await ledger.post(purchase);
      await createWrites(database).commit([jobs.insertion(aJob({ id: "job-0" }))]);
      const beside = await openBeside(url);
      onTestFinished(() => beside.close());
      return { proxy, database, ledger, jobs, purchase, beside: beside.kysely };
    }

    it("that was committed neither loses the transaction nor makes it twice", async () => {
      const { proxy, ledger, purchase } = await world();
      proxy.cutAfter("; commit");
      await ledger.post(purchase);
      expect(await ledger.readBalances("team-1")).toMatchObject({ credit: 1400n, purchases: -1400n });
      expect(await ledger.verify()).toEqual([]);
    });

    it("that was not sent is overloaded, and makes nothing", async () => {
      const { proxy, ledger, purchase } = await world();
      proxy.cutBefore("; commit");
      await expect(ledger.post(purchase)).rejects.toMatchObject({ kind: "overloaded" });
      expect(await ledger.readBalances("team-1")).toMatchObject({ credit: 700n, purchases: -700n });
    });

    it("that waits for another one ends it: what was overloaded is not made afterwards", async () => {
      const { proxy, database, jobs, beside } = await world();
      const other = await beside.startTransaction().execute();
      await other.deleteFrom("jobs").where("id", "=", "job-0").execute();
      const ended = createWrites(database).commit([jobs.end("job-0")]);
      const waiting = sql<{ readonly count: number }>`select count(*) as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      await eventually(async () => expect((await waiting.execute(beside)).rows).toEqual([{ count: 1 }]));
      proxy.cut();
      proxy.restore();
      await expect(ended).rejects.toMatchObject({ kind: "overloaded" });
      await other.rollback().execute();
      expect(await jobs.find("job-0")).not.toBeNull();
    });
  });

  it("before the commit undoes the transaction", async () => {
    const proxy = await proxyOf(await newPostgresUrl());
    const database = await open(proxy.url);
    await createTeamStore(database).insert(aTeam());
    const jobs = createJobStore(database);
    proxy.cutAfter("insert into");
    const twice = [jobs.insertion(aJob()), jobs.insertion(aJob({ id: "job-2" }))];
    await expect(createWrites(database).commit(twice)).rejects.toMatchObject({ kind: "overloaded" });
    expect(await jobs.find("job-1")).toBeNull();
    await createWrites(database).commit(twice);
    expect(await jobs.find("job-2")).toEqual(aJob({ id: "job-2" }));
  });
});

describe("a server", () => {
  it("shares its database with another one that sees the same files, and refuses one that sees others", async () => {
    const url = await newPostgresUrl();
    const first = await openServer(url, { name: "first" });
    await expect(openServer(url, { name: "other", storageId: "other files" })).rejects.toThrow(
      /^cannot use the database postgres:\/\/postgres@127.0.0.1.*: the server first uses it, too, and has its files in another folder: set sharedFolder/,
    );
    const second = await open(url, true);
    await createTeamStore(first).insert(aTeam());
    expect(await createTeamStore(second).list()).toEqual([aTeam()]);
    await first.close();
    await second.close();
    const moved = await openServer(url, { storageId: "other files" });
    expect(await createTeamStore(moved).list()).toEqual([aTeam()]);
    await moved.close();
  });

  it("does what only one may do alone, however often it asks at the same time, until the one that does it has ended", async () => {
    const url = await newPostgresUrl();
    const first = await openServer(url, { name: "first" });
    const second = await open(url, true);
    const asks = (server: Database): Promise<boolean[]> =>
      Promise.all([server.nodes.leads("alerts"), server.nodes.leads("alerts")]);
    expect(await asks(first)).toEqual([true, true]);
    expect(await asks(second)).toEqual([false, false]);
    const held = await Promise.all([second.nodes.hold("batch 1"), second.nodes.hold("batch 1")]);
    expect(held.map((release) => release !== null)).toEqual([true, false]);
    expect(await first.nodes.hold("batch 1")).toBeNull();
    held[0]?.();
    await eventually(async () => expect(await first.nodes.hold("batch 1")).not.toBeNull());
    await first.close();
    await eventually(async () => expect(await asks(second)).toEqual([true, true]));
  });

  it("writes nothing while it has lost its lock, and goes on when it has it again", async () => {
    const url = await newPostgresUrl();
    const clock = createManualClock(0);
    const server = await openServer(url, { clock });
    onTestFinished(() => server.close());
    const beside = await openBeside(url);
    onTestFinished(() => beside.close());
    const teams = createTeamStore(server);
    await teams.insert(aTeam());
    // Other tests hold the same lock in databases of their own.
    await sql`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objid = ${serverLock}
      and ${sql.raw(inThisDatabase)}`.execute(beside.kysely);
    await until(() => server.guard.lost() !== null);
    await expect(teams.insert(aTeam({ id: "team-2" }))).rejects.toMatchObject({ kind: "overloaded" });
    expect(await teams.list()).toEqual([aTeam()]);
    clock.advance(5000);
    await until(() => server.guard.lost() === null);
    await teams.insert(aTeam({ id: "team-2" }));
    expect(await teams.list()).toHaveLength(2);
  });

  it("gives up what waits for a database that has fallen silent when its lock is lost, and goes on when it answers", async () => {
    const proxy = await proxyOf(await newPostgresUrl());
    const clock = createManualClock(0);
    const server = await openServer(proxy.url, { clock });
    onTestFinished(() => server.close());
    const teams = createTeamStore(server);
    await teams.insert(aTeam());
    const write = (id: string) =>
      createWrites(server).commit([createJobStore(server).insertion(aJob({ id }))]);
    // Two connections, on each of which a transaction is one message from now on.
    await Promise.all([write("job-1"), write("job-2")]);
    proxy.hang();
    const beganAt = performance.now();
    const waiting = teams.list().catch((thrown: unknown) => thrown);
    let written: unknown = null;
    void write("job-3").catch((thrown: unknown) => (written = thrown));
    clock.advance(3000);
    expect(await waiting).toMatchObject({ kind: "overloaded", retryAfterSeconds: 5 });
    // The library's own timers: 5 seconds of the lock, and not the 35 of a statement.
    expect(performance.now() - beganAt).toBeLessThan(20_000);
    // The lock and two connections: where only answers are lost, the database learns at once that they have ended.
    await until(() => proxy.resets() === 3);
    const health = new DatabaseHealth(server, createManualClock(0), () => undefined);
    const askedAt = performance.now();
    expect(await health.problem()).toBe("the connection to the database was lost: Query read timeout");
    expect(performance.now() - askedAt).toBeLessThan(20_000);
    // Whether it was written is asked for five seconds, in attempts to connect of which each takes as long.
    await until(() => {
      clock.advance(1000);
      return written !== null;
    });
    expect(written).toMatchObject({ kind: "overloaded", retryAfterSeconds: 5 });
    expect(performance.now() - beganAt).toBeLessThan(30_000);
    proxy.unhang();
    await until(() => {
      clock.advance(1000);
      return server.guard.lost() === null;
    });
    expect(await teams.list()).toEqual([aTeam()]);
  }, 60_000);

  it("refuses a database of a newer version", async () => {
    const url = await newPostgresUrl();
    const database = await openBeside(url);
    await sql`update schema_version set version = 1000`.execute(database.kysely);
    await database.close();
    await expect(open(url)).rejects.toThrow(
      /newer version of Hearth \(schema 1000; this one knows \d+\): upgrade/,
    );
  });
});

it("errors name the database without its password", async () => {
  const wrong = new URL(await newPostgresUrl());
  wrong.password = "a-wrong-password";
  await expect(open(wrong.href)).rejects.toThrow(
    /^cannot use the database postgres:\/\/postgres@127.0.0.1:\d+\/\w+: the user or the password is wrong \(28P01\)$/,
  );
});
