/**
 * Everything between the database and the HTTP server, built from the configuration, top to bottom: what comes later is built over what
 * comes before.
 */
import { openLimitCounting } from "../accounts/limits/counting.js";
import { type Config, type LoadedConfig, isLoopback } from "../config/config.js";
import type { ServerLoad } from "../core/metrics.js";
import type { ModelRegistry } from "../core/model.js";
import { createReadiness } from "../doctor/readiness.js";
import {
  type AppContext,
  type HttpLimits,
  defaultHttpLimits,
  type ServerAccounts,
} from "../http/server/app-context.js";
import { createRequestLog } from "../inference/requests/request-log.js";
import { LiveRuns } from "../inference/run/live-runs.js";
import { RefusedBudgets } from "../jobs/alerts/conditions/refused-budgets.js";
import type { DiskSpace } from "../jobs/alerts/conditions/server.js";
import { createTakeOver } from "../jobs/take-over.js";
import type { Puller } from "../models/hub/puller.js";
import { Scheduler } from "../scheduler/scheduler.js";
import type { Database } from "../store/database.js";
import { startErasure } from "../store/erasure.js";
import { DatabaseHealth } from "../store/health.js";
import { createMetrics } from "../telemetry/metrics/server-metrics.js";
import { buildAuthentication, buildBudgetGuard, buildAccounts, type AccountDeps } from "./accounts.js";
import { buildDoctor } from "./doctor.js";
import { buildEngines, type EngineOverrides, type Engines } from "./engines/engines.js";
import type { SystemDeps } from "./system-deps.js";
import { buildAlerts } from "./jobs/alerts.js";
import { buildJobs } from "./jobs/jobs.js";
import { loadModels, modelFolders, type LoadedModels } from "./models/models.js";
import { buildRunners, type RunnerOverrides } from "./runners.js";
import type { Stores } from "./stores/stores.js";
import { noTracing } from "../core/telemetry/tracing.js";
import { version } from "../system/version.js";
import { openTls, type ServerTls, type TlsDeps } from "../http/server/tls.js";
import { listPinnedKeys } from "../config/pinned-keys.js";
import { createSignInAttempts } from "../accounts/sign-in/attempts.js";
import { createFailedSignIns } from "../accounts/sign-in/failed-sign-ins.js";
import { createOidcSignIn, type OidcSettings } from "../accounts/sign-in/oidc/oidc-sign-in.js";
import type { PasswordCost } from "../accounts/sign-in/passwords.js";
import { createSignIn } from "../accounts/sign-in/sign-in.js";
import type { Logger } from "../core/logger.js";
import { commitEntries } from "../accounts/audit/audited-change.js";
import type { Actor, AuditEntry } from "../accounts/audit/event.js";
import { startModelChecks } from "../doctor/model-trials.js";
import { serverFit } from "../doctor/server-fit.js";
import { ModelLoader } from "../inference/model-loader.js";
import { PullJobs } from "../jobs/pulls/pull-jobs.js";
import { ModelAdmin } from "../models/admin/model-admin.js";
import { createModelUpkeep } from "../models/reload.js";
import { llamaSettings } from "./engines/llama-settings.js";
import { openPuller } from "./models/pulls.js";

/** Parts that are used instead of the parts that would be built. */
export interface ContextOverrides extends EngineOverrides, RunnerOverrides {
  /** The models of the server, instead of the models in the configured folders. */
  readonly registry?: ModelRegistry;
  /** Limits of the HTTP server that the configuration does not set. */
  readonly httpLimits?: Partial<HttpLimits>;
  /** What the hash of a new password costs; absent: the default. */
  readonly passwordCost?: PasswordCost;
  /** Opens what downloads models; absent: with no settings of the environment. */
  readonly openPuller?: () => Promise<Puller>;
  /** Returns the space of the disk of a folder, instead of what the system says. */
  readonly diskSpace?: (folder: string) => Promise<DiskSpace>;
  /** Stops the server, when a command asks for it; absent: no command can. */
  readonly requestStop?: AppContext["requestStop"];
  /** Where each setting comes from, for the people who read them; absent: no setting is shown. */
  readonly sources?: LoadedConfig["sources"];
  /** Folder of the guides, instead of src/docs or its copy in dist/. */
  readonly guidesFolder?: URL;
}

