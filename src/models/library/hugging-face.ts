/**
 * Finds the GGUF models in the cache of Hugging Face: `models--ORG--REPO/snapshots/REVISION/FILE`, a link to a blob. Among several
 * revisions, the one of `refs/main` is taken, else the newest.
 */
import { readdir, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { readRegularFile } from "../../system/regular-file.js";
import { entriesIn } from "./files.js";
import { entriesMax, type ForeignModels } from "./foreign-model.js";
import { modelsAmong } from "./gguf-files.js";

const refBytesMax = 1024;

/** @param folder the cache: `~/.cache/huggingface/hub` */
export async function findHuggingFaceModels(folder: string): Promise<ForeignModels> {
  const found: ForeignModels[] = [];
  for (const entry of await entriesIn(folder)) {
    const [, publisher, repository] = /^models--(.+?)--(.+)$/.exec(entry) ?? [];
    if (publisher === undefined || repository === undefined) continue;
    found.push(await listModels(join(folder, entry), publisher, repository));
  }
  return {
    models: found.flatMap(({ models }) => models),
    skipped: found.flatMap(({ skipped }) => skipped),
  };
}

async function listModels(folder: string, publisher: string, repository: string): Promise<ForeignModels> {
  const snapshot = await findSnapshot(folder);
  const name = `${publisher}/${repository}`;
  if (snapshot === null)
    return { models: [], skipped: [{ name, reason: "it was not downloaded as a whole" }] };
  const found = await modelsAmong(snapshot, await filesIn(snapshot), [publisher, repository]);
  if (found.models.length > 0 || found.skipped.length > 0) return found;
  return { models: [], skipped: [{ name, reason: "it has no GGUF file" }] };
}

async function findSnapshot(folder: string): Promise<string | null> {
  const snapshots = join(folder, "snapshots");
  const revisions = await entriesIn(snapshots);
  const ref = await readRegularFile(join(folder, "refs", "main"), refBytesMax).catch(() => null);
  const main = ref?.toString("utf8").trim() ?? "";
  if (revisions.includes(main)) return join(snapshots, main);
  const times = await Promise.all(
    revisions.map(async (revision) => {
      const path = join(snapshots, revision);
      return { path, time: (await stat(path).catch(() => null))?.mtimeMs ?? 0 };
    }),
  );
  return times.sort((a, b) => b.time - a.time)[0]?.path ?? null;
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, "/"))
    .sort()
    .slice(0, entriesMax);
}
