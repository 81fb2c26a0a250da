/** The part of the composition root that builds what manages the models of a running server: reload, settings and downloads. */
import { createModelAdmin } from "../accounts/models/model-admin.js";
import type { Config } from "../config.js";
import { createPullJobs } from "../jobs/pulls/pull-jobs.js";
import type { Puller } from "../models/hub/puller.js";
import type { AuditEntry } from "../accounts/audit/audited-change.js";
import { HearthError } from "../core/errors.js";
import type { Model } from "../core/model.js";
import { readDetails } from "../models/library/details.js";
import type { SystemDeps } from "./chat-engine.js";
import { adaptersOver, deletionOf, removeModelFiles } from "./model-files.js";
import { createModelUpkeep, type UpkeepDeps } from "./model-reload.js";
import { remoteSettings, type LoadedModels } from "./models.js";
import { openServerPuller } from "./pulls.js";
import { forgetSettings } from "./operator-settings.js";
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
    modelAdmin: createModelAdmin({
      ...deps,
      settings: remoteSettings(deps.modelSettings),
      removeFiles: (model) => removePulled(config, deps, model),
      reload,
    }),
    pullJobs: createPullJobs({
      ...deps,
      openPuller: openPuller ?? (() => openServerPuller(config, {})),
      reloadModels: reload,
    }),
  };
}

/** @throws HearthError `conflict` for a model that was not pulled, or that adapters are based on. */
async function removePulled(
  config: Config,
  { models, modelSettings: store }: LoadedModels,
  model: Model,
): Promise<AuditEntry> {
  const { id } = model.manifest;
  const [adapter] = adaptersOver(models, store.read().settings, id);
  if (adapter !== undefined)
    throw new HearthError("conflict", `'${id}' is the base of the adapter '${adapter}'.`);
  if ((await readDetails(model)).origin === null)
    throw new HearthError("conflict", `'${id}' was not pulled, and only pulled models are deleted.`);
  await removeModelFiles(config, model);
  forgetSettings({ config, store }, id);
  return deletionOf(model);
}
