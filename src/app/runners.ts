/** The part of the composition root that builds what executes requests: generators of text, images and vectors, files and MCP servers. */
import type { BudgetGuard } from "../accounts/budgets/guard.js";
import { createSecretFilter } from "../accounts/credentials/secret.js";
import type { Config } from "../config/config.js";
import type { ImageFetcher } from "../core/images/images.js";
import type { ModelRegistry } from "../core/model.js";
import { BodyBudget } from "../core/requests/body-budget.js";
import { createEmbedder } from "../inference/embeddings/embed.js";
import type { FileContents } from "../inference/files/contents.js";
import { createImageGenerator } from "../inference/images/generate-images.js";
import type { LiveRuns } from "../inference/run/live-runs.js";
import { createGenerator } from "../inference/run/text/generator.js";
import type { Scheduler } from "../scheduler/scheduler.js";
import type { ServerMetrics } from "../telemetry/metrics/server-metrics.js";
import { buildRequestBodies } from "./bodies.js";
import type { Engines } from "./engines/engines.js";
import { buildMcp } from "./engines/mcp.js";
import type { TracedDeps } from "./system-deps.js";
import { buildFiles, buildPromptFiles } from "./files.js";
import { listPinnedKeys } from "./http-settings.js";
import type { Stores } from "./stores/stores.js";

export interface RunnerOverrides {
  /** Contents of files, instead of the contents in the data folder. */
  readonly fileContents?: FileContents;
  /** Fetches the files of prompts. */
  readonly fileFetcher?: ImageFetcher;
}

interface RunnerParts {
  readonly models: ModelRegistry;
  readonly engines: Engines;
  readonly scheduler: Scheduler;
  readonly budgetGuard: BudgetGuard;
  readonly metrics: ServerMetrics;
  readonly liveRuns: LiveRuns;
}

export type Runners = Awaited<ReturnType<typeof buildRunners>>;

/** Builds what executes requests. */
export async function buildRunners(
  config: Config,
  { fileContents, fileFetcher: fetcher }: RunnerOverrides,
  system: TracedDeps,
  stores: Stores,
  { models, engines, scheduler, budgetGuard, metrics, liveRuns }: RunnerParts,
) {
  const { reasoningTokensMax } = config;
  const services = {
    ...system,
    ...engines,
    models,
    slots: scheduler,
    runs: stores.runs,
    ledger: stores.ledger,
    images: stores.images,
    budgets: budgetGuard,
    withoutSecrets: createSecretFilter(listPinnedKeys(config)),
    metrics,
    bodies: buildRequestBodies(config, { ...stores, ...system }),
    onSettleFailure: (runId: string, err: unknown) =>
      system.logger.error({ runId, err }, "a run could not be settled"),
  };
  const files = await buildFiles(config, { ...stores, ...system }, fileContents);
  return {
    models,
    generator: createGenerator(liveRuns, { ...services, reasoningTokensMax }),
    imageGenerator: createImageGenerator(liveRuns, services),
    embedder: createEmbedder(liveRuns, services),
    files,
    promptFiles: buildPromptFiles(config, system, { ...engines, files, fetcher }),
    mcp: buildMcp(config, system),
    bodyBudget: new BodyBudget(system.clock, config.bodiesBytesMax),
  };
}
