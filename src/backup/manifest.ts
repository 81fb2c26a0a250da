/** What a backup consists of: its parts by name, their largest sizes, and the manifest, which is its last entry. */
import { z } from "zod";
import { fileIdPattern } from "../inference/files/contents.js";
import { imageNamePattern } from "../inference/images/store.js";

/** Format of backups; a reader refuses others. */
const format = 1;
export const manifestName = "manifest.json";
export const manifestBytesMax = 268_435_456;
/** Entries of one backup, nearly all of them images and files of teams. */
export const partsMax = 1_000_000;
const secretBytesMax = 65_536;
const settingsBytesMax = 67_108_864;
const imageBytesMax = 268_435_456;
const fileBytesMax = 17_179_869_184;
export const databasePart = "hearth.db";
export const imagesPart = "images/";
export const filesPart = "files/";

/** Files besides the database and the two folders, with their largest size. */
export const smallParts: ReadonlyMap<string, number> = new Map([
  ["first-key", secretBytesMax],
  ["first-management-key", secretBytesMax],
  ["model-settings.yaml", settingsBytesMax],
]);

const manifestSchema = z.object({
  format: z.literal(format),
  /** Version of Hearth that wrote it. */
  hearth: z.string().min(1).max(100),
  /** Version of the database's schema. */
  schema: z.number().int().min(1),
  /** RFC 3339: when the copy of the database was taken. */
  created: z.iso.datetime(),
  parts: z
    .array(
      z.object({
        name: z.string(),
        bytes: z.number().int().min(0),
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
      }),
    )
    .min(1)
    .max(partsMax),
});

export type BackupManifest = Readonly<z.output<typeof manifestSchema>>;
export type BackupPart = Readonly<BackupManifest["parts"][number]>;

/** Returns the manifest of parts, as it is written. */
export function toBackupManifest(rest: Omit<BackupManifest, "format">): BackupManifest {
  return { format, ...rest };
}

/** @throws Error with one sentence when a data folder has more files than a backup may have. */
export function refuseManyParts(count: number): void {
  if (count > partsMax)
    throw new Error(
      `the data folder has ${count} files, and a backup may have ${partsMax}: delete files of teams, or copy the folder while the server is stopped`,
    );
}

/** @throws Error with one clause, without a path. */
export function parseBackupManifest(text: string): BackupManifest {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw new Error("its manifest.json is not valid JSON");
  }
  const written = z.object({ format: z.number() }).safeParse(content);
  if (written.success && written.data.format > format)
    throw new Error("it was written by a newer version of Hearth: upgrade Hearth");
  const parsed = manifestSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`its manifest.json is wrong: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`);
}

/** Returns the largest size in bytes of a part; null if a backup has no part of that name. */
export function findPartBytesMax(name: string): number | null {
  if (name === databasePart) return Number.MAX_SAFE_INTEGER;
  if (name.startsWith(imagesPart) && imageNamePattern.test(name.slice(imagesPart.length)))
    return imageBytesMax;
  if (name.startsWith(filesPart) && fileIdPattern.test(name.slice(filesPart.length))) return fileBytesMax;
  return smallParts.get(name) ?? null;
}
