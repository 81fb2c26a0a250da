/** Deletes models: for the command line, and for the management API of a running server. */
import { realpath } from "node:fs/promises";
import { basename, dirname, sep } from "node:path";
import type { AuditEntry } from "../../accounts/audit/audited-change.js";
import type { Config } from "../../config/config.js";
import { HearthError } from "../../core/errors.js";
import type { Model, ModelRegistry } from "../../core/model.js";
import { removeModel } from "../../models/library/remove.js";
import { idFromName } from "../../models/manifest.js";
import { readModelStem } from "../../models/parts.js";
import type { SettingsByModel } from "../../models/settings.js";
import { builtInModels } from "./models.js";

/**
 * Deletes the files of a model.
 * @throws HearthError `conflict` for a built-in model, for one without files, and for files in another place than the folder of models.
 */
export async function removeModelFiles({ models }: Config, model: Model): Promise<void> {
  if (model.path === "")
    throw new HearthError(
      "conflict",
      `'${model.manifest.id}' has no files here: remove it from the setting engines.`,
    );
  const own = { ...model, path: ownPath(model) };
  if (await isBuiltIn(own))
    throw new HearthError("conflict", `'${model.manifest.id}' is part of Hearth and cannot be deleted.`);
  await removeModel(own, models);
}

export function describeDeletion({ manifest: { id, file } }: Model): AuditEntry {
  const description = `Deleted the model '${id}'`;
  return { action: "DeleteModel", objectId: id, teamId: null, description, before: { file }, after: null };
}

/** Returns the ids of the models that are adapters over this one. */
export function adaptersOver(
  registry: ModelRegistry,
  settings: SettingsByModel,
  id: string,
): readonly string[] {
  return Object.entries(settings)
    .filter(([other, { base }]) => other !== id && base !== undefined)
    .filter(([, { base = "" }]) => registry.find(base)?.manifest.id === id)
    .map(([other]) => other);
}

/** Returns the file of a model itself: a LoRA adapter with a base has the path of its base. */
export function ownPath({ manifest, path, load }: Model): string {
  const isOwn = (file: string): boolean => idFromName(readModelStem(basename(file))) === manifest.id;
  if (isOwn(path)) return path;
  return load?.adapters?.find((adapter) => isOwn(adapter.path))?.path ?? path;
}

/** In a checkout, the folder of models also has the built-in models, each in a folder with its id. */
async function isBuiltIn({ manifest, path }: Model): Promise<boolean> {
  const [own, root] = await Promise.all([dirname(path), builtInModels].map(real));
  return manifest.id.startsWith("hearth-") && own === `${root ?? ""}${sep}${manifest.id}`;
}

function real(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}
