/** The part of the composition root for the commands that manage models. They need no server, and work beside a running one. */
import { stat } from "node:fs/promises";
import type { Config } from "../config/config.js";
import { HearthError } from "../core/errors.js";
import type { Model } from "../core/model.js";
import { closestNames, closestTexts } from "../models/closest-names.js";
import { readDetails, type ModelDetails } from "../models/library/details.js";
import { linkModels, type ForeignProgram, type LinkReport } from "../models/library/link.js";
import type { LoadedRegistry } from "../models/registry.js";
import { settingNames } from "../models/settings.js";
import type { FitOptions, FitReport } from "../doctor/model-fit.js";
import type { TemplateReport } from "../doctor/template-report.js";
import { adaptersOver, describeDeletion, ownPath, removeModelFiles } from "./models/files.js";
import { openRegistry, openSettings } from "./models/models.js";
import { auditSettings, recordEntries } from "./operator-audit.js";
import { createOperatorSettings, type OperatorSettings } from "./operator-settings.js";

export type { FitReport, MemoryReport, KnownInMemory } from "../doctor/model-fit.js";
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
  listAdapters(id: string): readonly string[];
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
    template: async (model) => (await import("../doctor/template-report.js")).readModelTemplate(model),
    async fit(model, options) {
      const { measureFit } = await import("../doctor/model-fit.js");
      const { llamaSettings } = await import("./engines/llama-settings.js");
      const url = options.workerUrl ?? workerUrl;
      return measureFit(config, llamaSettings(config), model, await readDetails(model), {
        ...options,
        workerUrl: url,
      });
    },
    async remove(model) {
      await removeModelFiles(config, model);
      await recordEntries(config, [describeDeletion(model)]);
      await settings.forget(model.manifest.id);
      await registry.refresh();
    },
    listAdapters: (id) => adaptersOver(registry, store.read().settings, id),
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

function resolve(registry: LoadedRegistry, name: string): Model {
  const model = registry.find(name);
  if (model !== null) return model;
  const closest = closestNames(name, registry.list());
  const hint = closest.length === 0 ? "`hearth ls` lists the models." : `Did you mean ${closest.join(", ")}?`;
  throw new HearthError("model_not_found", `There is no model '${name.slice(0, 200)}'. ${hint}`);
}
