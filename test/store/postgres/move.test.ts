import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { creditTransaction } from "../../../src/accounts/money/ledger.js";
import { buildAccountStores } from "../../../src/app/accounts.js";
import { moveDatabase } from "../../../src/backup/move-database.js";
import type { Progress } from "../../../src/core/report/progress.js";
import { openDatabase } from "../../../src/store/database.js";
import { moveToPostgres } from "../../../src/store/postgres/move.js";
import { systemClock } from "../../../src/system/clock.js";
import { newPostgresUrl, openBeside, openServer } from "../../kit/databases/postgres/databases.js";
import { aTeam } from "../records.js";

import { closing, manyRuns, rowsOf, world } from "./moved.js";

describe("a move from SQLite to PostgreSQL", () => {
  it("takes every row, keeps the books, and new rows get new ids", async () => {
    const { config, file, url } = await world(manyRuns);
    const progress: Progress[] = [];
    const report = await moveDatabase(config, (step) => void progress.push(step));
    expect(report.tables.find(({ name }) => name === "ledger_transactions")).toEqual({
      name: "ledger_transactions",
      rows: 5001,
    });
    expect(progress.at(-1)?.done).toBe(progress.at(-1)?.total);
    const [before, after] = [
      await closing(await openDatabase(file), rowsOf),
      await closing(await openBeside(url), rowsOf),
    ];
    expect(Object.keys(after).sort()).toEqual(Object.keys(before).sort());
    for (const [table, rows] of Object.entries(before)) expect([table, after[table]]).toEqual([table, rows]);
    const server = await openServer(url);
    onTestFinished(() => server.close());
    const { ledger } = buildAccountStores(server);
    await ledger.post(creditTransaction("purchase", { teamId: "team-1", ticks: 7, note: null }, 7000));
    expect(await ledger.readBalances("team-1")).toMatchObject({ credit: 2507n, revenue: 2500n });
    expect(await ledger.verify()).toEqual([]);
  });

  it("goes on after a break, before which no server starts on that database", async () => {
    const { config, file, url } = await world(manyRuns);
    const interrupt = (): void => {
      throw new Error("interrupted");
    };
    const move = (onProgress: (step: Progress) => void) =>
      moveToPostgres({ file, url, clock: systemClock, onProgress, verify: () => Promise.resolve() });
    await expect(
      move(({ phase, done }) => {
        if (phase === "copying ledger_entries" && done > 2000) interrupt();
      }),
    ).rejects.toThrow(/interrupted$/);
    await expect(openBeside(url)).rejects.toThrow(
      "`hearth migrate` was interrupted while it moved data into it",
    );
    await moveDatabase(config, () => undefined);
    const [before, after] = [
      await closing(await openDatabase(file), rowsOf),
      await closing(await openBeside(url), rowsOf),
    ];
    expect(after).toEqual(before);
  });

  it("refuses a database that has data of another server, and one into which another one was being moved", async () => {
    const { config, url } = await world();
    const other = await openBeside(url);
    await buildAccountStores(other).teams.insert(aTeam({ id: "another team" }));
    await expect(moveDatabase(config, () => undefined)).rejects.toThrow(/it has data already/);
    await sql`delete from teams`.execute(other.kysely);
    await sql`create table data_move (part text primary key, id text)`.execute(other.kysely);
    await sql`insert into data_move values ('source', 'another')`.execute(other.kysely);
    await other.close();
    await expect(moveDatabase(config, () => undefined)).rejects.toThrow(
      /another SQLite database was being moved/,
    );
  });

  it("refuses a database that a server uses, and names that server, not one of another database beside it", async () => {
    const { config, url } = await world();
    for (const used of [await newPostgresUrl(), await newPostgresUrl(), url]) {
      const server = await openServer(used);
      onTestFinished(() => server.close());
    }
    const beside = await openBeside(url);
    onTestFinished(() => beside.close());
    const { rows } = await sql<{ readonly since: string }>`select cast(backend_start as text) as since
      from pg_stat_activity where datname = current_database()`.execute(beside.kysely);
    const refusal = await moveDatabase(config, () => undefined).then(() => "moved", String);
    expect(refusal).toMatch(/another Hearth server \(from .*\) uses this database/);
    expect(rows.map(({ since }) => since)).toContain(/since (.*)\)/.exec(refusal)?.[1]);
  });
});
