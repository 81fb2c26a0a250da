/**
 * The whole server over the scripted engine: `createApp` with a scripted engine and image engine, a clock that the test moves,
 * ids that count up, and a database with six keys of two teams. Everything else is what `npm start` builds.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import type { ManagementKey } from "../src/accounts/management-keys/management-key.js";
import type { App } from "../src/app/app.js";
import type { ApiKey } from "../src/accounts/keys/api-key.js";
import { createApiKeyStore } from "../src/accounts/keys/store.js";
import { createManagementKeyStore } from "../src/accounts/management-keys/store.js";
import { createTeamStore } from "../src/accounts/teams/store.js";
import { defaultTeamSettings } from "../src/accounts/teams/team.js";
import { loadConfig, type Config } from "../src/config.js";
import type { ImageFetcher } from "../src/core/images.js";
import type { Logger } from "../src/core/logger.js";
import type { Model, ModelRegistry } from "../src/core/model.js";
import type { Random } from "../src/core/random.js";
import type { HostedTokenizer } from "../src/core/tokenizer.js";
import {
  createScriptedEngine,
  type Script,
  type ScriptedEngine,
  type ScriptedOptions,
} from "../src/engine/scripted.js";
import type { HttpLimits } from "../src/http/deps.js";
import type { Run } from "../src/inference/run/generate.js";
import type { RunRecord } from "../src/inference/run/run-record.js";
import { createRunStore } from "../src/inference/run/store/runs.js";
import type { Scheduler } from "../src/scheduler/scheduler.js";
import type { Database } from "../src/store/database.js";
import { aKey } from "./accounts/a-key.js";
import { noCaptioning } from "./no-captioning.js";
import { ember } from "./dialects/model.js";
import { temporaryFolder } from "./harness.js";
import { sharedThreads, workerUrls } from "./engine/worker-threads.js";
import { createWrites } from "../src/store/writes.js";
import { noNetwork } from "./hub-server/no-network.js";
import { countingRandom } from "./random/counting-random.js";
import { createManualClock, type ManualClock } from "./manual-clock.js";
import { createScriptedImageEngine, type ScriptedImageEngine } from "./scripted-image-engine.js";
import { openAgain, openNewDatabase } from "./store/new-database.js";

export const keys = {
  /** May do everything. */
  ada: "ada-has-a-key-of-her-own",
  /** May chat, with one model that does not exist. */
  bob: "bob-has-a-key-of-his-own",
  /** May count the tokens of one hosted model's texts. */
  cleo: "cleo-has-a-key-of-her-own",
  /** May do everything, in another team. */
  mallory: "mallory-has-a-key-of-team-2",
  /** May chat, with every model. */
  chatter: "chatter-has-a-key-for-chats",
  /** May do nothing. */
  eve: "eve-has-a-key-of-no-use",
} as const;

const startTime = Date.UTC(2026, 10, 21, 8, 0, 1);

export const emptyFile: Model = {
  ...ember,
  manifest: { ...ember.manifest, id: "broken-1m", aliases: [], name: "Broken 1M" },
  unusable: "the file is empty.",
};
const slashed: Model = { ...ember, manifest: { ...ember.manifest, id: "org/name:q4", aliases: [] } };

export interface LogLine {
  readonly level: string;
  readonly fields: object;
  readonly message: string;
}

export interface ScriptedApp {
  readonly url: string;
  readonly port: number;
  /** Where the database and the other files of the server are. */
  readonly folder: string;
  readonly app: App;
  readonly engine: ScriptedEngine;
  readonly scheduler: Scheduler;
  readonly clock: ManualClock;
  readonly logs: readonly LogLine[];
  /** The rows of all runs, the oldest first; also after the server has closed. */
  records(): Promise<readonly RunRecord[]>;
  /** The next run that starts; call it before the request is made. */
  nextRun(): Promise<Run>;
  close(): Promise<void>;
}

export interface ScriptedAppOptions extends ScriptedOptions {
  /** Settings that differ from the defaults of these tests. */
  readonly config?: Partial<Config>;
  readonly httpLimits?: Partial<HttpLimits>;
  /** Models that the server knows; absent: three, one of them unusable. */
  readonly models?: readonly Model[];
  readonly hostedTokenizer?: HostedTokenizer;
  readonly fileFetcher?: ImageFetcher;
  /** Absent: one whose images are drawn at once. */
  readonly imageEngine?: ScriptedImageEngine;
  readonly guidesFolder?: URL;
  /** A database that has the keys already; absent: a new one. */
  readonly database?: Database;
  /** Absent: ids that count up. */
  readonly random?: Random;
}

