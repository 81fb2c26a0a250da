/** Deletes the files of a model in the folder of models. */
import { lstat, readdir, realpath, rm, rmdir, stat } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { HearthError } from "../../core/errors.js";
import { isGgufKind, type Model } from "../../core/model.js";
import { manifestFile } from "../describe.js";
import { quoted } from "../gguf/refusal.js";
import { idFromName } from "../manifest.js";
import { listPartFiles, readModelStem } from "../parts.js";
import { readSourceRecord, sourceRecordFile, writeSourceRecord } from "../source-record.js";

/** Where models are. */
export interface ModelFolders {
  /** The folder whose models can be deleted. */
  readonly own: string;
  /** The folder of the built-in models. */
  readonly builtIn: string;
}

/**
 * Deletes the files of a model: all parts of a GGUF with its manifest, and its projector if no other model has it, or the folder of a
 * model that is one. Its files are taken out of the record of downloads, and folders that become empty are removed. A symbolic link is
 * removed, not what it leads to.
 * @param models all models @throws HearthError `conflict` for a built-in model, for one without files, and for files in another place than the folder of models.
 */
export async function removeModel(
  model: Model,
  models: readonly Model[],
  folders: ModelFolders,
): Promise<void> {
  const { manifest, tokenizerFile } = model;
  if (model.path === "")
    throw conflict(`'${manifest.id}' has no files here: remove it from the setting engines.`);
  const path = findOwnPath(model);
  if (await isBuiltIn(manifest.id, path, folders))
    throw conflict(`'${manifest.id}' is part of Hearth and cannot be deleted.`);
  if (tokenizerFile !== undefined)
    throw conflict(
      `${quoted(manifest.id)} has only the files of its tokenizer here; delete the folder ${dirname(tokenizerFile)}.`,
    );
  const root = await real(folders.own);
  const own = dirname(path);
  await refuseOutside(root, manifest.id, path);
  if (isGgufKind(manifest.kind)) {
    const projectors = findOwnProjectors(model, path, models).map((each) => basename(each));
    const names = [...listPartFiles(basename(path)), ...projectors];
    for (const name of names) await rm(join(own, name), { force: true });
    if (own !== root) await rm(join(own, manifestFile), { force: true });
    await forget(own, root, names);
  } else {
    if (own === root) throw outside(manifest.id, path);
    await rm(own, { recursive: true });
  }
  await removeEmpty(own, root);
}

/** Returns the file of a model itself: a LoRA adapter with a base has the path of its base. */
export function findOwnPath({ manifest, path, load }: Model): string {
  const isOwn = (file: string): boolean => idFromName(readModelStem(basename(file))) === manifest.id;
  if (isOwn(path)) return path;
  return load?.adapters?.find((adapter) => isOwn(adapter.path))?.path ?? path;
}

/** Returns the projectors in the folder of a model that no other model has. An adapter has the projector of its base. */
function findOwnProjectors(model: Model, path: string, models: readonly Model[]): readonly string[] {
  const others = models.filter((other) => other.path !== path && other.manifest.id !== model.manifest.id);
  const kept = new Set((model.path === path ? others : [model, ...others]).flatMap(listProjectors));
  const own = new Set(listProjectors(model));
  return [...own].filter((each) => dirname(each) === dirname(path) && !kept.has(each));
}

function listProjectors({ load, projectorBeside }: Model): readonly string[] {
  return [load?.projector?.path, projectorBeside].filter((each) => each !== undefined);
}

/** In a checkout, the folder of models also has the built-in models, each in a folder with its id. */
async function isBuiltIn(id: string, path: string, { builtIn }: ModelFolders): Promise<boolean> {
  const [own, root] = [await real(dirname(path)), await real(builtIn)];
  return id.startsWith("hearth-") && own === `${root}${sep}${id}`;
}

function real(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

function conflict(message: string): HearthError {
  return new HearthError("conflict", message);
}

/** Every folder between the root and the file must be a folder and no link to one: what a link leads to is not deleted. */
async function refuseOutside(root: string, id: string, path: string): Promise<void> {
  const place = relative(root, dirname(path));
  if (place === ".." || place.startsWith(`..${sep}`)) throw outside(id, path);
  let folder = root;
  for (const name of place.split(sep).filter((part) => part !== "")) {
    folder = join(folder, name);
    if ((await lstat(folder)).isSymbolicLink())
      throw conflict(`${quoted(id)} is in ${folder}, which is a link to another folder; delete the link.`);
  }
}

function outside(id: string, path: string): HearthError {
  return conflict(`${quoted(id)} is not in the folder of models, but at ${path}; delete it there.`);
}

/** Takes files out of the record in their folder, or in the folder above it, and deletes a record that lists no file any more. */
async function forget(own: string, root: string, names: readonly string[]): Promise<void> {
  for (const folder of own === root ? [own] : [own, dirname(own)]) {
    const record = await readSourceRecord(folder);
    if (record === null) continue;
    const gone = new Set(names.map((name) => relative(folder, join(own, name)).replaceAll(sep, "/")));
    const files = record.files.filter((each) => !gone.has(each.path));
    if (files.length === 0) await rm(join(folder, sourceRecordFile), { force: true });
    else if (files.length < record.files.length) await writeSourceRecord(folder, { ...record, files });
  }
}

/** Removes a folder and those above it, up to the root, while they are empty. */
async function removeEmpty(folder: string, root: string): Promise<void> {
  if (folder === root || !folder.startsWith(root + sep)) return;
  if (await stat(folder).catch(() => null)) {
    if ((await readdir(folder)).length > 0) return;
    await rmdir(folder);
  }
  await removeEmpty(dirname(folder), root);
}
