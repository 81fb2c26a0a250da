/** A data folder with a used server's data, and backups of it, for tests. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { Header } from "tar/header";
import { createTeamStore } from "../../../src/accounts/teams/store.js";
import { openDatabase } from "../../../src/store/database.js";
import { temporaryFolder } from "../../kit/folder.js";
import { runCommand, type CommandEnd } from "../../kit/command.js";
import { aTeam } from "../../store/records.js";

/** Runs a command of the program on a data folder. */
export function hearth(data: string, ...args: readonly string[]): Promise<CommandEnd> {
  return runCommand(args, { HEARTH_DATA: data });
}

/** Writes a data folder with a team, settings, a key and an image. */
export async function usedFolder(team = "team-1"): Promise<string> {
  const data = join(temporaryFolder(), "data");
  const database = await openDatabase(join(data, "hearth.db"));
  await createTeamStore(database).insert(aTeam({ id: team }));
  await database.close();
  mkdirSync(join(data, "images"));
  writeFileSync(join(data, "images", imageName), "an image");
  writeFileSync(join(data, "images", "notes.txt"), "no image");
  writeFileSync(join(data, "first-key"), `hk-${team}\n`);
  writeFileSync(join(data, "model-settings.yaml"), "small: { context: 512 }\n");
  mkdirSync(join(data, "prefix-cache"));
  writeFileSync(join(data, "prefix-cache", "state"), "can be computed again");
  return data;
}

export const imageName = `${"a".repeat(32)}.png`;

/** Returns the ids of the teams in a data folder. */
export async function teamsIn(data: string): Promise<readonly string[]> {
  const database = await openDatabase(join(data, "hearth.db"));
  const teams = await createTeamStore(database).list();
  await database.close();
  return teams.map(({ id }) => id);
}

/** Backs up a used folder. @returns the path of the backup */
export async function backupOf(data: string): Promise<string> {
  const file = join(temporaryFolder(), "backup.tar.gz");
  const { code, err } = await hearth(data, "backup", file);
  if (code !== 0) throw new Error(err);
  return file;
}

/** An entry of a backup as an attacker may write it. */
export interface Entry {
  readonly name: string;
  readonly content: Buffer;
  readonly type?: "File" | "SymbolicLink" | "Directory" | "Link";
  /** What the header says, where that is not true. */
  readonly bytes?: number;
}

/** Returns the entries of a backup. */
export function entriesOf(backup: string): readonly Entry[] {
  const entries: Entry[] = [];
  const tar = gunzipSync(readFileSync(backup));
  for (let at = 0; ;) {
    const header = new Header(tar, at);
    if (header.nullBlock) return entries;
    const bytes = header.size ?? 0;
    entries.push({ name: header.path ?? "", content: tar.subarray(at + 512, at + 512 + bytes) });
    at += 512 + Math.ceil(bytes / 512) * 512;
  }
}

/** Writes a backup of entries. @returns its path */
export function writeBackup(entries: readonly Entry[], after = Buffer.alloc(1024)): string {
  const file = join(temporaryFolder(), "made.tar.gz");
  const blocks = entries.flatMap(({ name, content, type = "File", bytes = content.length }) => {
    const header = Buffer.alloc(512);
    const linkpath = type === "File" ? "" : "/etc/passwd";
    new Header({ path: name, size: bytes, type, linkpath, mode: 0o600, mtime: new Date(0) }).encode(header);
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  writeFileSync(file, gzipSync(Buffer.concat([...blocks, after])));
  return file;
}

/** Returns the entries with a manifest that is true of them, but for these fields. */
export function withManifest(entries: readonly Entry[], change: object = {}): readonly Entry[] {
  const parts = entries.filter(({ name }) => name !== "manifest.json");
  const old = entries.find(({ name }) => name === "manifest.json")?.content.toString() ?? "{}";
  const manifest = {
    ...(JSON.parse(old) as object),
    parts: parts.map(({ name, content }) => ({
      name,
      bytes: content.length,
      sha256: createHash("sha256").update(content).digest("hex"),
    })),
    ...change,
  };
  return [...parts, { name: "manifest.json", content: Buffer.from(JSON.stringify(manifest)) }];
}

/** Returns what tar prints about a backup. */
export function listed(backup: string): string {
  return execFileSync("tar", ["tzf", backup], { encoding: "utf8" });
}
