/** The part of the composition root that builds what operators use: the management of models, and the checks of the installation. */
import type { Config, LoadedConfig } from "../../config/config.js";
import type { Puller } from "../../models/hub/puller.js";
import { examineServer } from "../doctor/report.js";
import { buildModelManagement } from "../model-management.js";
import type { Stores } from "../stores.js";

export interface ManagementOverrides {
  readonly sources?: LoadedConfig["sources"];
  readonly openPuller?: () => Promise<Puller>;
}

/** Builds what manages the models, and what checks the installation. */
export function buildManagement(
  config: Config,
  { sources, openPuller }: ManagementOverrides,
  deps: Parameters<typeof buildModelManagement>[1] & Pick<Stores, "nodes">,
) {
  const { measureFit, ...management } = buildModelManagement(config, deps, openPuller);
  const doctor = examineServer(
    { config, sources: sources ?? null },
    {
      models: deps.models,
      isPriced: async () => (await deps.teams.list()).some(({ billing }) => billing === "prepaid"),
      servers: () => deps.nodes.running(),
      now: () => deps.clock.now(),
    },
  );
  return { ...management, inspection: { measureFit, doctor } };
}
