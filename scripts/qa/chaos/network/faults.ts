/** Cuts a server off from some of what it shares with others, or from everything. */
import { setTimeout as delay } from "node:timers/promises";
import type { FaultName } from "../fault-names.js";
import type { FaultReport, ChaosScene } from "../scene.js";
import { takenOverMsMax, watchTakeOver } from "../checks/take-overs.js";
import { allPlaces, type Cut, type Place } from "./server-network.js";

type NetworkFault = Extract<FaultName, `cut-${string}`>;

interface CutOff {
  readonly from: readonly Place[];
  /** In words. */
  readonly name: string;
  /** How long a cut lasts that others need not notice. */
  readonly shortMs: readonly [least: number, most: number];
  /** Half of the cuts are so long that others must have taken over meanwhile. */
  readonly isTakenOver: boolean;
}

const database: CutOff = {
  from: ["database"],
  name: "PostgreSQL",
  shortMs: [1_000, 5_000],
  isTakenOver: true,
};
const engines: CutOff = {
  from: ["engines"],
  name: "the engines",
  shortMs: [2_000, 8_000],
  isTakenOver: false,
};
const redis: CutOff = { from: ["redis"], name: "Redis", shortMs: [1_000, 10_000], isTakenOver: false };
const clients: CutOff = {
  from: ["clients"],
  name: "its clients",
  shortMs: [1_000, 20_000],
  isTakenOver: false,
};
const network: CutOff = { from: allPlaces, name: "everything", shortMs: [1_000, 10_000], isTakenOver: true };

export const networkFaults: Readonly<Record<NetworkFault, (scene: ChaosScene) => Promise<FaultReport>>> = {
  "cut-database": (scene) => cutOff(scene, database),
  "cut-engine": (scene) => cutOff(scene, engines),
  "cut-redis": (scene) => cutOff(scene, redis),
  "cut-clients": (scene) => cutOff(scene, clients),
  "cut-network": (scene) => cutOff(scene, network),
};

const longMs = [takenOverMsMax, 20_000] as const;

const inWords: Readonly<Record<Cut, string>> = {
  refused: "refused",
  silent: "silent",
  unheard: "silent, only what it sends",
  unreached: "silent, only what is sent to it",
};

async function cutOff(scene: ChaosScene, off: CutOff): Promise<FaultReport> {
  const { servers, observer, chance } = scene;
  const server = chance.pick(servers);
  const how = chance.pick(server.network.cuts);
  const isLong = off.isTakenOver && chance.happens(0.5);
  const cutMs = chance.between(...(isLong ? longMs : off.shortMs));
  const node = await observer.nodeOf(server.name);
  server.network.cut(off.from, how);
  const [takenOverMs] = await Promise.all([
    isLong ? watchTakeOver(scene, node, server.name) : null,
    delay(cutMs),
  ]);
  server.network.restore();
  const seconds = (cutMs / 1000).toFixed(1);
  return { what: `${server.name} cut from ${off.name} (${inWords[how]}) for ${seconds} s`, takenOverMs };
}
