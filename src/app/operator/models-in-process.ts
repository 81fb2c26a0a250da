/** The part of the composition root that serves the operator's interface about models in the process of a command. */
import { commitEntries } from "../../accounts/audit/audited-change.js";
import { createAuditStore } from "../../accounts/audit/store.js";
import type { Config } from "../../config/config.js";
import { silentLogger } from "../../core/logger.js";
import { BodyBudget } from "../../core/requests/body-budget.js";
import { modelRoutes } from "../../http/management/operator/models.js";
import { defaultHttpLimits } from "../../http/server/app-context.js";
import { ModelAdmin } from "../../models/admin/model-admin.js";
import { hasDatabase } from "../../store/data-folder.js";
import { createWrites } from "../../store/writes.js";
import { systemClock, systemRandom } from "../../system/clock.js";
import { modelFolders, openLocalModels } from "../models/models.js";
import { openForCommand } from "../stores/open-database.js";
import { serveInProcess, type Operator } from "./serve.js";

/** Reads the models, and serves them to one command. Without a database no server has run yet, and there is no audit log. */
export async function openModelsInProcess(config: Config): Promise<Operator> {
  const { models, settings } = await openLocalModels(config);
  const database = hasDatabase(config) ? await openForCommand(config) : null;
  const system = { clock: systemClock, random: systemRandom, logger: silentLogger };
  const log =
    database === null
      ? null
      : { ...system, audit: createAuditStore(database), writes: createWrites(database) };
  const context = {
    ...system,
    limits: defaultHttpLimits,
    bodyBudget: new BodyBudget(systemClock, config.bodiesBytesMax),
    models,
    modelAdmin: new ModelAdmin({
      models,
      settings,
      folders: modelFolders(config),
      reload: () => models.refresh(),
      record: async (actor, entries) => (log === null ? undefined : commitEntries(log, actor, entries)),
    }),
  };
  return {
    ...serveInProcess(context, modelRoutes),
    close: async () => database?.close(),
  };
}
