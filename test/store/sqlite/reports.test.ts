import { join } from "node:path";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTeamStore } from "../../../src/accounts/teams/store.js";
import { openDatabase, type Database } from "../../../src/store/database.js";
import { chunkRows } from "../../../src/store/sqlite/reports/protocol.js";
import { ReportReader } from "../../../src/store/sqlite/reports/reader.js";
import { workerUrls } from "../../kit/worker-urls.js";
import { writeNewDatabase } from "../../kit/databases/new-database.js";
import { aTeam, temporaryFolder } from "../records.js";

const { reportsWorkerUrl } = workerUrls;

async function opened(): Promise<Database> {
  const file = join(temporaryFolder(), "hearth.db");
  await writeNewDatabase(file);
  const database = await openDatabase(file, { reportsWorkerUrl });
  onTestFinished(() => database.close());
  return database;
}

/** Counts to a number, which takes a second for some ten million. */
const countingText = (to: number) =>
  `with recursive n (n) as (select 1 union all select n + 1 from n where n < ${to}) select max(n) as n from n`;

describe("F24: a report", () => {
  it("reads what was committed before it, on a connection that cannot write", async () => {
    const database = await opened();
    await createTeamStore(database).insert(aTeam());
    const { rows } = await sql<{ name: string }>`select name from teams`.execute(database.reports);
    expect(rows).toEqual([{ name: "default" }]);
    await expect(sql`delete from teams`.execute(database.reports)).rejects.toThrow();
    await expect(sql`select absent from teams`.execute(database.reports)).rejects.toThrow(/no such column/);
    await expect(database.reports.transaction().execute(() => Promise.resolve())).rejects.toThrow(
      /single statements/,
    );
    expect(await createTeamStore(database).find("team-1")).not.toBeNull();
  });

  it("lets the event loop turn while it reads, and while its rows arrive", async () => {
    const database = await opened();
    let turns = 0;
    let isReading = true;
    const turn = (): void => {
      turns += 1;
      if (isReading) setImmediate(turn);
    };
    setImmediate(turn);
    await sql.raw(countingText(1_000_000)).execute(database.reports);
    const read = turns;
    expect(read).toBeGreaterThan(10);
    const many = sql<{
      n: number;
    }>`with recursive n (n) as (select 1 union all select n + 1 from n limit 20000) select n from n`;
    const { rows } = await many.execute(database.reports);
    isReading = false;
    expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: 20_000 }, (_, index) => index + 1));
    // The rows come in parts, between which other work is done.
    expect(turns - read).toBeGreaterThan(20_000 / chunkRows / 2);
  });

  it("is refused when too many wait, and others are read; closing ends all", async () => {
    const file = join(temporaryFolder(), "hearth.db");
    await writeNewDatabase(file);
    const reader = new ReportReader(file, reportsWorkerUrl);
    const slow = Array.from({ length: 2 }, () => reader.read(countingText(3_000_000), []));
    const waiting = Array.from({ length: 256 }, () => reader.read("select 1 as one", []));
    await expect(reader.read("select 1", [])).rejects.toMatchObject({ kind: "overloaded" });
    await Promise.all(slow);
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => [{ one: 1 }]));
    const last = reader.read("select 1", []);
    await Promise.all([reader.close(), expect(last).rejects.toMatchObject({ kind: "overloaded" })]);
    await expect(reader.read("select 1", [])).rejects.toMatchObject({ kind: "overloaded" });
  });
});
