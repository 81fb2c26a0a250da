/**
 * Servers for tests: `startApp` builds one in this process over a new data folder and real HTTP; `startProcess` runs the built
 * program as a user does. Both close when the test that started them ends.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import OpenAI from "openai";
import { beforeAll, inject, onTestFinished, vi } from "vitest";
import type { PasswordCost } from "../src/accounts/sign-in/passwords.js";
import type { Engine } from "../src/core/engine.js";
import { createApp, type App, type Overrides } from "../src/app/app.js";
import { loadConfig } from "../src/config.js";
import { noNetwork } from "./hub-server/no-network.js";
import { enginesOfRun } from "./llama-server/of-run.js";
import { onPostgres } from "./postgres/databases.js";
import { postgresUrlFor, writeNewDatabase } from "./store/new-database.js";
import { sharedThreads, workerUrls } from "./engine/worker-threads.js";

export const root = fileURLToPath(new URL("..", import.meta.url));
const program = join(root, "dist/main.js");

/** The API key that the configuration of a test's server pins. */
export const testKey = "test-key-of-sixteen-characters";
export const builtInModel = "hearth-tiny-5m";

/** Registers a clean-up for the end of the test. */
type Finished = (cleanUp: () => void | Promise<void>) => void;

/** Creates an empty folder; it is deleted when the test ends. */
export function temporaryFolder(finished: Finished = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), "hearth-test-"));
  finished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface TestApp {
  readonly url: string;
  readonly app: App;
  readonly client: OpenAI;
}

/** A hash takes a millisecond instead of 0.3 s; nobody attacks the passwords of tests. */
const cheapPasswords: PasswordCost = { N: 256, r: 8, p: 1 };

/**
 * Starts a whole server in this process.
 * @param environment HEARTH_* variables in addition to the data folder, the free port and the pinned key.
 */
export async function startApp(
  environment: NodeJS.ProcessEnv = {},
  overrides: Overrides = {},
  finished: Finished = onTestFinished,
): Promise<TestApp> {
  const settings = { ...defaults(finished), ...(await enginesOfRun(environment)), ...environment };
  const { config, sources } = loadConfig(await onDatabase(settings, finished));
  const isNew = overrides.database === undefined && !existsSync(config.data) && config.databaseUrl === null;
  if (isNew) await writeNewDatabase(join(config.data, "hearth.db"));
  const isUsual =
    Object.keys(environment).every((name) => withoutEngine.test(name)) &&
    !["engine", "workerUrl", "clock", "registry"].some((name) => name in overrides);
  const engine = isUsual ? { engine: engineOf(await appOfProcess()) } : {};
  const hasUsualThreads =
    config.schemaObjects === "closed" &&
    !["schemaWorkerUrl", "schemaMsMax", "tokenizerWorkerUrl"].some((name) => name in overrides);
  const app = await createApp(config, {
    ...workerUrls,
    ...engine,
    ...(hasUsualThreads ? sharedThreads() : {}),
    openPuller: noNetwork,
    passwordCost: cheapPasswords,
    sources,
    ...overrides,
  });
  finished(() => app.close());
  const { url } = await app.listen();
  return { url, app, client: clientOf(url) };
}

/** Adds the address of a PostgreSQL database, where this process tests that. */
async function onDatabase(environment: NodeJS.ProcessEnv, finished: Finished): Promise<NodeJS.ProcessEnv> {
  if (!onPostgres) return environment;
  const file = join(environment["HEARTH_DATA"] ?? "", "hearth.db");
  return { HEARTH_DATABASE_URL: await postgresUrlFor(file, finished), ...environment };
}

/** Settings that do not concern the engine. */
const withoutEngine = /^HEARTH_(DATA|\w*KEY|QUEUE_DEPTH_MAX|RUNS_ACTIVE_MAX|JOBS_\w+)$/;
let ofProcess: Promise<TestApp> | null = null;

/** Returns the server with the default settings that serves all tests of this process. It runs until the process ends. */
function appOfProcess(): Promise<TestApp> {
  return (ofProcess ??= startOfProcess());
}

async function startOfProcess(): Promise<TestApp> {
  const data = join(mkdtempSync(join(inject("sharedFolder"), "server-")), "data");
  const settings = { HEARTH_PORT: "0", HEARTH_DATA: data, HEARTH_API_KEY: testKey };
  const { config } = loadConfig({ ...settings, ...(await enginesOfRun({})) });
  await writeNewDatabase(join(data, "hearth.db"));
  const app = await createApp(config, workerUrls);
  const { url } = await app.listen();
  return { url, app, client: clientOf(url) };
}

/**
 * Returns the engine of a server for another one with the same models and settings of the engine: starting an engine takes a second.
 * Only the first server closes it.
 */
