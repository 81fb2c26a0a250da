/** Where requests wait, and which of these places saturates first: the utilization law of queueing networks. Pure. */
import type { Costs, Deployment } from "./costs.js";
import { busiestShare } from "../../figures/zipf.js";

export type StationName = "nodes" | "database" | "largest team";

/** Equal queues, each with equal servers, each of which works for one request at a time. */
export interface Station {
  readonly name: StationName;
  readonly queues: number;
  /** Servers of each queue. */
  readonly servers: number;
  /** Work of one request, in milliseconds of a server. */
  readonly workMs: number;
  /** Share of all requests that come to the busiest queue. */
  readonly share: number;
}

export function listStations(costs: Costs, deployment: Deployment): readonly Station[] {
  const { nodes, databases, databaseCores, countsInDatabase, runsPerReservation, teams } = deployment;
  return [
    {
      name: "nodes",
      queues: nodes,
      servers: 1,
      workMs: costs.nodeMs + costs.tokenMs * deployment.answerTokens,
      share: 1 / nodes,
    },
    {
      name: "database",
      queues: databases,
      servers: databaseCores,
      workMs: costs.runMs + (countsInDatabase ? costs.limitsMs : 0),
      share: busiestShare(teams, databases),
    },
    {
      name: "largest team",
      queues: 1,
      servers: 1,
      workMs: costs.teamMs / runsPerReservation,
      share: busiestShare(teams, teams),
    },
  ];
}

/** Returns the requests a second, of all teams, at which the busiest queue of a station works without a pause. */
export function computeCapacity({ servers, workMs, share }: Station): number {
  return (servers * 1000) / (workMs * share);
}

/** Returns the station that saturates first. */
export function findBottleneck(stations: readonly Station[]): Station {
  const [first, ...others] = stations;
  if (first === undefined) throw new Error("there is no station");
  return others.reduce(
    (least, each) => (computeCapacity(each) < computeCapacity(least) ? each : least),
    first,
  );
}

/** Returns the connections that one database has, from all nodes: every node has requests of every team. */
export function countConnections({ nodes, connectionsPerNode }: Deployment): number {
  return nodes * connectionsPerNode;
}
