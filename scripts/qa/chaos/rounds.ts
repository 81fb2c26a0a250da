/** Runs the rounds: under load, one fault in each, until all servers are ready again. */
import { setTimeout as delay } from "node:timers/promises";
import { Books } from "../checks/books.js";
import { Chance } from "../figures/chance.js";
import { checkAll, type ChaosVerdict } from "./checks/all.js";
import { cause } from "./faults.js";
import type { FaultName } from "./fault-names.js";
import type { ChaosScene } from "./scene.js";
import { startLoad } from "./load.js";
import { createObserver } from "./observer.js";
import type { Namespaces } from "./network/namespaces.js";
import type { ChaosOptions } from "./options.js";
import { ChaosRecords } from "./records.js";
import { watchMissedCounts, type MissedCounts } from "./checks/missed-counts.js";
import { createServer, type ChaosServer } from "./server.js";
import { startWorld } from "./world.js";

export interface ChaosResult extends ChaosVerdict {
  readonly records: ChaosRecords;
  /** The longest time until others had taken over, in milliseconds. */
  readonly takenOverMsMax: number;
  readonly takeOvers: number;
}

const readyMsMax = 60_000;
const roundMsMax = 300_000;

export async function runRounds(
  options: ChaosOptions,
  namespaces: Namespaces | null,
  print: (line: string) => void,
): Promise<ChaosResult> {
  const usesRedis = options.faults.some((name) => name === "redis-lost" || name === "cut-redis");
  const world = await startWorld({ isVerbose: options.isVerbose, usesRedis, namespaces });
  print(engineLine(world.shared.llama !== null));
  print(`limits: counted in ${world.redis === null ? "PostgreSQL" : "Redis"}`);
  print(`networks: cut by ${namespaces === null ? "proxies" : "the kernel, between namespaces"}`);
  const servers: ChaosServer[] = [];
  for (let at = 1; at <= options.servers; at += 1) servers.push(await createServer(`server-${at}`, world));
  await Promise.all(servers.map((server) => server.start()));
  const observer = createObserver(world.databaseUrl);
  const records = new ChaosRecords();
  const books = new Books(observer.rows, records.judge);
  const chance = new Chance(options.seed);
  const missed = watchMissedCounts(servers, records);
  const clients = startLoad(servers, records, chance.fork());
  const scene: ChaosScene = { world, servers, observer, books, records, chance, load: clients.load };
  const takeOvers: number[] = [];
  for (let round = 1; round <= options.rounds && records.broken.length === 0; round += 1) {
    const name = options.inTurns
      ? (options.faults[(round - 1) % options.faults.length] ?? "kill")
      : chance.pick(options.faults);
    await delay(chance.between(500, 2_500));
    const ended = await withinTime(runRound(scene, name, missed));
    // The clients and the checks would not end either.
    if (ended === null) throw new Error(`round ${round} (${name}) did not end within ${roundMsMax / 1000} s`);
    if (ended.takenOverMs !== null) takeOvers.push(ended.takenOverMs);
    print(`round ${round}: ${ended.line}`);
  }
  await clients.stop();
  await missed.look();
  const verdict = await checkAll(scene);
  await observer.close();
  for (const server of servers) await server.kill();
  for (const server of servers) server.close();
  await world.close();
  namespaces?.close();
  return {
    ...verdict,
    records,
    takenOverMsMax: Math.max(0, ...takeOvers),
    takeOvers: takeOvers.length,
  };
}

/** @returns null when it has not ended in the time of a round */
async function withinTime<Result>(work: Promise<Result>): Promise<Result | null> {
  const late = new AbortController();
  try {
    return await Promise.race([work, delay(roundMsMax, null, { signal: late.signal })]);
  } finally {
    late.abort();
  }
}

/** Causes the fault, and waits until all servers are ready again. @returns what to print, and how long taking over took */
async function runRound(
  scene: ChaosScene,
  name: FaultName,
  missed: MissedCounts,
): Promise<{ readonly line: string; readonly takenOverMs: number | null }> {
  const { servers, records } = scene;
  const before = records.waited.length;
  const { what, takenOverMs } = await cause(name, scene);
  const readyMs = await allReady(servers, records);
  await missed.look();
  const took = takenOverMs === null ? "" : `, taken over after ${(takenOverMs / 1000).toFixed(1)} s`;
  const answered = records.waited.slice(before);
  const whole = answered.filter(({ outcome }) => outcome === "whole").length;
  const ready = (readyMs / 1000).toFixed(1);
  return {
    line: `${what}${took}; ready after ${ready} s; ${whole} of ${answered.length} answers whole`,
    takenOverMs,
  };
}

function engineLine(hasLlama: boolean): string {
  return hasLlama
    ? "engines: a llama-server and a scripted one"
    : "engines: a scripted one; there is no llama-server (`npm run build:llama-server` builds it), each server has the model itself";
}

async function allReady(servers: readonly ChaosServer[], records: ChaosRecords): Promise<number> {
  const from = performance.now();
  for (const server of servers) {
    while (!(await isReady(server))) {
      if (performance.now() - from > readyMsMax) {
        records.broken.push(`${server.name} was not ready after ${readyMsMax / 1000} s`);
        break;
      }
      await delay(100);
    }
  }
  return performance.now() - from;
}

async function isReady(server: ChaosServer): Promise<boolean> {
  const url = server.url();
  if (url === null) return false;
  const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
  await response?.text().catch(() => null);
  return response?.ok === true;
}