type ServerOverrides = ContextOverrides & Pick<AppContext, "linkBase">;

export type Built = Awaited<ReturnType<typeof buildContext>>;

/** Builds the context; nothing runs yet, and no model is loaded. @throws Error with one sentence for a setting that cannot be used. */
export async function buildContext(
  config: Config,
  overrides: ServerOverrides,
  { clock, random, logger }: SystemDeps,
  database: Database,
  stores: Stores,
) {
  const tracing = await buildTracing(config, { clock, random, logger });
  const system = { clock, random, logger, tracing };
  const watched = watchDatabase(database, system);

  const takeOver = createTakeOver(stores.nodes, { ...stores, ...system });
  await takeOver.atStart();

  const loaded = await loadModels(config, system, overrides.registry);
  const { models } = loaded;
  const scheduler = new Scheduler(config, clock, stores.broadcast);
  const engines = buildEngines(config, system, loaded, overrides);
  const load = (): ServerLoad => scheduler.readServerLoad(engines.all);
  const admission = await buildAdmission(config, system, stores, engines, load);
  const { limits, metrics, budgetGuard, authentication, keyUse } = admission;
  const liveRuns = new LiveRuns(clock, config.runsActiveMax);
  takeOver.watch(liveRuns);
  const parts = { ...admission, models, engines, scheduler, liveRuns };
  const runners = await buildRunners(config, overrides, system, stores, parts);
  const jobs = buildJobs(config, { ...stores, ...authentication, ...system, ...runners });
  const { diskSpace, sources = null } = overrides;
  const alerts = buildAlerts(config, { ...system, ...admission, stores, models, diskSpace });
  const managed = { ...loaded, ...stores, ...system, engines };
  const management = buildModelManagement(config, managed, overrides.openPuller);

  const context: AppContext = {
    ...httpSettings(config, system, overrides),
    ...system,
    ...authentication,
    ...runners,
    ...jobs.services,
    ...management.services,
    ...createReadiness({ ...watched, ...limits, models, engines }),
    budgetGuard,
    accounts: buildServerAccounts(config, { ...stores, ...system, passwordCost: overrides.passwordCost }),
    requestLog: createRequestLog({ ...stores, ...system, liveRuns }),
    alerts: alerts.service,
    readModels: () => Promise.resolve(models),
    imageStore: stores.images,
    hostedTokenizer: engines.hostedTokenizer,
    doctor: buildDoctor({ config, sources }, { ...stores, ...system, models }),
    metrics,
    serverNames: () => stores.nodes.names(),
    load,
  };
  const { modelUpkeep } = management;
  return {
    context,
    engines,
    scheduler,
    liveRuns,
    jobs,
    takeOver,
    alerts,
    modelUpkeep,
    keyUse,
    limits,
    tracing,
    ...watched,
  };
}

/** Builds what admits requests: keys, limits and budgets, and the metrics that count what becomes of them. */
async function buildAdmission(
  config: Config,
  system: SystemDeps,
  stores: Stores,
  engines: Engines,
  load: () => ServerLoad,
) {
  const limits = await openLimitCounting(config, { ...stores, ...system });
  const metrics = createMetrics(load, system.clock, config, limits.redis);
  const refused = new RefusedBudgets();
  const budgetGuard = buildBudgetGuard({
    ...stores,
    ...system,
    onRefusal: (statuses) => refused.add(statuses),
  });
  const { keyUse, ...authentication } = buildAuthentication({ ...stores, ...system, ...engines, ...limits });
  return { limits, metrics, refused, budgetGuard, authentication, keyUse };
}

/** Starts what runs beside the requests: the check of the database, and the erasure of deleted rows. */
function watchDatabase(database: Database, { clock, logger }: SystemDeps) {
  const health = new DatabaseHealth(database, clock, (problem) => {
    if (problem === null) logger.info({}, "the database can be used again");
    else logger.error({ problem }, "the database cannot be used");
  });
  const onError = (err: unknown): void => logger.error({ err }, "deleted rows could not be erased");
  return { health, erasure: startErasure(database, clock, onError) };
}

