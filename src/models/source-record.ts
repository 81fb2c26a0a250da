/**
 * Where the files of a folder were downloaded from: the hidden file `.source.json` beside them. Several downloads into one folder share
 * it; the latest one gives the fields of the record, and a file of an earlier one keeps what differs.
 */
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { replaceFile } from "../system/replace-file.js";
import { readRegularFile } from "../system/regular-file.js";

export const sourceRecordFile = ".source.json";
/** The record while it is written; a crash may leave it. */
export const nextSourceRecordFile = ".source.json.next";
const recordBytesMax = 4 * 1024 * 1024;
const filesMax = 10_000;
const textCharsMax = 2048;

const text = z.string().min(1).max(textCharsMax);
const origin = z.object({
  /** `org/repo`, or a URL without its query and credentials. */
  source: text,
  /** The commit of the repository. */
  revision: text.nullable(),
  /** `name:tag` of the curated list. */
  name: text.nullable(),
  license: text.nullable(),
});
const file = z.object({
  /** Relative to the folder of the record, with `/`. */
  path: text.refine((path) => isInside(path), "must be a relative path inside the folder"),
  bytes: z.int().min(0),
  /** In hexadecimal digits. */
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  source: origin.shape.source.optional(),
  revision: origin.shape.revision.optional(),
  name: origin.shape.name.optional(),
  license: origin.shape.license.optional(),
});

export const sourceRecordSchema = z.object({
  ...origin.shape,
  files: z.array(file).max(filesMax),
  /** ISO 8601, of the latest download. */
  pulledAt: z.iso.datetime(),
});

export type SourceRecord = z.infer<typeof sourceRecordSchema>;
/** Where one file came from. */
export type Origin = z.infer<typeof origin>;

/** Returns the record of a folder; null if there is none, or none that can be read. */
export async function readSourceRecord(folder: string): Promise<SourceRecord | null> {
  try {
    const content = await readRegularFile(join(folder, sourceRecordFile), recordBytesMax);
    const parsed = sourceRecordSchema.safeParse(JSON.parse(content.toString("utf8")));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Returns where a file of the record came from; null if the record does not list it. */
export function findFileOrigin(record: SourceRecord, path: string): Origin | null {
  const found = record.files.find((each) => each.path === path);
  if (found === undefined) return null;
  const { source = record.source, name = record.name } = found;
  const { revision = record.revision, license = record.license } = found;
  return { source, revision, name, license };
}

/**
 * Adds a download to the record of a folder: its files replace those with the same path. Concurrent calls for one folder must be
 * prevented by the caller.
 * @returns the record as written.
 */
export async function addToSourceRecord(folder: string, added: SourceRecord): Promise<SourceRecord> {
  const before = await readSourceRecord(folder);
  const record = before === null ? added : merged(before, added);
  await writeSourceRecord(folder, record);
  return record;
}

/** Writes the record of a folder atomically: after a crash the file holds the record before or this one. */
export async function writeSourceRecord(folder: string, record: SourceRecord): Promise<void> {
  const content = `${JSON.stringify(sourceRecordSchema.parse(record), null, 2)}\n`;
  const next = join(folder, nextSourceRecordFile);
  await mkdir(folder, { recursive: true });
  try {
    const handle = await open(next, "w");
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await replaceFile(next, join(folder, sourceRecordFile));
  } catch (thrown) {
    await rm(next, { force: true });
    throw thrown;
  }
}

function merged(before: SourceRecord, added: SourceRecord): SourceRecord {
  const replaced = new Set(added.files.map(({ path }) => path));
  const kept = before.files
    .filter(({ path }) => !replaced.has(path))
    .map((each) => ({ ...each, ...differing(findFileOrigin(before, each.path) ?? before, added) }));
  const files = [...kept, ...added.files].sort((a, b) => (a.path < b.path ? -1 : 1));
  return { ...added, files };
}

/** Returns the fields of an origin that differ from the record's; all others are absent. */
function differing(of: Origin, record: Origin): Partial<Origin> {
  return {
    ...(of.source === record.source ? {} : { source: of.source }),
    ...(of.revision === record.revision ? {} : { revision: of.revision }),
    ...(of.name === record.name ? {} : { name: of.name }),
    ...(of.license === record.license ? {} : { license: of.license }),
  };
}

function isInside(path: string): boolean {
  return path
    .split("/")
    .every((part) => part !== "" && part !== "." && part !== ".." && !/[\\\0]/.test(part));
}
