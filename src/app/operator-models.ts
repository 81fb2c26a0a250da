/** The part of the composition root for the commands that manage models. They need no server, and work beside a running one. */
import { realpath, stat } from "node:fs/promises";
import { basename, dirname, sep } from "node:path";
import type { AuditEntry } from "../accounts/audit/audited-change.js";
import type { Config } from "../config.js";
import { HearthError } from "../core/errors.js";
import type { Model } from "../core/model.js";
import { closestNames, closestTexts } from "../models/closest-names.js";
import { readDetails, type ModelDetails } from "../models/library/details.js";
import { linkModels, type ForeignProgram, type LinkReport } from "../models/library/link.js";
import { removeModel } from "../models/library/remove.js";
import { idFromName } from "../models/manifest.js";
import { stemOf } from "../models/parts.js";
import type { LoadedRegistry } from "../models/registry.js";
import { settingNames } from "../models/settings.js";
import type { FitOptions, FitReport } from "./inspect/model-fit.js";
import type { TemplateReport } from "./inspect/template-report.js";
import { builtInModels, openRegistry, openSettings } from "./models.js";
import { auditSettings, recordEntries } from "./operator-audit.js";
import { createOperatorSettings, type OperatorSettings } from "./operator-settings.js";

export type { FitReport, MemoryReport, ModelInMemory } from "./inspect/model-fit.js";
export type { ModelAlias, ModelSetting } from "./operator-settings.js";
export type { LinkReport, ModelDetails, TemplateReport };

export interface OperatorModels extends OperatorSettings {
  /** In order of id. */
  list(): readonly Model[];
  /** Public sentences about what was skipped in the folders and settings. */
  readonly warnings: readonly string[];
  /** Finds a model by id or alias. @throws HearthError `model_not_found` with the closest names. */
  resolve(name: string): Model;
  /** Reads folders and settings again. */
  refresh(): Promise<void>;
  /** When its files were changed last, in ms since the epoch. */
  modifiedTime(model: Model): Promise<number>;
  details(model: Model): Promise<ModelDetails>;
  /** Renders its chat template, and says what that shows. */
  template(model: Model): Promise<TemplateReport>;
  fit(model: Model, options: FitOptions): Promise<FitReport>;
  /**
   * Deletes the files of a model, and the settings that commands made for it.
   * @throws HearthError `conflict` for a built-in model, and for files in another place than the folder of models.
   */
  remove(model: Model): Promise<void>;
  /** Ids of the models that are adapters over this one. */
  adaptersOf(id: string): readonly string[];
  /** Links models of another program into the folder of models. */
  link(from: ForeignProgram, source: string, isDryRun: boolean): Promise<LinkReport>;
  /** The names of all settings. */
  readonly settingNames: readonly string[];
  /** The names of settings that are closest to one that there is not. */
  closestSettings(name: string): readonly string[];
}

/**
 * Reads the models and their settings. What few commands need is loaded by them.
 * @param workerUrl the compiled thread that measures the bandwidth of memory; absent: the one of this program
 */
export async function openOperatorModels(config: Config, workerUrl?: URL): Promise<OperatorModels> {
  const { store, commit } = auditSettings(config, openSettings(config));
  const registry = await openRegistry(config, store);
  const settings = createOperatorSettings({ config, store, commit, registry });
  return {
    ...settings,
    list: () => registry.list(),
    get warnings() {
      return registry.warnings;
    },
    resolve: (name) => resolve(registry, name),
    refresh: () => registry.refresh(),
    modifiedTime: async (model) => (await stat(ownPath(model)).catch(() => null))?.mtimeMs ?? 0,
    details: readDetails,
    template: async (model) => (await import("./inspect/template-report.js")).readTemplateOf(model),
    async fit(model, options) {
      const { fitOf } = await import("./inspect/model-fit.js");
      const url = options.workerUrl ?? workerUrl;
      return fitOf(config, model, await readDetails(model), { ...options, workerUrl: url });
    },
    async remove(model) {
      const own = { ...model, path: ownPath(model) };
      if (await isBuiltIn(own))
        throw new HearthError("conflict", `'${model.manifest.id}' is part of Hearth and cannot be deleted.`);
      await removeModel(own, config.models);
      await recordEntries(config, [deletionOf(model)]);
      await settings.forget(model.manifest.id);
      await registry.refresh();
    },
    adaptersOf(id) {
      const all = Object.entries(store.read().settings);
      return all
        .filter(([other, { base }]) => other !== id && base !== undefined)
        .filter(([, { base = "" }]) => registry.find(base)?.manifest.id === id)
        .map(([other]) => other);
    },
    link: (from, source, isDryRun) =>
      linkModels({
        from,
        source,
        folder: config.models,
        folders: [config.models, ...config.modelsFolders],
        isDryRun,
      }),
    settingNames,
    closestSettings: (name) => closestTexts(name, settingNames),
  };
}

function deletionOf({ manifest: { id, file } }: Model): AuditEntry {
  const description = `Deleted the model '${id}'`;
  return { action: "DeleteModel", objectId: id, teamId: null, description, before: { file }, after: null };
}

function resolve(registry: LoadedRegistry, name: string): Model {
  const model = registry.find(name);
  if (model !== null) return model;
  const closest = closestNames(name, registry.list());
  const hint = closest.length === 0 ? "`hearth ls` lists the models." : `Did you mean ${closest.join(", ")}?`;
  throw new HearthError("model_not_found", `There is no model '${name.slice(0, 200)}'. ${hint}`);
}

/** Returns the file of a model itself: a LoRA adapter with a base has the path of its base. */
function ownPath({ manifest, path, load }: Model): string {
  const isOwn = (file: string): boolean => idFromName(stemOf(basename(file))) === manifest.id;
  if (isOwn(path)) return path;
  return load?.adapters?.find((adapter) => isOwn(adapter.path))?.path ?? path;
}

/** In a checkout, the folder of models is that of the built-in ones: those have a folder with their id. */
async function isBuiltIn({ manifest, path }: Model): Promise<boolean> {
  const [own, root] = await Promise.all([dirname(path), builtInModels].map(real));
  return manifest.id.startsWith("hearth-") && own === `${root ?? ""}${sep}${manifest.id}`;
}

function real(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}
