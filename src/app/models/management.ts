/** The part of the composition root that builds what manages the models of a running server: reload, settings and downloads. */
import { createModelAdmin, type ModelMemoryControl } from "../../accounts/model-admin.js";
import type { Config } from "../../config/config.js";
import { createPullJobs } from "../../jobs/pulls/pull-jobs.js";
import type { Puller } from "../../models/hub/puller.js";
import type { AuditEntry } from "../../accounts/audit/audited-change.js";
import { HearthError } from "../../core/errors.js";
import { refuseUnusable } from "../../inference/usable-model.js";
import type { Model } from "../../core/model.js";
import { readDetails } from "../../models/library/details.js";
import type { SystemDeps } from "../system-deps.js";
import type { Engines } from "../engines/engines.js";
import { llamaSettings } from "../engines/llama-settings.js";
import { startModelChecks } from "../engines/onnx.js";
import { serverFit } from "../../doctor/server-fit.js";
import { adaptersOver, describeDeletion, removeModelFiles } from "./files.js";
import { createModelUpkeep } from "../../models/reload.js";
import { type LoadedModels, remoteSettings } from "./models.js";
import { openServerPuller } from "./pulls.js";
import { forgetSettings } from "../operator-settings.js";
import type { Stores } from "../stores/stores.js";

/** @param openPuller absent: one with no settings of the environment */
export function buildModelManagement(
  config: Config,
  deps: LoadedModels & Stores & SystemDeps & { readonly engines: Engines },
  openPuller: (() => Promise<Puller>) | undefined,
) {
  const { onnxCheck } = deps.engines;
  const modelUpkeep = createModelUpkeep({
    ...deps,
    startChecks: (registry) => startModelChecks(registry, onnxCheck, deps),
  });
  const reload = (): Promise<void> => modelUpkeep.reload();
  return {
    modelUpkeep,
    modelServices: {
      modelAdmin: createModelAdmin({
        ...deps,
        settings: remoteSettings(deps.modelSettings),
        memory: memoryControl(deps.engines),
        removeFiles: (model) => removePulled(config, deps, model),
        reload,
      }),
      applySettings: () => modelUpkeep.applySettings(),
    },
    measureFit: serverFit(llamaSettings(config), config.memoryBytesMax),
    pullJobs: createPullJobs({
      ...deps,
      openPuller: openPuller ?? (() => openServerPuller(config, {})),
      reloadModels: reload,
    }),
  };
}

function memoryControl({ engine, embeddingEngine, imageEngine, memory }: Engines): ModelMemoryControl {
  const findEngine = ({ manifest: { id, kind } }: Model) => {
    if (kind === "chat") return engine;
    if (kind === "image") return imageEngine;
    if (kind !== "vision") return embeddingEngine;
    const reason = `'${id}' is a vision model, which the first image loads.`;
    throw new HearthError("invalid_value", `model: ${reason}`, { param: "model" });
  };
  return {
    async load(model, signal) {
      refuseUnusable(model);
      const loaded = await findEngine(model).load(model, signal);
      loaded.release();
    },
    unload: (id) => memory.unload(id),
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
  return describeDeletion(model);
}
