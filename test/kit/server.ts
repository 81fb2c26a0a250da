/**
 * The way that tests start a server: the whole of it in this process, over real HTTP, with a data folder and a database of its own. It
 * closes when the test that started it ends.
 *
 * `startServer()` has the real engine and the built-in models. `startServer({ engine: script })` answers by a script, knows models without files
 * and the six keys, and has a clock that the test moves. `startServer({ accounts: "managed" })` has a management key, scripted answers,
 * and the requests of an operator.
 *
 * By default the tests of a file share one server, `fileServer(...)`, and each test has a team of its own. A server for one test alone is
 * for what they cannot share: a script, settings, a restart, counts of everything that a server did.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type OpenAI from "openai";
import { beforeAll, onTestFinished } from "vitest";
import type { PasswordCost } from "../../src/accounts/sign-in/passwords.js";
import { buildAccountStores, type AccountStores } from "../../src/app/accounts.js";
import type { Overrides } from "../../src/app/app.js";
import { loadConfig, type Config } from "../../src/config/config.js";
import type { Engine } from "../../src/core/engine.js";
import type { Model } from "../../src/core/model.js";
import type { TextRun } from "../../src/inference/run/text/text-run.js";
import type { RunRecord } from "../../src/inference/run/run-record.js";
import type { Scheduler } from "../../src/scheduler/scheduler.js";
import type { Database } from "../../src/store/database.js";
import { countingRandom } from "./counting-random.js";
import { openAgain, openNewDatabase, postgresUrlFor, writeNewDatabase } from "./databases/new-database.js";
import { onPostgres, openBeside } from "./databases/postgres/databases.js";
import { noNetwork } from "./doubles/hub/no-network.js";
import { enginesOfRun } from "./doubles/llama-server/of-run.js";
import { temporaryFolder, type Finished } from "./folder.js";
import { forFile } from "./for-file.js";
import { createManualClock, type ManualClock } from "./manual-clock.js";
import {
  createScriptedEngine,
  type Script,
  type ScriptedEngine,
  type ScriptedOptions,
} from "./scripted/engine.js";
import { createScriptedImageEngine } from "./scripted/image-engine.js";
import { noCaptioning } from "./scripted/no-captioning.js";
import { makeDeterministic, startProcessServer, type StartedServer } from "./server/built-in.js";
import { shareLlama } from "./server/llama.js";
import { manage, now, type Management } from "./server/management.js";
import { clientOf } from "./server/requests.js";
import {
  readRecords,
  recordingLogger,
  registryOf,
  scriptedConfig,
  scriptedModels,
  watchRuns,
  type LogLine,
} from "./server/scripted.js";
import { pinnedManagementKey, testKey, createUsualSettings } from "./server/settings.js";
import { seedKeys, startTime } from "./server/six-keys.js";
import { sharedThreads } from "./worker-threads.js";
import { workerUrls } from "./worker-urls.js";

export interface TestServer extends StartedServer {
  /** The official client with the pinned key. */
  readonly client: OpenAI;
}

export interface ScriptedServer extends TestServer {
  readonly engine: ScriptedEngine;
  readonly scheduler: Scheduler;
  readonly clock: ManualClock;
  readonly logs: readonly LogLine[];
  /** The prompts that the script was called with. */
  readonly prompts: readonly string[];
  /** The rows of all runs, the oldest first; also after the server has closed. */
  records(): Promise<readonly RunRecord[]>;
  /** The next run that starts; call it before the request is made. */
  nextRun(): Promise<TextRun>;
  close(): Promise<void>;
}

export interface ManagedServer extends TestServer, Management {
  readonly clock: ManualClock;
  readonly stores: AccountStores;
  /** A connection of its own to the server's database. */
  readonly database: Database;
  /** An API key with all permissions. */
  readonly apiKey: string;
}

export interface ServerOptions extends Overrides {
  /** HEARTH_* variables in addition to a free port, a new data folder and the pinned key. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Whether it starts an engine of GGUF models for itself: tests that look at which models are in memory need one. */
  readonly hasOwnEngine?: boolean;
  /** Called with what closes the server; absent: it closes when the test ends. */
  readonly finished?: Finished;
}

export interface ManagedServerOptions extends Omit<ServerOptions, "engine">, ScriptedOptions {
  readonly accounts: "managed";
  /** A script of the answers, or another engine; absent: it answers `Good day.` */
  readonly engine?: Script | Engine;
}

/** What a server over the scripted engine may have beside its script. */
export interface ScriptedSettings extends Omit<Overrides, "engine" | "registry">, ScriptedOptions {
  /** Settings that differ from the defaults of these tests. */
  readonly config?: Partial<Config>;
  /** Models that the server knows; absent: three, one of them unusable. */
  readonly models?: readonly Model[];
  readonly finished?: Finished;
}

export interface ScriptedServerOptions extends ScriptedSettings {
  readonly engine: Script;
}

type AnyOptions = ServerOptions | ManagedServerOptions | ScriptedServerOptions;

export function startServer(options: ManagedServerOptions): Promise<ManagedServer>;
export function startServer(options: ScriptedServerOptions): Promise<ScriptedServer>;
export function startServer(options?: ServerOptions): Promise<TestServer>;
export function startServer(options: AnyOptions = {}): Promise<TestServer> {
  return start(options);
}

function start(options: AnyOptions): Promise<TestServer> {
  if (isManaged(options)) return startManaged(options);
  return isScripted(options) ? startScripted(options) : startPlain(options);
}

/**
 * Returns a server for all tests of a file, which must not depend on each other's data. Call it outside of tests.
 * @param prepare the options, or what creates the files they need. Without it, tests of other files use the same server.
 */
