import { existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import Sqlite from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../kit/folder.js";
import { startProcess } from "../../kit/program.js";
import {
  backupOf,
  entriesOf,
  hearth,
  imageName,
  teamsIn,
  usedFolder,
  withManifest,
  writeBackup,
  type Entry,
} from "./backups.js";

const text = (content: string): Buffer => Buffer.from(content);

describe("hearth restore", () => {
  it("brings back the files of teams, and nothing else that lies in their folder", async () => {
    const data = await usedFolder();
    const name = `file-${"a".repeat(32)}`;
    mkdirSync(join(data, "files"));
    writeFileSync(join(data, "files", name), "a file");
    writeFileSync(join(data, "files", `${name}.partial`), "half of a file");
    const file = join(temporaryFolder(), "backup.tar.gz");
    expect((await hearth(data, "backup", file)).out).toContain("1 image, 1 file to ");
    const restored = join(temporaryFolder(), "data");
    expect((await hearth(restored, "restore", file)).code).toBe(0);
    expect(readdirSync(join(restored, "files"))).toEqual([name]);
    expect(readFileSync(join(restored, "files", name), "utf8")).toBe("a file");
  });

  it("puts a backup into a folder that does not exist, with all its files", async () => {
    const backup = await backupOf(await usedFolder("team-2"));
    const data = join(temporaryFolder(), "deep", "data");
    const { code, out } = await hearth(data, "restore", backup);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(
          `^restored ${data} from ${backup}, which Hearth 0\\.1\\.0 made at \\S+\nstart the server with \`hearth start\`\n$`,
        ),
      ),
    ]);
    expect(readFileSync(join(data, "first-key"), "utf8")).toBe("hk-team-2\n");
    expect(readFileSync(join(data, "images", imageName), "utf8")).toBe("an image");
    expect(await teamsIn(data)).toEqual(["team-2"]);
    const server = await startProcess({ HEARTH_DATA: data });
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });

  it("keeps the former files in a folder that it names, and a backup in the data folder itself can be restored", async () => {
    const data = await usedFolder("team-1");
    const backup = join(data, "backup.tar.gz");
    expect((await hearth(data, "backup", backup)).code).toBe(0);
    await addTeam(data, "team-9");
    const { formerData } = JSON.parse((await hearth(data, "restore", backup, "--json")).out) as {
      formerData: string;
    };
    expect(await teamsIn(data)).toEqual(["team-1"]);
    expect(readdirSync(formerData).sort()).toEqual(
      [
        "backup.tar.gz",
        "first-key",
        "hearth.db",
        "hearth.db-created",
        "images",
        "last-backup.json",
        "model-settings.yaml",
        "prefix-cache",
      ].sort(),
    );
    expect(await teamsIn(formerData)).toEqual(["team-1", "team-9"]);
  });

  it("refuses while a server runs on the folder, and changes nothing", async () => {
    const data = await usedFolder();
    const backup = await backupOf(await usedFolder("team-2"));
    await startProcess({ HEARTH_DATA: data });
    const { code, err } = await hearth(data, "restore", backup);
    expect([code, err]).toEqual([1, expect.stringContaining(`is using the data folder ${data}`)]);
    expect(await teamsIn(data)).toContain("team-1");
  });

  it("refuses a backup of a newer schema and of a newer format, and changes nothing", async () => {
    const data = await usedFolder();
    const backup = await backupOf(data);
    const newer = withManifest(entriesOf(backup), { format: 2 });
    await refused(data, writeBackup(newer), "it was written by a newer version of Hearth: upgrade Hearth");
    const sqlite = new Sqlite(join(data, "hearth.db"));
    sqlite.pragma("user_version = 9000");
    sqlite.close();
    const database = { name: "hearth.db", content: readFileSync(join(data, "hearth.db")) };
    const others = entriesOf(backup).slice(1);
    await refused(
      join(temporaryFolder(), "data"),
      writeBackup(withManifest([database, ...others])),
      "it was written by a newer version of Hearth (schema 9000;",
    );
  });
});

