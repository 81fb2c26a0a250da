/** The part of the composition root that watches the database and the load of the server. */
import type { Clock } from "../core/clock.js";
import type { Engine } from "../core/engine.js";
import type { Logger } from "../core/logger.js";
import type { ServerLoad } from "../core/metrics.js";
import type { Scheduler } from "../scheduler/scheduler.js";
import type { Database } from "../store/database.js";
import { startErasure, type Erasure } from "../store/erasure.js";
import { createDatabaseHealth, type DatabaseHealth } from "../store/health.js";

/** Starts what runs beside the requests: the check of the database, and the erasure of deleted rows. */
export function watchDatabase(
  database: Database,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): { readonly health: DatabaseHealth; readonly erasure: Erasure } {
  const health = createDatabaseHealth(database, clock, (problem) => {
    if (problem === null) logger.info({}, "the database can be used again");
    else logger.error({ problem }, "the database cannot be used");
  });
  const erasure = startErasure(database, clock, (err) =>
    logger.error({ err }, "deleted rows could not be erased"),
  );
  return { health, erasure };
}

/** Returns the current load of the server. */
export function readServerLoad(
  engines: readonly Pick<Engine, "residents">[],
  scheduler: Scheduler,
): ServerLoad {
  const residents = engines.flatMap((engine) => engine.residents());
  const models = residents.map((model) => ({ ...model, slotsHeld: scheduler.slotsHeld(model.id) }));
  const runs: ServerLoad["runs"] = (teamId) => scheduler.readLoad(teamId);
  return { queueDepth: scheduler.load.waiting, models, runs };
}