export function fileServer(prepare: Prepared<ManagedServerOptions>): () => ManagedServer;
export function fileServer(prepare: Prepared<ScriptedServerOptions>): () => ScriptedServer;
export function fileServer(prepare?: Prepared<ServerOptions>): () => TestServer;
export function fileServer(prepare?: Prepared<AnyOptions>): () => TestServer {
  return forFile(async (finished) => {
    if (prepare === undefined) return addClient(await startProcessServer());
    const options = typeof prepare === "function" ? await prepare(finished) : prepare;
    return start({ ...options, finished });
  });
}

type Prepared<Options> = Options | ((finished: Finished) => Promise<Options>);

/** `fileServer` with the built-in models, for tests that compare the answers of several requests. */
export function deterministicFileServer(): () => TestServer {
  const shared = fileServer({});
  beforeAll(() => makeDeterministic(shared()));
  return shared;
}

function isScripted(options: ServerOptions | ScriptedServerOptions): options is ScriptedServerOptions {
  return typeof options.engine === "function";
}

function isManaged(options: AnyOptions): options is ManagedServerOptions {
  return "accounts" in options;
}

/** A hash takes a millisecond instead of 0.3 s; nobody attacks the passwords of tests. */
const cheapPasswords: PasswordCost = { N: 256, r: 8, p: 1 };

async function startPlain(options: ServerOptions): Promise<TestServer> {
  const { environment = {}, finished, hasOwnEngine = false, ...overrides } = options;
  const settings = { ...createUsualSettings(finished), ...(await enginesOfRun(environment)), ...environment };
  const { config, sources } = loadConfig(await addDatabase(settings, finished));
  const isNew = overrides.database === undefined && !existsSync(config.data) && config.databaseUrl === null;
  if (isNew) await writeNewDatabase(join(config.data, "hearth.db"));
  const hasUsualThreads =
    config.schemaObjects === "closed" &&
    !["schemaWorkerUrl", "schemaMsMax", "tokenizerWorkerUrl"].some((name) => name in overrides);
  return listen(
    config,
    {
      ...(hasOwnEngine ? {} : await shareLlama(config, overrides)),
      ...(hasUsualThreads ? sharedThreads() : {}),
      passwordCost: cheapPasswords,
      sources,
      ...overrides,
    },
    finished,
  );
}

async function startManaged(options: ManagedServerOptions): Promise<ManagedServer> {
  const { accounts: _, environment, finished, engine = () => ["Good", " day."], ...rest } = options;
  const clock = createManualClock(now);
  const started = await startPlain({
    environment: { HEARTH_MANAGEMENT_KEY: pinnedManagementKey, ...environment },
    clock,
    ...rest,
    engine: typeof engine === "function" ? createScriptedEngine(engine, options) : engine,
    finished,
  });
  const address = environment?.["HEARTH_DATABASE_URL"];
  const file = join(started.data, "hearth.db");
  const database = await (address === undefined ? openAgain(file) : openBeside(address));
  (finished ?? onTestFinished)(() => database.close());
  const stores = buildAccountStores(database);
  return { ...started, ...manage(started.url, stores, clock), clock, stores, database, apiKey: testKey };
}

async function startScripted(options: ScriptedServerOptions): Promise<ScriptedServer> {
  const { engine: script, config, models = scriptedModels, finished = onTestFinished, ...rest } = options;
  const prompts: string[] = [];
  const clock = createManualClock(startTime);
  const engine = createScriptedEngine((prompt, job) => {
    prompts.push(prompt);
    return script(prompt, job);
  }, rest);
  const logs: LogLine[] = [];
  const data = temporaryFolder(finished);
  const database = rest.database ?? (await openNewDatabase(join(data, "hearth.db"), seedKeys, finished));
  const started = await listen(
    { ...scriptedConfig(data), ...config },
    {
      clock,
      random: countingRandom(),
      logger: recordingLogger(logs),
      registry: registryOf(models),
      imageEngine: createScriptedImageEngine(),
      captioning: noCaptioning,
      ...sharedThreads(),
      ...rest,
      engine,
      database,
    },
    finished,
  );
  return {
    ...started,
    engine,
    scheduler: started.app.scheduler,
    clock,
    logs,
    prompts,
    records: () => readRecords(data),
    nextRun: watchRuns(started.app, finished),
    close: () => started.app.close(),
  };
}

/** Builds a server and lets it listen. The server is loaded here, so that tests of the helpers alone need not load it. */
async function listen(
  config: Config,
  overrides: Overrides,
  finished: Finished = onTestFinished,
): Promise<TestServer> {
  const { createApp } = await import("../../src/app/app.js");
  const app = await createApp(config, {
    ...workerUrls,
    // A thread for each server took a fifth of the CPU time of tests of the management API; test/store/sqlite/reports.test.ts and
    // test/http/management/reports.test.ts have one.
    reportsWorkerUrl: null,
    openPuller: noNetwork,
    ...overrides,
  });
  finished(() => app.close());
  return addClient({ ...(await app.listen()), data: config.data, app });
}

function addClient(listening: StartedServer): TestServer {
  return { ...listening, client: clientOf(listening.url) };
}

/** Adds the address of a PostgreSQL database, where this process tests that. */
async function addDatabase(environment: NodeJS.ProcessEnv, finished?: Finished): Promise<NodeJS.ProcessEnv> {
  if (!onPostgres) return environment;
  const file = join(environment["HEARTH_DATA"] ?? "", "hearth.db");
  return { HEARTH_DATABASE_URL: await postgresUrlFor(file, finished), ...environment };
}