describe("a backup that cannot be trusted is refused with a reason, and nothing is changed:", () => {
  const changes: readonly (readonly [string, (entries: readonly Entry[]) => readonly Entry[], string])[] = [
    [
      "a path out of the folder",
      (all) => inserted(all, { name: "../evil" }),
      "'../evil' is refused: a backup has no",
    ],
    [
      "an absolute path",
      (all) => inserted(all, { name: "/tmp/evil" }),
      "'/tmp/evil' is refused: a backup has no",
    ],
    [
      "a path out of the folder of images",
      (all) => inserted(all, { name: `images/../${imageName}` }),
      "is refused: a backup has no such file",
    ],
    [
      "a file that is not the server's",
      (all) => inserted(all, { name: "hearth.db-wal" }),
      "has no such file",
    ],
    [
      "a symbolic link",
      (all) => inserted(all, { name: "first-management-key", type: "SymbolicLink" }),
      "'first-management-key' is refused: it is not a plain file",
    ],
    [
      "a hard link",
      (all) => inserted(all, { name: "first-management-key", type: "Link" }),
      "it is not a plain file",
    ],
    ["a folder", (all) => inserted(all, { name: "images", type: "Directory" }), "it is not a plain file"],
    [
      "a name twice",
      (all) => inserted(all, { name: "first-key" }, { name: "first-key" }),
      "'first-key' is refused: it occurs twice",
    ],
    [
      "more bytes than the disk has",
      (all) => [{ name: "hearth.db", content: text(""), bytes: 2 ** 52 }, ...all],
      "and the disk has",
    ],
    [
      "a file above its limit",
      (all) => inserted(all, { name: "first-management-key", bytes: 100_000 }),
      "'first-management-key' is refused: it is larger than 65536 bytes",
    ],
    [
      "another size than the header says",
      (all) => inserted(all, { name: "first-management-key", content: text("12345"), bytes: 2 }),
      "an entry is longer than its size",
    ],
    [
      "a changed part",
      (all) =>
        all.map((each) => (each.name === "first-key" ? { ...each, content: text("hk-evil00\n") } : each)),
      "it is damaged: 'first-key' is not what was backed up",
    ],
    [
      "a missing part",
      (all) => all.filter(({ name }) => name !== "first-key"),
      "it is damaged: it lacks 'first-key'",
    ],
    [
      "a part that the manifest does not name",
      (all) => inserted(all, { name: "first-management-key" }),
      "does not name every entry once",
    ],
    ["no database", (all) => withManifest(all.slice(1)), "it is not a backup of Hearth"],
    ["no manifest", (all) => all.slice(0, -1), "it ends without a manifest"],
    [
      "a manifest that is no JSON",
      (all) => [...all.slice(0, -1), { name: "manifest.json", content: text("{") }],
      "its manifest.json is not valid JSON",
    ],
    [
      "a manifest without parts",
      (all) => withManifest(all, { parts: [] }),
      "its manifest.json is wrong: parts: ",
    ],
    [
      "something after the manifest",
      (all) => [...all, { name: "first-management-key", content: text("x") }],
      "something follows its manifest.json",
    ],
    [
      "a damaged database with hashes that are true",
      (all) => withManifest(all.map((each) => (each.name === "hearth.db" ? damaged(each) : each))),
      "its database is damaged: ",
    ],
  ];
  it.each(changes)("C4: with %s", async (_, change, reason) => {
    const data = await usedFolder();
    const backup = await backupOf(data);
    await refused(data, writeBackup(change(entriesOf(backup))), reason);
  });

  it("C4: a backup that was cut, at any length, or in which a byte changed, anywhere", async () => {
    const data = await usedFolder();
    const backup = await backupOf(data);
    const bytes = readFileSync(backup);
    const made = join(temporaryFolder(), "made.tar.gz");
    for (const share of [0, 0.01, 0.5, 0.9, 0.999]) {
      writeFileSync(made, bytes);
      truncateSync(made, Math.floor(bytes.length * share));
      await refused(data, made, /it is truncated|it is not a backup of Hearth/);
      // Not in the first bytes, of which gzip ignores some.
      const flipped = withChangedByte(bytes, 10 + Math.floor((bytes.length - 11) * share));
      writeFileSync(made, flipped);
      await refused(data, made, /it is (damaged|truncated|not a backup)|is refused/);
    }
  });

  it("C4: a file of zeros that decompresses to a thousand times its size, and other files", async () => {
    const data = await usedFolder();
    const made = join(temporaryFolder(), "made.tar.gz");
    const backup = await backupOf(data);
    writeFileSync(
      made,
      gzipSync(Buffer.concat([gunzipSync(readFileSync(backup)), Buffer.alloc(50_000_000)])),
    );
    await refused(data, made, "something follows its manifest.json");
    writeFileSync(made, gzipSync(Buffer.alloc(50_000_000)));
    await refused(data, made, "it is not a backup of Hearth");
    writeFileSync(made, "no gzip file at all");
    await refused(data, made, "it is damaged, or not a backup of Hearth");
    const missing = await hearth(data, "restore", "/nowhere/b.tar.gz");
    expect([missing.code, missing.err]).toEqual([
      1,
      "hearth: cannot read the backup /nowhere/b.tar.gz: it does not exist\n",
    ]);
  });
});

/** Changes a byte, the first from `from` on whose change is not one between two equal compressed forms. */
function withChangedByte(gzipped: Buffer, from: number): Buffer {
  const plain = gunzipSync(gzipped);
  for (let at = from; at < gzipped.length; at += 1) {
    const changed = Buffer.from(gzipped);
    changed.writeUInt8(changed.readUInt8(at) ^ 0x10, at);
    try {
      if (!gunzipSync(changed).equals(plain)) return changed;
    } catch {
      return changed;
    }
  }
  throw new Error("no change of a byte matters");
}

async function refused(data: string, backup: string, reason: string | RegExp): Promise<void> {
  const before = existsSync(data) ? snapshot(data) : [];
  const { code, err } = await hearth(data, "restore", backup);
  expect(err).toMatch(/^hearth: \S+ was not restored, and nothing was changed: [^\n]+\n$/);
  expect(err).toMatch(reason);
  expect(code).toBe(1);
  expect(snapshot(data)).toEqual(before);
  expect(existsSync("/tmp/evil")).toBe(false);
}

/** The files of a data folder with their contents, without the lock of a server. */
function snapshot(data: string): readonly (readonly [string, string])[] {
  const files = readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !path.includes("server.lock"))
    .map((path) => [path, readFileSync(path, "base64")] as const)
    .sort();
}

function inserted(
  all: readonly Entry[],
  ...entries: readonly (Partial<Entry> & { name: string })[]
): readonly Entry[] {
  const made = entries.map((entry) => ({ content: text(""), ...entry }));
  return [...all.slice(0, 1), ...made, ...all.slice(1)];
}

function damaged(entry: Entry): Entry {
  const content = Buffer.from(entry.content);
  content.fill(0xff, 8192, 12_288);
  return { ...entry, content };
}

async function addTeam(data: string, id: string): Promise<void> {
  const other = await usedFolder(id);
  const sqlite = new Sqlite(join(data, "hearth.db"));
  sqlite.exec(`attach '${join(other, "hearth.db")}' as other; insert into teams select * from other.teams`);
  sqlite.close();
  mkdirSync(join(data, "images"), { recursive: true });
}
