import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, it } from "vitest";
import {
  manifestBytesMax,
  toBackupManifest,
  partsMax,
  refuseManyParts,
} from "../../../src/backup/manifest.js";
import { temporaryFolder } from "../../kit/folder.js";
import { writeFormerDatabase } from "../../store/former-database.js";
import { backupOf, hearth, imageName, listed, teamsIn, usedFolder } from "./backups.js";

const bytesOf = (file: string): Buffer => readFileSync(file);

describe("hearth backup", () => {
  it("writes database, settings, keys and images into one file for its owner only, which tar can list", async () => {
    const data = await usedFolder();
    const backup = await backupOf(data);
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    expect(listed(backup).trim().split("\n")).toEqual([
      "hearth.db",
      "first-key",
      "model-settings.yaml",
      `images/${imageName}`,
      "manifest.json",
    ]);
    expect(readdirSync(dirname(backup))).toEqual(["backup.tar.gz"]);
  });

  it("prints what it wrote, or one JSON object with the size and SHA-256 of every part", async () => {
    const data = await usedFolder();
    const file = join(temporaryFolder(), "backup.tar.gz");
    const { out } = await hearth(data, "backup", file);
    expect(out).toMatch(
      /^backed up hearth\.db, first-key, model-settings\.yaml, 1 image to \S+\/backup\.tar\.gz \([\d.]+ kB\), read back and verified; models are not in it\n$/,
    );
    const report = JSON.parse((await hearth(data, "backup", file, "--force", "--json")).out) as object;
    expect(report).toMatchObject({
      file,
      bytes: statSync(file).size,
      format: 1,
      hearth: "0.1.0",
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
      parts: [
        { name: "hearth.db" },
        { name: "first-key" },
        { name: "model-settings.yaml" },
        {
          name: `images/${imageName}`,
          bytes: 8,
          sha256: createHash("sha256").update("an image").digest("hex"),
        },
      ],
    });
  });

  it("is named by hearth doctor, which says so where there is none", async () => {
    const data = await usedFolder();
    const doctor = async (): Promise<string> => (await hearth(data, "doctor")).out;
    expect(await doctor()).toContain(
      "  warning  backup: none of this data folder yet: `hearth backup FILE`\n",
    );
    const backup = await backupOf(data);
    const named = new RegExp(
      `^ {2}ok {7}backup: the last one is of \\d{4}-\\S+Z, [\\d.]+ kB, ${backup}$`,
      "m",
    );
    expect(await doctor()).toMatch(named);
    expect((await hearth(data, "backup", "/nowhere/b.tar.gz")).code).toBe(1);
    expect(await doctor()).toMatch(named);
    writeFileSync(join(data, "last-backup.json"), "{");
    expect(await doctor()).toContain("backup: none of this data folder yet");
  });

  it("replaces a file only with --force, and leaves what the file was when it fails", async () => {
    const data = await usedFolder();
    const backup = await backupOf(data);
    const before = bytesOf(backup);
    expect(await hearth(data, "backup", backup)).toEqual({
      code: 1,
      out: "",
      err: `hearth: ${backup} exists; --force replaces it\n`,
    });
    flipDatabase(data);
    const { code, err } = await hearth(data, "backup", backup, "--force");
    expect([code, err]).toEqual([1, expect.stringContaining("its database is damaged: ")]);
    expect(bytesOf(backup)).toEqual(before);
    expect(readdirSync(dirname(backup))).toEqual(["backup.tar.gz"]);
  });

  it("removes what a backup has left that was killed, and nothing else", async () => {
    const data = await usedFolder();
    const folder = temporaryFolder();
    const neverAPid = 4_194_305;
    for (const name of [`b.partial-${neverAPid}`, "b.partial-notes", `b.partial-${process.ppid}`])
      writeFileSync(join(folder, name), "");
    expect((await hearth(data, "backup", join(folder, "b"))).code).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(["b", `b.partial-${process.ppid}`, "b.partial-notes"].sort());
  });

  it("refuses a ledger that does not balance, unless --unbalanced accepts it", async () => {
    const data = await usedFolder();
    const sqlite = new Sqlite(join(data, "hearth.db"));
    sqlite
      .prepare("insert into ledger_balances (team_id, account, balance_ticks) values ('team-1', 'credit', 5)")
      .run();
    sqlite.close();
    const file = join(temporaryFolder(), "backup.tar.gz");
    const refused = await hearth(data, "backup", file);
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining("its ledger does not balance: "),
    ]);
    expect((await hearth(data, "backup", file, "--unbalanced")).code).toBe(0);
    const restored = join(temporaryFolder(), "data");
    expect((await hearth(restored, "restore", file)).err).toContain("its ledger does not balance: ");
    expect((await hearth(restored, "restore", file, "--unbalanced")).code).toBe(0);
    expect(await teamsIn(restored)).toEqual(["team-1"]);
  });

  it("does not migrate the database that it copies: it can be made before an upgrade's first start", async () => {
    const data = await usedFolder();
    const file = join(data, "hearth.db");
    rmSync(file);
    writeFormerDatabase(file);
    const backup = await backupOf(data);
    const after = new Sqlite(file);
    expect(after.pragma("user_version", { simple: true })).toBe(48);
    after.close();
    const restored = join(temporaryFolder(), "data");
    expect((await hearth(restored, "restore", backup)).code).toBe(0);
    expect(await teamsIn(restored)).toEqual(["team-1"]);
  });

  it("fails with code 1 without a database or a folder to write to, and with code 2 without a file", async () => {
    const data = join(temporaryFolder(), "data");
    const missing = await hearth(data, "backup", "/tmp/never.tar.gz");
    expect([missing.code, missing.err]).toEqual([
      1,
      `hearth: there is no database in the data folder ${data}: nothing to back up\n`,
    ]);
    const used = await usedFolder();
    const nowhere = await hearth(used, "backup", "/nowhere/b.tar.gz");
    expect([nowhere.code, nowhere.err]).toEqual([
      1,
      expect.stringContaining("hearth: cannot write to the folder /nowhere: "),
    ]);
    expect((await hearth(used, "backup")).code).toBe(2);
    expect((await hearth(used, "restore")).code).toBe(2);
  });
});

/** Damages a page of the database that holds rows. */
function flipDatabase(data: string): void {
  const file = join(data, "hearth.db");
  const bytes = readFileSync(file);
  bytes.fill(0xff, 8192, 12_288);
  writeFileSync(file, bytes);
}

describe("a data folder with very many files", () => {
  it("is refused before it is written when a backup may not have so many", () => {
    expect(() => refuseManyParts(partsMax)).not.toThrow();
    expect(() => refuseManyParts(partsMax + 1)).toThrow(
      "the data folder has 1000001 files, and a backup may have 1000000",
    );
  });

  it("has a manifest that can be read back, with as many parts as a backup may have", () => {
    const part = { name: `files/file-${"0".repeat(32)}`, bytes: 17_179_869_184, sha256: "0".repeat(64) };
    const about = { hearth: "1.0.0", schema: 1, created: "2026-01-01T00:00:00.000Z" };
    const bytesOfParts = (count: number) =>
      JSON.stringify(
        toBackupManifest({ ...about, parts: Array(count).fill(part) as (typeof part)[] }),
        null,
        2,
      ).length;
    expect(bytesOfParts(100) * (partsMax / 100)).toBeLessThan(manifestBytesMax);
  });
});
