import { ConfigError, readModelSettings, type Config } from "./config.js";
import type { SettingsByModel } from "../models/settings.js";

export type ConfiguredModels = ReturnType<typeof configuredModels>;

/** Holds the settings of models in the configuration file, as they were last valid. */
export function configuredModels({ modelSettings, file }: Config) {
  let settings = modelSettings;
  return {
    file,
    get settings(): SettingsByModel {
      return settings;
    },
    /** Reads the file again. @returns what is wrong with it, so that the former settings still hold; null if nothing is */
    reload(): string | null {
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
