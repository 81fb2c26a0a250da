import { ConfigError, readModelSettings, type Config } from "./config.js";
import type { SettingsByModel } from "../models/settings.js";

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
