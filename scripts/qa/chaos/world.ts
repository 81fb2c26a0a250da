/** What all servers share: the database, the engines behind them, and the teams that use them. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openPostgres } from "../../../src/store/postgres/open.js";
import { systemClock } from "../../../src/system/clock.js";
import { startOwnPostgres, type OwnPostgres } from "../../../test/kit/databases/postgres/own.js";
import { redisProgram, spawnRedis, type RedisServer } from "../../../test/kit/databases/redis/spawn.js";
import { firstKey, tinyModel } from "../world/server.js";
import { atEnd, scratchFolder, stopProcess } from "../world/processes.js";
import {
  builtIn,
  spawnLlamaServer,
  type LlamaServer,
} from "../../../test/kit/doubles/llama-server/process.js";
import { llamaServerProgram } from "../../../test/kit/doubles/llama-server/program.mjs";
import { writeConfig } from "../world/config.js";
import { fillTeam } from "../world/teams.js";
import { killDescendants } from "./descendants.js";
import { scriptedModel, startEngine } from "./engine.js";
import type { Namespaces } from "./network/namespaces.js";
import type { SharedAddresses } from "./network/server-network.js";

export const managementKey = "hm-key-of-the-operator-of-all-servers";

/** Teams that pay in advance, and one that does not. */
export const teams = { prepaid: ["prepaid-1", "prepaid-2"], unmetered: ["unmetered"] } as const;
export const allTeams = [...teams.prepaid, ...teams.unmetered];

export interface ChaosWorld {
  readonly postgres: OwnPostgres;
  /** The address of the database for this process. */
  readonly databaseUrl: string;
  /** Counts limits; null: PostgreSQL does. */
  readonly redis: RedisServer | null;
  /** Where servers reach what they share. */
  readonly shared: SharedAddresses;
  /** Null: proxies cut networks. */
  readonly namespaces: Namespaces | null;
  readonly environment: Readonly<Record<string, string>>;
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

const contextTokens = 2048;
const loopback = "127.0.0.1";

export interface WorldOptions {
  readonly isVerbose: boolean;
  /** Where a Redis server is installed. */
  readonly usesRedis: boolean;
  readonly namespaces: Namespaces | null;
}

export async function startWorld({ isVerbose, usesRedis, namespaces }: WorldOptions): Promise<ChaosWorld> {
  const folder = scratchFolder();
  // PostgreSQL, Redis and stopped servers would outlive this process when it is interrupted.
  atEnd(killDescendants);
  const postgres = await startPostgres(folder.path, namespaces);
  const redis = usesRedis && redisProgram !== null ? await startRedis(namespaces) : null;
  const host = namespaces?.host ?? loopback;
  const engine = await startEngine(host);
  const llama = await startLlama(host);
  const sharedFolder = join(folder.path, "shared");
  mkdirSync(sharedFolder);
  return {
    postgres,
    databaseUrl: postgres.url,
    redis,
    shared: {
      database: atHost(postgres.url, host),
      redis: redis === null ? null : atHost(redis.url, host),
      engine: engine.url,
      llama: llama?.url ?? null,
    },
    namespaces,
    environment: {
      PATH: process.env["PATH"] ?? "",
      HEARTH_CONFIG: writeConfig(folder.path, [scriptedModel, tinyModel]),
      HEARTH_API_KEY: firstKey,
      HEARTH_SHARED_FOLDER: sharedFolder,
      HEARTH_LOG_LEVEL: "info",
      HEARTH_CONTEXT_TOKENS_MAX: String(contextTokens),
    },
    isVerbose,
    async close() {
      engine.close();
      if (llama !== null) await stopProcess(llama.child);
      await redis?.close();
      await postgres.stop();
      folder.remove();
    },
  };
}

/** Starts PostgreSQL with the teams. In namespaces, servers reach it, too. */
async function startPostgres(folder: string, namespaces: Namespaces | null): Promise<OwnPostgres> {
  const postgres = await startOwnPostgres({
    ...settings,
    ...(namespaces === null ? {} : reachable(folder, namespaces)),
  });
  const database = await openPostgres({
    url: postgres.url,
    connectionsMax: 2,
    clock: systemClock,
    server: null,
  });
  for (const team of teams.prepaid) await fillTeam(database, 1, "prepaid", team);
  for (const team of teams.unmetered) await fillTeam(database, 1, "unmetered", team);
  await database.close();
  return postgres;
}

/** Returns the settings by which PostgreSQL admits servers in namespaces. Its user must be able to read the file. */
function reachable(folder: string, { host, subnet }: Namespaces): Readonly<Record<string, string>> {
  chmodSync(folder, 0o755);
  const file = join(folder, "pg_hba.conf");
  const lines = [`${loopback}/32`, subnet].map((from) => `host all all ${from} scram-sha-256\n`);
  writeFileSync(file, lines.join(""));
  return { listen_addresses: `${loopback},${host}`, hba_file: file };
}

function startRedis(namespaces: Namespaces | null): Promise<RedisServer> {
  return spawnRedis(
    namespaces === null ? [] : ["--bind", loopback, namespaces.host, "--protected-mode", "no"],
  );
}

/** Returns the same address at another host. */
function atHost(address: string, host: string): string {
  const url = new URL(address);
  url.hostname = host;
  return url.href;
}

/** Starts llama-server with the built-in model, where the program is there; it ends with this process. */
async function startLlama(host: string): Promise<LlamaServer | null> {
  if (llamaServerProgram() === null) return null;
  return spawnLlamaServer(builtIn.file, { contextTokens, host, args: ["--cache-ram", "0"] }, atEnd);
}