/** Builds the traces as the variables of OpenTelemetry say. Its SDK is loaded only where they ask for it. */
async function buildTracing(config: Config, { clock, logger }: SystemDeps) {
  const { traceExport } = config;
  if (traceExport.state === "refused") logger.warn({ reason: traceExport.reason }, "nothing is traced");
  if (traceExport.state !== "on") return { ...noTracing, close: () => Promise.resolve() };
  const { createOpenTelemetry } = await import("../telemetry/open-telemetry.js");
  return createOpenTelemetry({
    ...traceExport,
    clock,
    version,
    takesContent: config.traceContent,
    log: (problem) => logger.warn({ problem }, "traces are not exported as they should be"),
  });
}

/** Reads the certificate of the server; null if none is configured. @throws Error with one sentence when it cannot be used. */
function buildTls({ tlsCert, tlsKey }: Config, deps: TlsDeps): ServerTls | null {
  return tlsCert === null || tlsKey === null ? null : openTls({ certFile: tlsCert, keyFile: tlsKey }, deps);
}

/**
 * Returns what is said of the HTTP server.
 * @throws Error with one sentence when its certificate cannot be used.
 */
function httpSettings(
  config: Config,
  deps: TlsDeps,
  { httpLimits, linkBase, requestStop, guidesFolder }: ServerOverrides,
) {
  return {
    linkBase,
    requestStop,
    guidesFolder,
    limits: { ...defaultHttpLimits, bodyBytesMax: config.bodyBytesMax, ...httpLimits },
    tls: buildTls(config, deps),
    allowedHosts: isLoopback(config.host) ? config.allowedHosts : null,
    corsOrigins: config.corsOrigins,
    ollamaApi: config.ollamaApi === "on",
    ollamaKey: config.ollamaKey,
    pinnedKeys: listPinnedKeys(config),
    trustProxy: config.trustProxy,
    publicUrl: config.publicUrl,
    // Behind a proxy, a loopback address can be reached by everyone.
    metricsOpen: isLoopback(config.host) && !config.trustProxy,
    version,
  };
}

/** Builds the services; the limits of sign-ins by password and of those through a provider are the same. */
function buildServerAccounts(
  config: Config,
  deps: AccountDeps & { readonly logger: Logger; readonly passwordCost?: PasswordCost },
): ServerAccounts {
  const shared = { attempts: createSignInAttempts(deps.clock), failures: createFailedSignIns(deps) };
  const settings = toOidcSettings(config);
  return {
    ...buildAccounts(config, deps),
    signIn: createSignIn({ ...deps, ...shared }),
    oidc: settings === null ? null : createOidcSignIn({ ...deps, ...shared }, settings),
  };
}

/** Returns the provider of the settings; null when there is none. */
function toOidcSettings(config: Config): OidcSettings | null {
  const { oidcIssuer, oidcClientId } = config;
  if (oidcIssuer === null || oidcClientId === null) return null;
  return {
    issuer: oidcIssuer,
    clientId: oidcClientId,
    clientSecret: config.oidcClientSecret,
    name: config.oidcName,
    scopes: config.oidcScopes,
    groupsClaim: config.oidcGroupsClaim,
    groups: config.oidcGroups,
  };
}

/** @param open opens what downloads models; absent: with no settings of the environment */
function buildModelManagement(
  config: Config,
  deps: LoadedModels & Stores & SystemDeps & { readonly engines: Engines },
  open: () => Promise<Puller> = () => openPuller(config, {}, false),
) {
  const { engines, models, modelSettings: settings } = deps;
  const modelUpkeep = createModelUpkeep({
    ...deps,
    startChecks: (registry) => startModelChecks(registry, engines.onnxCheck, deps),
  });
  const reload = (): Promise<void> => modelUpkeep.reload();
  const record = (actor: Actor, entries: readonly AuditEntry[]) => commitEntries(deps, actor, entries);
  return {
    modelUpkeep,
    services: {
      modelAdmin: new ModelAdmin({ models, settings, folders: modelFolders(config), reload, record }),
      modelLoader: new ModelLoader({ ...engines, record }),
      applySettings: () => modelUpkeep.applySettings(),
      measureFit: serverFit(llamaSettings(config), config.memoryBytesMax),
      pullJobs: new PullJobs({ ...deps, openPuller: open, reloadModels: reload }),
    },
  };
}
