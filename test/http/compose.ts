/**
 * The street without a model: real HTTP, router, accounts, dialect, run, scheduler and queues; the scripted engine, runs in
 * memory, accounts and what outlives a run in a real database, and a clock that the test moves.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { buildAccounts, buildAccountStores, buildDoors } from "../../src/app/accounts.js";
import { buildUnattended, type UnattendedLimits } from "../../src/app/jobs.js";
import type { ApiKey } from "../../src/accounts/keys/api-key.js";
import type { Model, ModelRegistry } from "../../src/core/model.js";
import type { Random } from "../../src/core/random.js";
import type { RunRecord, RunStore } from "../../src/inference/run/run-record.js";
import {
  createScriptedEngine,
  type Script,
  type ScriptedEngine,
  type ScriptedOptions,
} from "../../src/engine/scripted.js";
import type { HttpDeps } from "../../src/http/deps.js";
import { createMetrics } from "../../src/http/metrics.js";
import { createHttpServer, type HttpServer } from "../../src/http/server.js";
import { createDrawings } from "../../src/inference/images/generate-images.js";
import { createGenerator, type Generator, type Run } from "../../src/inference/run/generate.js";
import { createScheduler, type Scheduler } from "../../src/scheduler/scheduler.js";
import { createDeferredStore } from "../../src/jobs/deferred/store.js";
import { openDatabase, type Database } from "../../src/store/database.js";
import { createImageStore } from "../../src/inference/images/store.js";
import { createJobStore } from "../../src/jobs/store.js";
import { createLedgerStore } from "../../src/accounts/money/store/ledger.js";
import { createResponseStore } from "../../src/inference/responses/store/responses.js";
import { changesOf } from "../../src/store/writes.js";
import { blind } from "../blind.js";
import { ember } from "../dialects/model.js";
import { createScriptedPainter } from "../scripted-painter.js";
import { temporaryFolder, testSchemas, testTokenizer } from "../harness.js";
import { systemRandom } from "../../src/system.js";
import { createManualClock, type ManualClock } from "./manual-clock.js";

export const keys = {
  /** May do everything. */
  ada: "ada-has-a-key-of-her-own",
  /** May chat, with one model that does not exist. */
  bob: "bob-has-a-key-of-his-own",
  /** May tell the tokens of one hosted model's texts. */
  cleo: "cleo-has-a-key-of-her-own",
  /** May do everything, in another team. */
  mallory: "mallory-has-a-key-of-team-2",
  /** May do nothing. */
  eve: "eve-has-a-key-of-no-use",
} as const;

const startTime = Date.UTC(2026, 10, 21, 8, 0, 1);
const team = (id: string) =>
  ({ id, name: "Team", billing: "unmetered", blocked: false, weight: 1, createTime: startTime }) as const;
const teams = [team("team-1"), team("team-2")] as const;
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

export interface TestServer {
  readonly url: string;
  readonly port: number;
  readonly server: HttpServer;
  readonly engine: ScriptedEngine;
  readonly scheduler: Scheduler;
  readonly clock: ManualClock;
  readonly records: readonly RunRecord[];
  readonly logs: readonly LogLine[];
  /** The next run that is started; ask before the request is made. */
  nextRun(): Promise<Run>;
}

export interface ComposeOptions extends ScriptedOptions {
  readonly http?: Partial<HttpDeps>;
  readonly queueDepthMax?: number;
  /** Of what is done when nobody waits. */
  readonly jobs?: Partial<UnattendedLimits>;
}

/** A server on a free port, taken down when the test ends. */
export async function compose(script: Script, options: ComposeOptions = {}): Promise<TestServer> {
  const clock = createManualClock(startTime);
  const random = countingRandom();
  const engine = createScriptedEngine(script, options);
  const scheduler = createScheduler({ queueDepthMax: options.queueDepthMax ?? 8 }, clock);
  const load = () => ({
    queueDepth: scheduler.load.waiting,
    models: engine.residents().map((model) => ({ ...model, slotsHeld: scheduler.heldBy(model.id) })),
  });
  const metrics = createMetrics(load);
  onTestFinished(() => metrics.close());
  const kept = await keptStores();
  const runs = memoryRuns(kept.database);
  const logs: LogLine[] = [];
  const log = (level: string) => (fields: object, message: string) =>
    void logs.push({ level, fields, message });
  const models = registryOf([emptyFile, ember, slashed]);
  const booked = {
    ...{ models, slots: scheduler, runs: runs.store, ledger: kept.ledger, metrics, clock, random },
    runsActiveMax: 64,
    onSettleFailure: (_id: string, thrown: unknown) => log("error")({ err: thrown }, "not settled"),
  };
  const watched = watchRuns(createGenerator({ ...booked, engine, schemas: testSchemas(), grounding: blind }));
  const drawings = createDrawings({ ...booked, painter: createScriptedPainter(), images: kept.images });
  const logger = { info: log("info"), warn: log("warn"), error: log("error") };
  const hostedTokenizer = options.http?.hostedTokenizer ?? testTokenizer();
  const { keyUse, ...doors } = buildDoors({ ...kept, clock, logger, hostedTokenizer });
  const { generator } = watched;
  const limits = { jobsQueuedMax: 100, jobsActiveMax: 4, responsesMax: 1_000, ...options.jobs };
  const unattended = buildUnattended(limits, {
    ...kept,
    ...doors,
    models,
    generator,
    clock,
    logger,
  });
  await unattended.start();
  const server = createHttpServer({
    ...unattended,
    ...doors,
    accounts: buildAccounts({ ...kept, clock, random }),
    generator: watched.generator,
    drawings,
    images: kept.images,
    hostedTokenizer,
    models,
    clock,
    random,
    logger,
    metrics,
    version: "0.0.0",
    metricsOpen: false,
    load,
    ready: () => Promise.resolve([]),
    limits: { bodyBytesMax: 64 * 1024 },
    allowedHosts: [],
    pinnedKeys: [],
    trustProxy: false,
    ...options.http,
  });
  const { url, port } = await server.listen("127.0.0.1", 0);
  onTestFinished(async () => {
    await unattended.close();
    await server.close(0);
    await keyUse.close();
  });
  return {
    url,
    port,
    server,
    engine,
    scheduler,
    clock,
    records: runs.records,
    logs,
    nextRun: watched.nextRun,
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

export function post(server: TestServer, body: unknown, init: RequestInit = {}): Promise<Response> {
  return fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    headers: headersOf(keys.ada),
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...init,
  });
}