/** Starts a server on a free port; it is closed when the test ends. */
export async function startScriptedApp(
  script: Script,
  options: ScriptedAppOptions = {},
): Promise<ScriptedApp> {
  const { config, httpLimits = {}, models = [emptyFile, ember, slashed], ...rest } = options;
  // Loaded here, so that tests of the helpers above need not load the whole server.
  const { createApp } = await import("../src/app/app.js");
  const clock = createManualClock(startTime);
  const engine = createScriptedEngine(script, rest);
  const logs: LogLine[] = [];
  const folder = temporaryFolder();
  const file = join(folder, "hearth.db");
  const database = rest.database ?? (await openNewDatabase(file, seedKeys));
  const app = await createApp(
    { ...defaults(folder), ...config },
    {
      ...workerUrls,
      clock,
      engine,
      httpLimits,
      random: rest.random ?? countingRandom(),
      logger: recordingLogger(logs),
      database,
      registry: registryOf(models),
      imageEngine: rest.imageEngine ?? createScriptedImageEngine(),
      captioning: noCaptioning,
      openPuller: noNetwork,
      ...sharedThreads(),
      ...(rest.hostedTokenizer === undefined ? {} : { hostedTokenizer: rest.hostedTokenizer }),
      ...(rest.fileFetcher === undefined ? {} : { fileFetcher: rest.fileFetcher }),
      ...(rest.guidesFolder === undefined ? {} : { guidesFolder: rest.guidesFolder }),
    },
  );
  onTestFinished(() => app.close());
  const nextRun = watchRuns(app);
  const { url, port } = await app.listen();
  return {
    url,
    port,
    folder,
    app,
    engine,
    scheduler: app.scheduler,
    clock,
    logs,
    records: () => recordsOf(file),
    nextRun,
    close: () => app.close(),
  };
}

/** A promise that a test resolves. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

export function headersOf(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}`, "content-type": "application/json" };
}

/** Sends a chat completion. @param body JSON text, or what becomes it. */
export function post(
  server: { readonly url: string },
  body: unknown,
  init: RequestInit = {},
): Promise<Response> {
  return fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    headers: headersOf(keys.ada),
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...init,
  });
}

export const hello = { model: "ember-1m", messages: [{ role: "user", content: "Hello" }] };

/** The defaults of every setting, but for limits that tests can reach. */
function defaults(folder: string): Config {
  const environment = { HEARTH_PORT: "0", HEARTH_DATA: folder, HEARTH_MODELS: folder };
  return {
    ...loadConfig(environment).config,
    bodyBytesMax: 64 * 1024,
    runsActiveMax: 64,
    queueDepthMax: 8,
    jobsQueuedMax: 100,
    jobsActiveMax: 4,
    responsesMax: 1_000,
    imagesBytesMax: 1_000_000,
    shutdownGraceMs: 0,
  };
}

function recordingLogger(lines: LogLine[]): Logger {
  const log = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields, message });
  return { info: log("info"), warn: log("warn"), error: log("error") };
}

function registryOf(models: readonly Model[]): ModelRegistry {
  const isNamed = (name: string) => (model: Model) =>
    [model.manifest.id, ...model.manifest.aliases].includes(name);
  return { list: () => models, find: (name) => models.find(isNamed(name)) ?? null };
}

function watchRuns({ generator }: App): () => Promise<Run> {
  const waiting: ((run: Run) => void)[] = [];
  const start = generator.start.bind(generator);
  const watched = vi.spyOn(generator, "start").mockImplementation((request, context) => {
    const run = start(request, context);
    for (const resolve of waiting.splice(0)) resolve(run);
    return run;
  });
  onTestFinished(() => watched.mockRestore());
  return () => new Promise((resolve) => waiting.push(resolve));
}

async function recordsOf(file: string): Promise<readonly RunRecord[]> {
  const database = await openAgain(file);
  try {
    return (await createRunStore(database).list(10_000)).toReversed();
  } finally {
    await database.close();
  }
}

/** Two teams, the keys above, and a management key, so that the first start has nothing to add. */
export async function seedKeys(database: Database): Promise<void> {
  const [teams, apiKeys] = [createTeamStore(database), createApiKeyStore(database)];
  for (const id of ["team-1", "team-2"])
    await teams.insert({
      id,
      name: id,
      billing: "unmetered",
      ...defaultTeamSettings,
      createTime: startTime,
    });
  for (const name of ["ada", "bob", "cleo", "mallory", "chatter", "eve"] as const)
    await apiKeys.insert(keyOf(name));
  await createWrites(database).commit([createManagementKeyStore(database).insertion(managementKey)]);
}

const acls: Readonly<Record<keyof typeof keys, readonly string[]>> = {
  ada: ["api-key:endpoint:*", "api-key:model:*"],
  bob: ["api-key:endpoint:chat", "api-key:endpoint:models", "api-key:model:gone-1m"],
  cleo: ["api-key:endpoint:tokenize", "api-key:model:gpt-4o"],
  mallory: ["api-key:endpoint:*", "api-key:model:*"],
  chatter: ["api-key:endpoint:chat", "api-key:model:*"],
  eve: [],
};

function keyOf(name: keyof typeof keys): ApiKey {
  return aKey({
    id: `key-of-${name}`,
    teamId: name === "mallory" ? "team-2" : "team-1",
    name,
    hash: sha256(keys[name]),
    redacted: `hk-...${keys[name].slice(-4)}`,
    acls: acls[name],
    createTime: startTime - 1234,
    modifyTime: startTime,
  });
}

const managementKey: ManagementKey = {
  id: "management-key-1",
  teamId: null,
  userId: "user-1",
  name: "management key",
  hash: sha256("a management key that no test uses"),
  redacted: "hm-...uses",
  acls: ["team-token:endpoint:*"],
  expireTime: null,
  ipRanges: null,
  lastUseTime: null,
  createTime: startTime,
  modifyTime: startTime,
};

function sha256(secret: string): Uint8Array {
  return createHash("sha256").update(secret).digest();
}
