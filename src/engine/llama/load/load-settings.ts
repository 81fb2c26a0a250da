import type { LoadSettings } from "../../../core/model.js";
import type { LlamaSettings } from "../protocol.js";

/** Returns the settings of the worker for one model: its own where it has any. */
export function withLoadSettings(settings: LlamaSettings, load: LoadSettings | undefined): LlamaSettings {
  if (load === undefined) return settings;
  return {
    ...settings,
    slotsPerModel: load.slots ?? settings.slotsPerModel,
    kvCacheType: load.kvCacheType ?? settings.kvCacheType,
  };
}