export const hello = { model: "ember-1m", messages: [{ role: "user", content: "Hello" }] };

function watchRuns(inner: Generator): { generator: Generator; nextRun: () => Promise<Run> } {
  const waiting: ((run: Run) => void)[] = [];
  const generator: Generator = {
    ...inner,
    start(request, context) {
      const run = inner.start(request, context);
      for (const tell of waiting.splice(0)) tell(run);
      return run;
    },
  };
  return { generator, nextRun: () => new Promise((resolve) => waiting.push(resolve)) };
}

function countingRandom(): Random {
  let count = 0;
  const next = (): string => `0193a1c2-5d7e-7c40-9b1f-${String(++count).padStart(12, "0")}`;
  return { id: next, bytes: (size) => new Uint8Array(size).fill(7) };
}

function registryOf(models: readonly Model[]): ModelRegistry {
  const named = (name: string) => (model: Model) =>
    [model.manifest.id, ...model.manifest.aliases].includes(name);
  return { list: () => models, find: (name) => models.find(named(name)) ?? null };
}

/** What outlives a run. */
async function keptStores() {
  const database = await openDatabase(join(temporaryFolder(), "hearth.db"));
  onTestFinished(() => database.close());
  const accounts = buildAccountStores(database);
  for (const each of teams) await accounts.teams.insert(each);
  for (const name of ["ada", "bob", "cleo", "mallory", "eve"] as const)
    await accounts.keys.insert(keyOf(name));
  return {
    ...accounts,
    database,
    jobs: createJobStore(database),
    deferred: createDeferredStore(database),
    responses: createResponseStore(database),
    images: createImageStore(database, {
      folder: join(temporaryFolder(), "images"),
      bytesMax: 1_000_000,
      random: systemRandom,
    }),
    ledger: createLedgerStore(database),
  };
}

/** What is to be written with a run does not wait for the disk, as in the table of runs. */
function memoryRuns({ commit }: Database): { store: RunStore; records: RunRecord[] } {
  const records: RunRecord[] = [];
  const store: RunStore = {
    // async: whatever is thrown becomes a rejection.
    async insert(record, together) {
      commit(changesOf(together), false);
      records.push(record);
    },
    async settle(id, outcome, together) {
      commit(changesOf(together), false);
      const at = records.findIndex((record) => record.id === id && record.state === "running");
      const record = records[at];
      if (record !== undefined) records[at] = { ...record, ...outcome };
    },
    interruptAll: () => Promise.resolve(0),
    list: (limit) => Promise.resolve(records.toReversed().slice(0, limit)),
  };
  return { store, records };
}

const rights: Readonly<Record<keyof typeof keys, readonly string[]>> = {
  ada: ["api-key:endpoint:*", "api-key:model:*"],
  bob: ["api-key:endpoint:chat", "api-key:endpoint:models", "api-key:model:gone-1m"],
  cleo: ["api-key:endpoint:tokenize", "api-key:model:gpt-4o"],
  mallory: ["api-key:endpoint:*", "api-key:model:*"],
  eve: [],
};

function keyOf(name: keyof typeof keys): ApiKey {
  return {
    id: `key-of-${name}`,
    teamId: (name === "mallory" ? teams[1] : teams[0]).id,
    userId: "user-1",
    name,
    hash: createHash("sha256").update(keys[name]).digest(),
    redacted: `hk-...${keys[name].slice(-4)}`,
    acls: rights[name],
    disabled: false,
    blocked: false,
    expireTime: null,
    qps: null,
    qpm: null,
    tpm: null,
    previousHash: null,
    previousExpireTime: null,
    ipRanges: null,
    lastUseTime: null,
    createTime: startTime - 1234,
    modifyTime: startTime,
    modifiedBy: "user-1",
  };
}
