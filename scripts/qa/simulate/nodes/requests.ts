/** Simulates requests of all teams to all nodes: arrivals by chance, work that varies exponentially. */
import { seeded } from "../../../../test/kit/models/gguf-writer/weights.js";
import { Queue, simulateVisits, type Visit } from "./queueing.js";
import type { Station, StationName } from "./stations.js";
import { chooseByRank } from "../../figures/zipf.js";

export interface NodesLoad {
  readonly stations: readonly Station[];
  readonly teams: number;
  readonly requestsPerSecond: number;
  readonly requests: number;
  readonly seed: number;
}

export interface Simulated {
  /** How long requests were under way without their model, in milliseconds, ascending. */
  readonly tookMs: Float64Array;
  /** Share of the time that servers worked: of all nodes, and of the database and the balance of the largest team. */
  readonly utilization: ReadonlyMap<StationName, number>;
}

/** Simulates requests, of which the first fifth only fills the queues. */
export function simulateRequests(load: NodesLoad): Simulated {
  const next = seeded(load.seed);
  const exponential = (mean: number): number => -Math.log(1 - next()) * mean;
  const chooseTeam = chooseByRank(load.teams);
  const queues = new Map(load.stations.map((station) => [station.name, createQueues(station)]));
  const arrivals: number[] = [];
  for (let time = 0; arrivals.length < load.requests;) {
    time += exponential(1000 / load.requestsPerSecond);
    arrivals.push(time);
  }
  const drawVisits = (): readonly Visit[] => {
    const team = chooseTeam(next());
    return load.stations.flatMap(({ name, workMs }) => {
      if (name === "largest team" && team > 0) return [];
      const all = queues.get(name) ?? [];
      // A team has one database, and any node.
      const queue = all[name === "nodes" ? Math.floor(next() * all.length) : team % all.length];
      return queue === undefined ? [] : [{ queue, workMs: exponential(workMs) }];
    });
  };
  const took = simulateVisits(arrivals, drawVisits);
  const tookMs = took.slice(Math.floor(took.length / 5)).toSorted();
  const lastMs = arrivals.at(-1) ?? 0;
  const utilization = load.stations.map(({ name, servers }) => {
    const all = queues.get(name) ?? [];
    // The largest team, of rank 0, is in the first database; one node is busier than another by chance alone.
    const counted = name === "nodes" ? all : all.slice(0, 1);
    const busyMs = counted.reduce((sum, queue) => sum + queue.busyMs, 0);
    return [name, busyMs / (counted.length * servers * lastMs)] as const;
  });
  return { tookMs, utilization: new Map(utilization) };
}

function createQueues({ queues, servers }: Station): readonly Queue[] {
  return Array.from({ length: queues }, () => new Queue(servers));
}
