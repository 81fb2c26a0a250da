/** What all servers share: the database, the engines behind them, and the teams that use them. */
import type { ChildProcess } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as delay } from "node:timers/promises";
import { openPostgres } from "../../src/store/postgres/open.js";
import { systemClock } from "../../src/system.js";
import { startOwnPostgres, type OwnPostgres } from "../../test/postgres/own.js";
import { redisProgram, spawnRedis, type RedisServer } from "../../test/redis/spawn.js";
import { fill } from "../bench/accounts.js";
import { benchKey, benchModel } from "../bench/server.js";
import { scratchFolder, startProcess, stopProcess } from "../bench/processes.js";
import { llamaServerProgram } from "../llama-server/program.mjs";
import { scriptedModel, startEngine } from "./engine.js";

export const managementKey = "hm-key-of-the-operator-of-all-servers";

/** Teams that pay in advance, and one that does not. */
export const teams = { prepaid: ["prepaid-1", "prepaid-2"], unmetered: ["unmetered"] } as const;
export const allTeams = [...teams.prepaid, ...teams.unmetered];

export interface World {
  readonly postgres: OwnPostgres;
  readonly databaseUrl: string;
  /** Counts limits; null: PostgreSQL does. */
  readonly redis: RedisServer | null;
  readonly enginePort: number;
  /** Null where there is no llama-server: then each server has the model in its process. */
  readonly llamaPort: number | null;
  readonly environment: Readonly<Record<string, string>>;
  readonly enginesOf: (textPort: number, llamaPort: number | null) => string;
  readonly isVerbose: boolean;
  close(): Promise<void>;
}

/** Commits are synced to the operating system, which does not end: what is confirmed is there after a crash of PostgreSQL. */
const settings = {
  fsync: "off",
  full_page_writes: "off",
  max_connections: "200",
  shared_buffers: "64MB",
};

const llamaSlots = 4;
const contextTokens = 2048;

/** @param usesRedis where a Redis server is installed */
export async function createWorld(isVerbose: boolean, usesRedis: boolean): Promise<World> {
  const folder = scratchFolder();
  const postgres = await startOwnPostgres(settings);
  const database = await openPostgres({
    url: postgres.url,
    connectionsMax: 2,
    clock: systemClock,
    server: null,
  });
  for (const team of teams.prepaid) await fill(database, 1, "prepaid", team);
  for (const team of teams.unmetered) await fill(database, 1, "unmetered", team);
  await database.close();
  const redis = usesRedis && redisProgram !== null ? await spawnRedis() : null;
  const engine = await startEngine();
  const llama = await startLlama();
  const llamaPort = llama?.port ?? null;
  const shared = join(folder.path, "shared");
  mkdirSync(shared);
  const config = join(folder.path, "hearth.yaml");
  const prices = (id: string): string => `  ${id}:\n    prices: { prompt: 2, completion: 8 }\n`;
  writeFileSync(config, `models:\n${prices(scriptedModel)}${prices(benchModel)}`);
  return {
    postgres,
    databaseUrl: postgres.url,
    redis,
    enginePort: engine.port,
    llamaPort,
    environment: {
      PATH: process.env["PATH"] ?? "",
      HEARTH_CONFIG: config,
      HEARTH_PORT: "0",
      ...(redis === null ? {} : { HEARTH_REDIS_URL: redis.url }),
      HEARTH_API_KEY: benchKey,
      HEARTH_SHARED_FOLDER: shared,
      HEARTH_LOG_LEVEL: isVerbose ? "info" : "error",
      HEARTH_CONTEXT_TOKENS_MAX: String(contextTokens),
    },
    enginesOf,
    isVerbose,
    async close() {
      engine.close();
      if (llama !== null) await stopProcess(llama.process);
      await redis?.close();
      await postgres.stop();
      folder.remove();
    },
  };
}

/** Returns the setting of the engines behind these ports. */
function enginesOf(textPort: number, llamaPort: number | null): string {
  const models = [{ id: scriptedModel, name: scriptedModel, contextTokens: 8192 }];
  const engines: object[] = [{ kind: "openai", url: `http://127.0.0.1:${textPort}/v1`, models }];
  // Several servers use its slots.
  const shared = { models: [benchModel], prefixCache: "off" };
  if (llamaPort !== null)
    engines.push({ kind: "llama-server", url: `http://127.0.0.1:${llamaPort}`, ...shared });
  return JSON.stringify(engines);
}

/** Starts llama-server with the built-in model; it ends with this process. */
async function startLlama(): Promise<{ readonly port: number; readonly process: ChildProcess } | null> {
  const program = llamaServerProgram();
  if (program === null) return null;
  const model = fileURLToPath(new URL(`../../models/${benchModel}/${benchModel}.gguf`, import.meta.url));
  const port = await freePort();
  const args = {
    "--model": model,
    "--host": "127.0.0.1",
    "--port": port,
    "--parallel": llamaSlots,
    "--ctx-size": llamaSlots * contextTokens,
    "--threads": 1,
    "--threads-batch": 1,
    "--cache-ram": 0,
  };
  const process = startProcess(program, Object.entries(args).flat().map(String), { stdio: "ignore" });
  for (;;) {
    const health = await fetch(`http://127.0.0.1:${port}/health`).catch(() => null);
    if (health?.ok === true) return { port, process };
    await delay(100);
  }
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise<void>((resolve) => probe.close(() => resolve()));
  return port;
}
