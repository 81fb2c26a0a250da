import { chmodSync, mkdirSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDatabase } from "../../src/store/database.js";
import { createTeamStore } from "../../src/accounts/teams/store.js";
import { aTeam, temporaryDatabase, temporaryFolder } from "./records.js";

describe("openDatabase", () => {
  it("creates the folder and the file readable only by their owner", async () => {
    const file = join(temporaryFolder(), "a", "data", "hearth.db");
    const database = await openDatabase(file);
    await createTeamStore(database).insert(aTeam());
    const modes = [join(file, ".."), file, `${file}-wal`].map((path) => statSync(path).mode & 0o777);
    await database.close();
    expect(modes).toEqual([0o700, 0o600, 0o600]);
  });

  it("flushes the cache of a Mac's drive with each commit that has to be on disk", async () => {
    const database = await openDatabase(join(temporaryFolder(), "hearth.db"));
    const both = sql<object>`select fullfsync, checkpoint_fullfsync from pragma_fullfsync, pragma_checkpoint_fullfsync`;
    expect((await both.execute(database.kysely)).rows).toEqual([{ fullfsync: 1, checkpointFullfsync: 1 }]);
    await database.close();
  });

  it("makes the folder of a fresh checkout readable only by its owner, and leaves the mode of other folders", async () => {
    const modeAfterOpen = async (name: string): Promise<number> => {
      const folder = temporaryFolder();
      writeFileSync(join(folder, name), "*\n");
      chmodSync(folder, 0o755);
      await (await openDatabase(join(folder, "hearth.db"))).close();
      return statSync(folder).mode & 0o777;
    };
    expect(await modeAfterOpen(".gitignore")).toBe(0o700);
    expect(await modeAfterOpen("own-file")).toBe(0o755);
  });

  it("opens the same file twice, concurrently and again after closing, and keeps its rows", async () => {
    const file = join(temporaryFolder(), "hearth.db");
    const first = await openDatabase(file);
    await createTeamStore(first).insert(aTeam());
    const second = await openDatabase(file);
    expect(await createTeamStore(second).list()).toEqual([aTeam()]);
    await first.close();
    await second.close();
    const third = await openDatabase(file);
    expect(await createTeamStore(third).list()).toEqual([aTeam()]);
    await third.close();
  });

  it("uses write-ahead mode, enforces foreign keys and waits for other writers", async () => {
    const { kysely } = await temporaryDatabase();
    const pragma = async (name: string) =>
      Object.values(
        (await sql.raw<Record<string, unknown>>(`pragma ${name}`).execute(kysely)).rows[0] ?? {},
      )[0];
    expect(await pragma("journal_mode")).toBe("wal");
    expect(await pragma("foreign_keys")).toBe(1);
    expect(await pragma("synchronous")).toBe(1);
    expect(await pragma("busy_timeout")).toBe(250);
  });

  it("is reachable until it is closed", async () => {
    const database = await temporaryDatabase();
    expect(await database.isReachable()).toBe(true);
    await database.close();
    expect(await database.isReachable()).toBe(false);
  });
});

describe("openDatabase rejects with one sentence for", () => {
  it("a database of a newer version", async () => {
    const file = join(temporaryFolder(), "hearth.db");
    const database = await openDatabase(file);
    await sql`pragma user_version = 9000`.execute(database.kysely);
    await database.close();
    await expect(openDatabase(file)).rejects.toThrow(
      /^cannot use the database .*hearth\.db: it was written by a newer version of Hearth \(schema 9000; this one knows \d+\)/,
    );
  });

  it("a file that is not a database", async () => {
    const file = join(temporaryFolder(), "hearth.db");
    writeFileSync(file, "not a database at all, ".repeat(100));
    await expect(openDatabase(file)).rejects.toThrow(
      `cannot use the database ${file}: it is not a SQLite database (SQLITE_NOTADB)`,
    );
  });

  it("a truncated file", async () => {
    const file = join(temporaryFolder(), "hearth.db");
    await (await openDatabase(file)).close();
    truncateSync(file, 8192);
    await expect(openDatabase(file)).rejects.toThrow(
      `cannot use the database ${file}: it is damaged (SQLITE_CORRUPT)`,
    );
  });

  it("a data folder below a file", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "file"), "");
    await expect(openDatabase(join(folder, "file", "data", "hearth.db"))).rejects.toThrow(
      `cannot create the data folder ${join(folder, "file", "data")}: a part of the path is a file, not a folder (ENOTDIR)`,
    );
  });

  it("a file where the data folder should be", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "data"), "");
    await expect(openDatabase(join(folder, "data", "hearth.db"))).rejects.toThrow(
      `cannot create the data folder ${join(folder, "data")}: there is a file where the folder should be (EEXIST)`,
    );
  });

  // On Linux nothing can be created in /proc, and mkdir fails with ENOENT.
  it("a data folder that cannot be created", async () => {
    const folder = process.platform === "linux" ? "/proc/hearth/data" : "/dev/null/data";
    await expect(openDatabase(join(folder, "hearth.db"))).rejects.toThrow(
      new RegExp(`^cannot create the data folder ${folder}: .* \\((ENOENT|ENOTDIR)\\)$`),
    );
  });

  it("a folder where the file should be", async () => {
    const file = join(temporaryFolder(), "hearth.db");
    mkdirSync(file);
    await expect(openDatabase(file)).rejects.toThrow(
      `cannot use the database ${file}: it cannot be opened: check who owns the file and its folder (SQLITE_CANTOPEN`,
    );
  });

  it("a folder that this user cannot write to", async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o555);
    asNobody();
    const file = join(folder, "hearth.db");
    await expect(openDatabase(file)).rejects.toThrow(
      `cannot create the database ${file}: permission denied (EACCES)`,
    );
  });

  it("a file that this user can only read", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "hearth.db");
    writeFileSync(file, "", { mode: 0o444 });
    chmodSync(folder, 0o777);
    asNobody();
    await expect(openDatabase(file)).rejects.toThrow(`cannot use the database ${file}: it cannot be written`);
  });
});

/** Root ignores file modes: if the tests run as root, the rest of this test runs as an unprivileged user. */
function asNobody(): void {
  if (process.geteuid?.() !== 0) return;
  process.seteuid?.(65_534);
  onTestFinished(() => process.seteuid?.(0));
}
