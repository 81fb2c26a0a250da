/** What goes wrong in a round, and what is measured meanwhile. */
import { setTimeout as delay } from "node:timers/promises";
import type { FaultName } from "./fault-names.js";
import { networkFaults } from "./network/faults.js";
import type { FaultReport, ChaosScene } from "./scene.js";
import { watchTakeOver } from "./checks/take-overs.js";

const stoppedMs = 15_000;

export function cause(name: FaultName, scene: ChaosScene): Promise<FaultReport> {
  return faults[name](scene);
}

const faults: Readonly<Record<FaultName, (scene: ChaosScene) => Promise<FaultReport>>> = {
  kill,
  stop,
  "postgres-fast": (scene) => restartPostgres(scene, "fast"),
  "postgres-immediate": (scene) => restartPostgres(scene, "immediate"),
  clock,
  ...networkFaults,
  "redis-lost": loseRedis,
};

async function kill(scene: ChaosScene): Promise<FaultReport> {
  const { servers, observer, records, chance } = scene;
  const server = chance.pick(servers);
  const restartsAtOnce = chance.happens(0.5);
  const node = await observer.nodeOf(server.name);
  await server.kill();
  const taking = watchTakeOver(scene, node, server.name);
  if (!restartsAtOnce) await taking;
  await server.start();
  records.restarts.push(performance.now());
  const after = restartsAtOnce ? "at once" : "afterwards";
  return { what: `${server.name} killed -9, started again ${after}`, takenOverMs: await taking };
}

async function stop(scene: ChaosScene): Promise<FaultReport> {
  const { servers, observer, chance } = scene;
  const server = chance.pick(servers);
  const node = await observer.nodeOf(server.name);
  server.signal("SIGSTOP");
  try {
    const [takenOverMs] = await Promise.all([watchTakeOver(scene, node, server.name), delay(stoppedMs)]);
    return { what: `${server.name} stopped for ${stoppedMs / 1000} s`, takenOverMs };
  } finally {
    server.signal("SIGCONT");
  }
}

async function restartPostgres(
  { world, records, chance }: ChaosScene,
  mode: "fast" | "immediate",
): Promise<FaultReport> {
  const downMs = chance.pick([0, 1_000, 4_000]);
  const from = performance.now();
  await world.postgres.restart(mode, () => delay(downMs));
  if (mode === "immediate") records.crashes.push({ from, until: performance.now() });
  return { what: `PostgreSQL restarted (${mode}), down for ${downMs / 1000} s`, takenOverMs: null };
}

async function clock({ servers, chance }: ChaosScene): Promise<FaultReport> {
  const server = chance.pick(servers);
  const seconds = chance.pick([-3_600, -600, -40, 40, 600, 3_600]);
  server.shiftClock(seconds * 1000);
  await delay(chance.between(3_000, 8_000));
  server.shiftClock(0);
  return { what: `the clock of ${server.name} jumped by ${seconds} s and back`, takenOverMs: null };
}

async function loseRedis({ world, records, chance }: ChaosScene): Promise<FaultReport> {
  const { redis } = world;
  if (redis === null) return { what: "no Redis server to lose: none is installed", takenOverMs: null };
  const downMs = chance.pick([0, 2_000, 8_000]);
  await redis.kill();
  await delay(downMs);
  await redis.start();
  records.redisEmptied.push(performance.now());
  return { what: `Redis killed, and back without its data after ${downMs / 1000} s`, takenOverMs: null };
}
