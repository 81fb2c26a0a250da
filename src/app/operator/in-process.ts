/** The part of the composition root that serves the operator's interface in the process of a command. */
import type { RequestOptions } from "node:http";
import { duplexPair } from "node:stream";
import type { Config } from "../../config/config.js";
import { configuredUrl } from "../../config/configured-url.js";
import type { Clock } from "../../core/clock.js";
import { silentLogger } from "../../core/logger.js";
import { BodyBudget } from "../../core/requests/body-budget.js";
import { operatorRoutes } from "../../http/management/operator/routes.js";
import { defaultHttpLimits, type AccountContext } from "../../http/server/app-context.js";
import { createOperatorServer } from "../../http/server/operator-server.js";
import { systemClock, systemRandom } from "../../system/clock.js";
import { buildAccounts, buildAccountStores } from "../accounts.js";
import { openForCommand } from "../stores/open-database.js";

/** Leads to the interface for one command. */
export interface Operator {
  /** What requests of `node:http` need to reach it. */
  readonly connection: Pick<RequestOptions, "socketPath" | "createConnection">;
  readonly clock: Clock;
  close(): Promise<void>;
}

/** Opens the configured database, and serves its accounts to one command. */
export async function openInProcess(config: Config): Promise<Operator> {
  const database = await openForCommand(config);
  const system = { clock: systemClock, random: systemRandom, logger: silentLogger };
  let hasDeleted = false;
  database.onDeletion(() => (hasDeleted = true));
  const served = serveInProcess({
    ...system,
    accounts: buildAccounts(config, { ...buildAccountStores(database), ...system }),
    configuredUrl: configuredUrl(config),
    limits: { ...defaultHttpLimits, bodyBytesMax: config.bodyBytesMax },
    bodyBudget: new BodyBudget(systemClock, config.bodiesBytesMax),
    // Few commands need the models, and reading them takes longer than the rest.
    readModels: async () => (await import("../models/models.js")).openRegistry(config),
  });
  return {
    ...served,
    async close() {
      // A server that runs elsewhere does not know of the deletion.
      if (hasDeleted) database.erase();
      await database.close();
    },
  };
}

/** Serves the routes of the operator without an address. */
export function serveInProcess(context: AccountContext): Omit<Operator, "close"> {
  const server = createOperatorServer(context, operatorRoutes);
  return {
    clock: context.clock,
    connection: {
      createConnection() {
        const [client, connection] = duplexPair();
        server.emit("connection", connection);
        return client;
      },
    },
  };
}
