/** The part of the composition root that serves the operator's interface about accounts in the process of a command. */
import type { Config } from "../../config/config.js";
import { silentLogger } from "../../core/logger.js";
import { BodyBudget } from "../../core/requests/body-budget.js";
import { accountRoutes } from "../../http/management/operator/routes.js";
import { defaultHttpLimits } from "../../http/server/app-context.js";
import { systemClock, systemRandom } from "../../system/clock.js";
import type { Database } from "../../store/database.js";
import { buildAccounts, buildAccountStores } from "../accounts.js";
import { followAddress } from "../../config/link-base.js";
import { isWithoutDatabase, openEmptyDatabase, openForCommand } from "../stores/open-database.js";
import { serveInProcess, type Operator } from "./serve.js";

/**
 * Opens the configured database, and serves its accounts to one command. If there is none yet, an empty one that is deleted afterwards
 * answers what the command reads, and the configured one is created for the first change that succeeds on it.
 */
export async function openInProcess(config: Config): Promise<Operator> {
  if (!isWithoutDatabase(config)) return serveDatabase(config, await openForCommand(config));
  let served = serveDatabase(config, await openEmptyDatabase());
  let isTemporary = true;
  return {
    clock: systemClock,
    connection: { createConnection: (...options) => served.connection.createConnection?.(...options) },
    async prepareChange(rehearse) {
      if (!isTemporary) return;
      await rehearse();
      isTemporary = false;
      await served.close();
      served = serveDatabase(config, await openForCommand(config));
    },
    close: () => served.close(),
  };
}

function serveDatabase(config: Config, database: Database): Operator {
  const system = { clock: systemClock, random: systemRandom, logger: silentLogger };
  let hasDeleted = false;
  database.onDeletion(() => (hasDeleted = true));
  const context = {
    ...system,
    accounts: buildAccounts(config, { ...buildAccountStores(database), ...system }),
    linkBase: followAddress(config).linkBase,
    limits: { ...defaultHttpLimits, bodyBytesMax: config.bodyBytesMax },
    bodyBudget: new BodyBudget(systemClock, config.bodiesBytesMax),
    // Few commands need the models, and reading them takes longer than the rest.
    readModels: async () => (await import("../models/models.js")).openRegistry(config),
  };
  return {
    ...serveInProcess(context, accountRoutes),
    async close() {
      // A server that runs elsewhere does not know of the deletion.
      if (hasDeleted) database.erase();
      await database.close();
    },
  };
}
