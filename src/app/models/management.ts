/** The part of the composition root that builds what manages the models of a running server: reload, settings and downloads. */
import { commitEntries, type AuditEntry } from "../../accounts/audit/audited-change.js";
import type { Actor } from "../../accounts/audit/event.js";
import type { Config } from "../../config/config.js";
import { startModelChecks } from "../../doctor/model-trials.js";
import { serverFit } from "../../doctor/server-fit.js";
import { ModelLoader } from "../../inference/model-loader.js";
import { PullJobs } from "../../jobs/pulls/pull-jobs.js";
import { ModelAdmin } from "../../models/admin/model-admin.js";
import type { Puller } from "../../models/hub/puller.js";
import { createModelUpkeep } from "../../models/reload.js";
import type { Engines } from "../engines/engines.js";
import { llamaSettings } from "../engines/llama-settings.js";
import type { Stores } from "../stores/stores.js";
import type { SystemDeps } from "../system-deps.js";
import { modelFolders, type LoadedModels } from "./models.js";
import { openPuller } from "./pulls.js";

/** @param open opens what downloads models; absent: with no settings of the environment */
export function buildModelManagement(
  config: Config,
  deps: LoadedModels & Stores & SystemDeps & { readonly engines: Engines },
  open: () => Promise<Puller> = () => openPuller(config, {}, false),
) {
  const { engines, models, modelSettings: settings } = deps;
  const modelUpkeep = createModelUpkeep({
    ...deps,
    startChecks: (registry) => startModelChecks(registry, engines.onnxCheck, deps),
  });
  const reload = (): Promise<void> => modelUpkeep.reload();
  const record = (actor: Actor, entries: readonly AuditEntry[]) => commitEntries(deps, actor, entries);
  return {
    modelUpkeep,
    services: {
      modelAdmin: new ModelAdmin({ models, settings, folders: modelFolders(config), reload, record }),
      modelLoader: new ModelLoader({ ...engines, record }),
      applySettings: () => modelUpkeep.applySettings(),
      measureFit: serverFit(llamaSettings(config), config.memoryBytesMax),
      pullJobs: new PullJobs({ ...deps, openPuller: open, reloadModels: reload }),
    },
  };
}
