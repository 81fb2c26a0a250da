/** What goes wrong in a round, and what is measured meanwhile. */
import { setTimeout as delay } from "node:timers/promises";
import type { Chance } from "../simulate/chance.js";
import type { FaultName } from "./fault-names.js";
import type { Observer } from "./observer.js";
import type { Records } from "./records.js";
import type { ChaosServer } from "./server.js";
import type { World } from "./world.js";

export interface Scene {
  readonly world: World;
  readonly servers: readonly ChaosServer[];
  readonly observer: Observer;
  readonly records: Records;
  readonly chance: Chance;
}

export interface FaultReport {
  /** What happened, in words. */
  readonly what: string;
  /** How long it took until others had taken over; null where nothing had to be. */
  readonly takenOverMs: number | null;
}

/** What a server that has ended had in flight is taken over within this time. */
export const takenOverMsMax = 15_000;
const stoppedMs = 15_000;

export function cause(name: FaultName, scene: Scene): Promise<FaultReport> {
  return faults[name](scene);
}

const faults: Readonly<Record<FaultName, (scene: Scene) => Promise<FaultReport>>> = {
  kill,
  stop,
  "postgres-fast": (scene) => restartPostgres(scene, "fast"),
  "postgres-immediate": (scene) => restartPostgres(scene, "immediate"),
  clock,
  "cut-database": cutDatabase,
  "cut-engine": cutEngine,
  "redis-lost": loseRedis,
};

async function kill({ servers, observer, records, chance }: Scene): Promise<FaultReport> {
  const server = chance.pick(servers);
  const restartsAtOnce = chance.happens(0.5);
  const node = await observer.nodeOf(server.name);
  await server.kill();
  const taking = watchTakeOver(records, observer, node, server.name);
  if (!restartsAtOnce) await taking;
  await server.start();
  records.restarts.push(performance.now());
  const after = restartsAtOnce ? "at once" : "afterwards";
  return { what: `${server.name} killed -9, started again ${after}`, takenOverMs: await taking };
}

async function stop({ servers, observer, records, chance }: Scene): Promise<FaultReport> {
  const server = chance.pick(servers);
  const node = await observer.nodeOf(server.name);
  server.signal("SIGSTOP");
  try {
    const [takenOverMs] = await Promise.all([
      watchTakeOver(records, observer, node, server.name),
      delay(stoppedMs),
    ]);
    return { what: `${server.name} stopped for ${stoppedMs / 1000} s`, takenOverMs };
  } finally {
    server.signal("SIGCONT");
  }
}

async function restartPostgres(
  { world, records, chance }: Scene,
  mode: "fast" | "immediate",
): Promise<FaultReport> {
  const downMs = chance.pick([0, 1_000, 4_000]);
  const from = performance.now();
  await world.postgres.restart(mode, () => delay(downMs));
  if (mode === "immediate") records.crashes.push({ from, until: performance.now() });
  return { what: `PostgreSQL restarted (${mode}), down for ${downMs / 1000} s`, takenOverMs: null };
}

async function clock({ servers, chance }: Scene): Promise<FaultReport> {
  const server = chance.pick(servers);
  const seconds = chance.pick([-3_600, -600, -40, 40, 600, 3_600]);
  server.shiftClock(seconds * 1000);
  await delay(chance.between(3_000, 8_000));
  server.shiftClock(0);
  return { what: `the clock of ${server.name} jumped by ${seconds} s and back`, takenOverMs: null };
}

async function cutDatabase({ servers, observer, records, chance }: Scene): Promise<FaultReport> {
  const server = chance.pick(servers);
  const how = chance.pick(["refused", "silent"] as const);
  const isLong = chance.happens(0.5);
  const cutMs = isLong ? takenOverMsMax : chance.between(1_000, 5_000);
  const node = await observer.nodeOf(server.name);
  server.database.cut(how);
  const [takenOverMs] = await Promise.all([
    isLong ? watchTakeOver(records, observer, node, server.name) : null,
    delay(cutMs),
  ]);
  server.database.restore();
  return {
    what: `${server.name} cut from PostgreSQL (${how}) for ${(cutMs / 1000).toFixed(1)} s`,
    takenOverMs,
  };
}

async function cutEngine({ servers, chance }: Scene): Promise<FaultReport> {
  const server = chance.pick(servers);
  const how = chance.pick(["refused", "silent"] as const);
  const cutMs = chance.between(2_000, 8_000);
  for (const engine of server.engines) engine.cut(how);
  await delay(cutMs);
  for (const engine of server.engines) engine.restore();
  return {
    what: `${server.name} cut from the engines (${how}) for ${(cutMs / 1000).toFixed(1)} s`,
    takenOverMs: null,
  };
}

async function loseRedis({ world, records, chance }: Scene): Promise<FaultReport> {
  const { redis } = world;
  if (redis === null) return { what: "no Redis server to lose: none is installed", takenOverMs: null };
  const downMs = chance.pick([0, 2_000, 8_000]);
  await redis.kill();
  await delay(downMs);
  await redis.start();
  records.redisEmptied.push(performance.now());
  return { what: `Redis killed, and back without its data after ${downMs / 1000} s`, takenOverMs: null };
}

async function watchTakeOver(
  records: Records,
  observer: Observer,
  node: number,
  name: string,
): Promise<number | null> {
  const { ms, left } = await observer.takenOver(node, takenOverMsMax);
  if (ms === null)
    records.broken.push(`not all of ${name} was taken over within ${takenOverMsMax / 1000} s: ${left} left`);
  return ms;
}