export function engineOf({ app: { engine } }: TestApp): Engine {
  return {
    load: (model, signal) => engine.load(model, signal),
    prompt: (model, source) => engine.prompt(model, source),
    tokenize: (model, text) => engine.tokenize(model, text),
    generate: (model, job, signal) => engine.generate(model, job, signal),
    residents: () => engine.residents(),
    problem: () => engine.problem(),
    close: () => Promise.resolve(),
  };
}

/**
 * Returns a server for all tests of a file, which must not depend on each other's data. Call it outside of tests.
 * @param prepare creates what the server needs and returns its HEARTH_* variables; without it, tests of other files use the server, too.
 */
export function sharedApp(prepare?: (finished: Finished) => Promise<NodeJS.ProcessEnv>): () => TestApp {
  let shared: TestApp | null = null;
  beforeAll(async () => {
    if (prepare === undefined) {
      shared = await appOfProcess();
      return;
    }
    const cleanUps: Parameters<Finished>[0][] = [];
    const finished: Finished = (cleanUp) => void cleanUps.unshift(cleanUp);
    shared = await startApp(await prepare(finished), {}, finished);
    return async () => {
      for (const cleanUp of cleanUps) await cleanUp();
    };
  });
  return () => {
    if (shared === null) throw new Error("the shared server starts with the first test");
    return shared;
  };
}

/**
 * Makes a server run every generation alone and from an empty cache, as `deterministic: true` does for one request, and take the
 * likeliest tokens where a request has no seed. Only then do two requests get equal bytes, and not every dialect has fields for
 * it.
 */
export function makeDeterministic({ app: { engine } }: TestApp): void {
  const generate = engine.generate.bind(engine);
  engine.generate = (model, job, signal) => {
    const sampling = job.sampling.seed === null ? { ...job.sampling, temperature: 0 } : job.sampling;
    return generate(model, { ...job, sampling, deterministic: true }, signal);
  };
}

/** `sharedApp`, for tests that compare the answers of several requests. */
export function sharedDeterministicApp(): () => TestApp {
  const shared = sharedApp(() => Promise.resolve({}));
  beforeAll(() => makeDeterministic(shared()));
  return shared;
}

/** The official OpenAI client, without retries, which would hide errors. */
export function clientOf(url: string, apiKey: string = testKey): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
}

/** Resolves once the condition is true; checks every 2 ms, so that the server can work in between. */
export function until(condition: () => boolean): Promise<void> {
  return vi.waitUntil(condition, { interval: 2, timeout: 50_000 }).then(() => undefined);
}

export interface ProgramRun {
  readonly child: ChildProcess;
  /** Standard output so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves with the exit code or the name of the signal. */
  readonly exited: Promise<number | string>;
  /** Resolves with the first group of the first line of standard output that matches. */
  line(pattern: RegExp): Promise<string>;
}

export interface TestProcess extends ProgramRun {
  readonly url: string;
}

/** Runs `hearth start` as a process. @throws Error with its standard error when it ends before it listens. */
export async function startProcess(environment: NodeJS.ProcessEnv = {}): Promise<TestProcess> {
  const run = runProgram(["start"], { ...defaults(), ...environment });
  const url = await Promise.race([
    run.line(/^listening on (https?:\/\/\S+)$/),
    run.exited.then((code) => Promise.reject(new Error(`ended with ${code}: ${run.stderr()}`))),
  ]);
  return { ...run, url };
}

/**
 * Runs a command of the program. Its environment is only what is given here, PATH and HOME.
 * @param file another installed copy of the program
 */
export function runProgram(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  cwd: string = root,
  file: string = program,
): ProgramRun {
  const child = spawn(process.execPath, [file, ...args], {
    cwd,
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const written = { out: "", err: "" };
  const waiting: { pattern: RegExp; found: (text: string) => void }[] = [];
  const lines: string[] = [];
  child.stderr.on("data", (data: Buffer) => (written.err += data.toString()));
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line);
    written.out += `${line}\n`;
    for (const { pattern, found } of waiting) pattern.exec(line)?.slice(1, 2).forEach(found);
  });
  const exited = once(child, "close").then(([code, signal]) => (code ?? signal) as number | string);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  return {
    child,
    exited,
    stdout: () => written.out,
    stderr: () => written.err,
    line: (pattern) =>
      new Promise((resolve) => {
        const met = lines.map((line) => pattern.exec(line)?.[1]).find((text) => text !== undefined);
        if (met !== undefined) resolve(met);
        else waiting.push({ pattern, found: resolve });
      }),
  };
}

function defaults(finished: Finished = onTestFinished): NodeJS.ProcessEnv {
  const data = join(temporaryFolder(finished), "data");
  return { HEARTH_PORT: "0", HEARTH_DATA: data, HEARTH_API_KEY: testKey };
}
