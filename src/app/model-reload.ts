/** The part of the composition root that applies changes of model files and of settings of models while the server runs. */
import { isDeepStrictEqual } from "node:util";
import { ConfigError, readModelSettings, type Config } from "../config.js";
import type { Clock } from "../core/clock.js";
import type { Logger } from "../core/logger.js";
import type { Model } from "../core/model.js";
import type { LoadedRegistry } from "../models/registry.js";
import type { SettingsByModel } from "../models/settings.js";
import { watchModelFiles, type WatchedFiles } from "../models/folders/watch.js";
import { modelSettingsFile } from "./data-folder.js";
import { startModelChecks, type OnnxCheck } from "./onnx-models.js";

/** The settings of models in the configuration file, as they were last valid. */
export interface ConfiguredModels {
  readonly settings: SettingsByModel;
  readonly file: string | null;
  /** Reads the file again. @returns what is wrong with it, so that the former settings still hold; null if nothing is */
  reload(): string | null;
}

export function configuredModels({ modelSettings, file }: Config): ConfiguredModels {
  let settings = modelSettings;
  return {
    file,
    get settings() {
      return settings;
    },
    reload() {
      if (file === null) return null;
      try {
        settings = readModelSettings(file);
        return null;
      } catch (thrown) {
        if (thrown instanceof ConfigError) return thrown.message;
        throw thrown;
      }
    },
  };
}

/** Returns the folders and files on which the models depend. */
export function watchedFiles(config: Config): WatchedFiles {
  const { models, modelsFolders, file } = config;
  const settings = modelSettingsFile(config);
  return { folders: [models, ...modelsFolders], files: file === null ? [settings] : [settings, file] };
}

export interface UpkeepDeps {
  /** null where the models are given: nothing changes then. */
  readonly registry: LoadedRegistry | null;
  readonly configured: ConfiguredModels;
  /** The signature of the watched files, from before the registry read them. */
  readonly since: string;
  readonly check: OnnxCheck;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What a running server does about its models. */
export interface ModelUpkeep {
  /** Begins to check the models and to watch their files. */
  start(): void;
  /** Applies what has changed now. Requests that run keep the model that they began with. */
  reload(): Promise<void>;
  stop(): void;
}

export function createModelUpkeep(config: Config, deps: UpkeepDeps): ModelUpkeep {
  const { registry, configured, since, check, clock, logger } = deps;
  let stopChecks = (): void => undefined;
  let stopWatching = (): void => undefined;
  const startChecks = (): void => {
    stopChecks();
    if (registry !== null) stopChecks = startModelChecks(registry, check, { clock, logger });
  };
  const reload = async (): Promise<void> => {
    if (registry === null) return;
    const problem = configured.reload();
    if (problem !== null)
      logger.error(
        { problem },
        "the configuration file cannot be used; its former settings of models still hold",
      );
    const before = registry.list();
    await registry.refresh();
    report(before, registry, logger);
    startChecks();
  };
  return {
    reload,
    start() {
      startChecks();
      if (registry === null) return;
      const onChange = (): Promise<void> =>
        reload().catch((err: unknown) =>
          logger.error({ err }, "a change of the models could not be applied"),
        );
      stopWatching = watchModelFiles({ ...watchedFiles(config), since, clock, onChange });
    },
    stop() {
      stopChecks();
      stopWatching();
    },
  };
}

function report(before: readonly Model[], registry: LoadedRegistry, logger: Logger): void {
  const old = new Map(before.map((model) => [model.manifest.id, model]));
  const now = new Map(registry.list().map((model) => [model.manifest.id, model]));
  for (const [id, model] of now) {
    const former = old.get(id);
    if (isDeepStrictEqual(former, model)) continue;
    const fields = { model: id, ...(model.unusable === null ? {} : { reason: model.unusable }) };
    logger.info(fields, former === undefined ? "a model was added" : "a model was changed");
  }
  for (const id of old.keys()) if (!now.has(id)) logger.info({ model: id }, "a model was removed");
  for (const warning of registry.warnings) logger.warn({ warning }, "models folder");
}
