import { existsSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { createTeamStore } from "../../src/accounts/teams/store.js";
import { openDatabase } from "../../src/store/database.js";
import { aTeam, temporaryFolder } from "./records.js";

/** A database with a team, closed. */
async function usedDatabase(): Promise<string> {
  const file = join(temporaryFolder(), "hearth.db");
  const database = await openDatabase(file);
  await createTeamStore(database).insert(aTeam());
  await database.close();
  return file;
}

const teamsOf = async (file: string): Promise<number> => {
  const database = await openDatabase(file);
  const teams = await createTeamStore(database).list();
  await database.close();
  return teams.length;
};

describe("F17: openDatabase refuses to begin with an empty database where there was another one:", () => {
  const cases: readonly [string, (file: string) => void, string][] = [
    ["removed", (file) => rmSync(file), "it is missing, but hearth.db-created shows"],
    ["emptied", (file) => truncateSync(file), "it is empty, but hearth.db-created shows"],
    ["replaced by one without tables", replaceByEmpty, "it is empty, but hearth.db-created shows"],
    [
      "removed with its marker, but not with its log",
      (file) => {
        renameSync(`${file}-created`, `${file}-wal`);
        rmSync(file);
      },
      "it is missing, but hearth.db-wal shows",
    ],
  ];
  it.each(cases)("%s, and accepts the file again or --new-database", async (_, lose, message) => {
    const file = await usedDatabase();
    const content = readFileSync(file);
    lose(file);
    await expect(openDatabase(file)).rejects.toThrow(`cannot use the database ${file}: ${message}`);
    const isLeft = existsSync(file);
    // A refusal changes nothing.
    await expect(openDatabase(file)).rejects.toThrow(message);
    expect(existsSync(file)).toBe(isLeft);

    rmSync(`${file}-wal`, { force: true });
    writeFileSync(file, content);
    expect(await teamsOf(file)).toBe(1);

    lose(file);
    await (await openDatabase(file, { newDatabase: "allowed" })).close();
    expect(await teamsOf(file)).toBe(0);
  });

  it("and --new-database keeps the log of the lost one, and never replaces one with tables", async () => {
    const file = await usedDatabase();
    rmSync(file);
    writeFileSync(`${file}-wal`, "the only copy of what was written last");
    await (await openDatabase(file, { newDatabase: "allowed" })).close();
    expect(readFileSync(`${file}-wal.old`, "utf8")).toBe("the only copy of what was written last");
    await expect(openDatabase(file, { newDatabase: "allowed" })).rejects.toThrow(
      "it has data: --new-database starts only where",
    );
  });

  it("and accepts the database of a version that left no marker, and marks it, readable only by its owner", async () => {
    const file = await usedDatabase();
    rmSync(`${file}-created`);
    expect(await teamsOf(file)).toBe(1);
    expect(statSync(`${file}-created`).mode & 0o777).toBe(0o600);
  });
});

/** SQLite writes a header, and no table. */
function replaceByEmpty(file: string): void {
  rmSync(file);
  new Sqlite(file).exec("vacuum; pragma journal_mode = wal").close();
}
