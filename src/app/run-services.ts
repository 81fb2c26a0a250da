import { createSecretFilter } from "../accounts/credentials/secret.js";
import type { BudgetGuard } from "../accounts/budgets/guard.js";
import type { Config } from "../config/config.js";
import type { ModelRegistry } from "../core/model.js";
import type { ServerMetrics } from "../telemetry/metrics/server-metrics.js";
import type { Scheduler } from "../scheduler/scheduler.js";
import type { SystemDeps } from "./engines/workers.js";
import { listPinnedKeys } from "./http-settings.js";
import type { Stores } from "./stores/stores.js";
import { buildRequestBodies } from "./bodies.js";

interface RunParts {
  readonly models: ModelRegistry;
  readonly scheduler: Scheduler;
  readonly budgetGuard: BudgetGuard;
  readonly metrics: ServerMetrics;
}

/** Returns what runs of every kind are executed over. */
export function buildRunServices<System extends SystemDeps>(
  config: Config,
  system: System,
  stores: Stores,
  { models, scheduler, budgetGuard, metrics }: RunParts,
) {
  return {
    ...system,
    models,
    slots: scheduler,
    runs: stores.runs,
    ledger: stores.ledger,
    budgets: budgetGuard,
    withoutSecrets: createSecretFilter(listPinnedKeys(config)),
    metrics,
    bodies: buildRequestBodies(config, { ...stores, ...system }),
    onSettleFailure: (runId: string, err: unknown) =>
      system.logger.error({ runId, err }, "a run could not be settled"),
  };
}
