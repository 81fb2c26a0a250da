/** The part of the composition root that builds what manages the models of a running server: reload, settings and downloads. */
import { createModelAdmin } from "../accounts/models/model-admin.js";
import type { Config } from "../config.js";
import { createPullJobs } from "../jobs/pulls/pull-jobs.js";
import type { Puller } from "../models/hub/puller.js";
import type { SystemDeps } from "./chat-engine.js";
import { createModelUpkeep, type UpkeepDeps } from "./model-reload.js";
import { remoteSettings, type LoadedModels } from "./models.js";
import { openServerPuller } from "./pulls.js";
import type { Stores } from "./stores.js";

/** @param openPuller absent: one with no settings of the environment */
export function buildModelManagement(
  config: Config,
  deps: LoadedModels & Stores & SystemDeps & UpkeepDeps,
  openPuller: (() => Promise<Puller>) | undefined,
) {
  const modelUpkeep = createModelUpkeep(config, deps);
  const reload = (): Promise<void> => modelUpkeep.reload();
  return {
    modelUpkeep,
    modelAdmin: createModelAdmin({ ...deps, settings: remoteSettings(deps.modelSettings), reload }),
    pullJobs: createPullJobs({
      ...deps,
      openPuller: openPuller ?? (() => openServerPuller(config, {})),
      reloadModels: reload,
    }),
  };
}
