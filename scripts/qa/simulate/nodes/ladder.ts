/** From one bottleneck to the next: what saturates, and the step that removes it. Pure. */
import type { Costs, Deployment } from "./costs.js";
import {
  findBottleneck,
  computeCapacity,
  countConnections,
  listStations,
  type StationName,
} from "./stations.js";

/** No step leads to more databases than that. */
const databasesMax = 64;

export interface Rung {
  readonly deployment: Deployment;
  /** What bounds it. */
  readonly bound: StationName | "connections";
  /** Requests a second of all teams, at most; 0: the nodes cannot connect. */
  readonly requestsPerSecondMax: number;
  /** The next step; null: none is left but more nodes. */
  readonly step: string | null;
}

/** Returns what saturates first, then what does after the step against it, until the nodes themselves do. */
export function climb(costs: Costs, first: Deployment): readonly Rung[] {
  const rungs: Rung[] = [];
  for (let deployment: Deployment | null = first; deployment !== null;) {
    const stations = listStations(costs, deployment);
    const tooMany = countConnections(deployment) > deployment.connectionsMax;
    const bottleneck = findBottleneck(stations);
    const bound = tooMany ? "connections" : bottleneck.name;
    const next = nextStep(bound, deployment);
    rungs.push({
      deployment,
      bound,
      requestsPerSecondMax: tooMany ? 0 : computeCapacity(bottleneck),
      step: next?.step ?? null,
    });
    deployment = next?.deployment ?? null;
  }
  return rungs;
}

interface Next {
  readonly step: string;
  readonly deployment: Deployment;
}

function nextStep(bound: Rung["bound"], deployment: Deployment): Next | null {
  if (bound === "connections") {
    const connectionsPerNode = Math.floor(deployment.connectionsMax / deployment.nodes);
    const step = `${connectionsPerNode} connections of each node`;
    return connectionsPerNode < 1 ? null : { step, deployment: { ...deployment, connectionsPerNode } };
  }
  if (bound === "largest team")
    return {
      step: "a node reserves from a large team's balance for 100 times as many runs at once",
      deployment: { ...deployment, runsPerReservation: deployment.runsPerReservation * 100 },
    };
  if (bound === "nodes") return null;
  if (deployment.countsInDatabase)
    return {
      step: "limits are counted outside of the database",
      deployment: { ...deployment, countsInDatabase: false },
    };
  if (deployment.databases >= databasesMax) return null;
  return {
    step: "twice as many databases, each with a part of the teams",
    deployment: { ...deployment, databases: deployment.databases * 2 },
  };
}
