/** The part of the composition root that builds what executes requests: generators of text, images and vectors, files and MCP servers. */
import { createSecretFilter } from "../accounts/credentials/secret.js";
import { createPromptFiles } from "../answers/prompt-files.js";
import type { BudgetGuard } from "../accounts/budgets/guard.js";
import type { Config } from "../config/config.js";
import { listPinnedKeys } from "../config/pinned-keys.js";
import type { ImageFetcher } from "../core/images/images.js";
import type { ModelRegistry } from "../core/model.js";
import { BodyBudget } from "../core/requests/body-budget.js";
import { createRedaction } from "../inference/bodies/redaction.js";
import { createRequestBodies } from "../inference/bodies/request-bodies.js";
import { createEmbedder } from "../inference/embeddings/embed.js";
import { createFileContents, type FileContents } from "../inference/files/contents.js";
import { Files } from "../inference/files/files.js";
import { createImageGenerator } from "../inference/images/generate-images.js";
import { createMcpConnector } from "../inference/mcp/connector.js";
import type { LiveRuns } from "../inference/run/live-runs.js";
import { createGenerator } from "../inference/run/text/generator.js";
import { createImageFetcher } from "../network/fetch.js";
import { readAllowedHosts } from "../network/hosts.js";
import type { Scheduler } from "../scheduler/scheduler.js";
import { filesFolder } from "../store/data-folder.js";
import { leftoversBefore } from "../store/nodes.js";
import { version } from "../system/version.js";
import type { ServerMetrics } from "../telemetry/metrics/server-metrics.js";
import type { Engines } from "./engines/engines.js";
import type { Stores } from "./stores/stores.js";
import type { TracedDeps } from "./system-deps.js";

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

/** Builds what executes requests. @throws Error naming an invalid host in `imageFetch` or `mcpHosts`. */
export async function buildRunners(
  config: Config,
  overrides: RunnerOverrides,
  system: TracedDeps,
  stores: Stores,
  { models, engines, scheduler, budgetGuard, metrics, liveRuns }: RunnerParts,
) {
  const { clock, logger } = system;
  const withoutSecrets = createSecretFilter(listPinnedKeys(config));
  const services = {
    ...system,
    ...engines,
    models,
    slots: scheduler,
    runs: stores.runs,
    ledger: stores.ledger,
    images: stores.images,
    budgets: budgetGuard,
    withoutSecrets,
    metrics,
    bodies: createRequestBodies({
      bodies: stores.bodyStore,
      clock,
      limits: config,
      redact: createRedaction(config.requestBodiesRedact, withoutSecrets),
      onError: (err) => logger.error({ err }, "what a request and its answer have could not be kept"),
    }),
    onSettleFailure: (runId: string, err: unknown) =>
      logger.error({ runId, err }, "a run could not be settled"),
  };
  const contents = overrides.fileContents ?? createFileContents(filesFolder(config));
  const files = new Files({ ...stores, ...system, contents, limits: config });
  // What a process that died has left.
  await files.removeLeftovers(leftoversBefore(stores.nodes, clock.now()));
  const fetcher = overrides.fileFetcher ?? buildFileFetcher(config, system);
  return {
    models,
    generator: createGenerator(liveRuns, { ...services, reasoningTokensMax: config.reasoningTokensMax }),
    imageGenerator: createImageGenerator(liveRuns, services),
    embedder: createEmbedder(liveRuns, services),
    files,
    promptFiles: createPromptFiles({ files, pdfs: engines.pdfs, fetcher, clock }),
    mcp: buildMcp(config, system),
    bodyBudget: new BodyBudget(clock, config.bodiesBytesMax),
  };
}

function buildFileFetcher({ imageFetch }: Config, { clock, logger, tracing }: TracedDeps): ImageFetcher {
  return createImageFetcher({
    clock,
    log: (message) => logger.warn({ engine: "files" }, message),
    allowedHosts: readAllowedHosts(imageFetch, "imageFetch"),
    fetches: "files",
    headers: () => tracing.headers(),
  });
}

/** Builds what connects to MCP servers; nothing is connected yet. */
function buildMcp(config: Config, { clock, logger, tracing }: TracedDeps) {
  const { mcpTimeoutMs, mcpResultBytesMax, mcpToolsMax, mcpServersMax } = config;
  return createMcpConnector({
    clock,
    version,
    allowedHosts: readAllowedHosts(config.mcpHosts, "mcpHosts"),
    limits: { timeoutMs: mcpTimeoutMs, resultBytesMax: mcpResultBytesMax, toolsMax: mcpToolsMax },
    serversMax: mcpServersMax,
    headers: () => tracing.headers(),
    log: (message) => logger.warn({ engine: "mcp" }, message),
  });
}
