/** The model of many nodes: its queues follow the formulas of queueing theory, and its bottlenecks are those that requests meet. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { firstDeployment, measuredCosts } from "../../scripts/qa/simulate/nodes/costs.js";
import { climb } from "../../scripts/qa/simulate/nodes/ladder.js";
import { Queue, simulateVisits } from "../../scripts/qa/simulate/nodes/queueing.js";
import { simulateRequests } from "../../scripts/qa/simulate/nodes/requests.js";
import { findBottleneck, listStations } from "../../scripts/qa/simulate/nodes/stations.js";
import { busiestShare, chooseByRank } from "../../scripts/qa/figures/zipf.js";
import { seeded } from "../kit/models/gguf-writer/weights.js";
import { root } from "../kit/folder.js";

const mean = (values: Iterable<number>): number => {
  const all = [...values];
  return all.reduce((sum, value) => sum + value, 0) / all.length;
};

/** Simulates one queue with exponential arrivals and work. @returns the mean time under way, in multiples of the work */
function simulatedTime(servers: number, utilization: number): number {
  const next = seeded(7);
  const exponential = (of: number): number => -Math.log(1 - next()) * of;
  const arrivals: number[] = [];
  for (let time = 0; arrivals.length < 300_000;) {
    time += exponential(1 / (utilization * servers));
    arrivals.push(time);
  }
  const queue = new Queue(servers);
  return mean(simulateVisits(arrivals, () => [{ queue, workMs: exponential(1) }]));
}

/** Erlang's formula C: the mean time under way at several servers, in multiples of the work. */
function erlangTime(servers: number, utilization: number): number {
  const offered = servers * utilization;
  let blocked = 1;
  for (let count = 1; count <= servers; count += 1)
    blocked = (offered * blocked) / (count + offered * blocked);
  const waits = blocked / (1 - utilization * (1 - blocked));
  return 1 + waits / (servers * (1 - utilization));
}

describe("a queue", () => {
  it.each([
    [1, 0.5],
    [1, 0.8],
    [4, 0.7],
    [64, 0.9],
  ])("of %i servers that work %f of the time takes as long as Erlang's formula says", (servers, share) => {
    const expected = erlangTime(servers, share);
    if (servers === 1) expect(expected).toBeCloseTo(1 / (1 - share), 9);
    expect(Math.abs(simulatedTime(servers, share) / expected - 1)).toBeLessThan(0.05);
  });

  it("serves in the order of arrival, at the server that is free first", () => {
    const queue = new Queue(2);
    expect([queue.serve(0, 10), queue.serve(1, 2), queue.serve(2, 5), queue.serve(3, 1)]).toEqual([
      10, 3, 8, 9,
    ]);
    expect(queue.busyMs).toBe(18);
  });
});

describe("teams", () => {
  it("are drawn as Zipf's law has it: the first one as often as its share says", () => {
    const choose = chooseByRank(1000);
    const next = seeded(3);
    const counts = new Map<number, number>();
    for (let drawn = 0; drawn < 100_000; drawn += 1) {
      const team = choose(next());
      counts.set(team, (counts.get(team) ?? 0) + 1);
    }
    expect((counts.get(0) ?? 0) / 100_000).toBeCloseTo(busiestShare(1000, 1000), 2);
    expect((counts.get(0) ?? 0) / (counts.get(1) ?? 1)).toBeCloseTo(2, 0);
    expect([choose(0), choose(1 - 2 ** -32)]).toEqual([0, 999]);
  });

  it("make the group of the largest team the busiest one, and one group has all", () => {
    expect(busiestShare(1_000_000, 1)).toBe(1);
    expect(busiestShare(1_000_000, 8)).toBeGreaterThan(1 / 8);
    expect(busiestShare(4, 2)).toBeCloseTo((1 + 1 / 3) / (1 + 1 / 2 + 1 / 3 + 1 / 4), 12);
  });
});

describe("the model of many nodes", () => {
  const small = { ...firstDeployment, nodes: 20, teams: 1000, databaseCores: 2, connectionsMax: 500 };

  it("names the place that requests find busiest, after every step, until the nodes are it", () => {
    const rungs = climb(measuredCosts, small);
    expect(new Set(rungs.map(({ bound }) => bound))).toEqual(new Set(["largest team", "database", "nodes"]));
    expect(rungs.at(-1)).toMatchObject({ bound: "nodes", step: null });
    for (const [at, { deployment, bound, requestsPerSecondMax }] of rungs.entries()) {
      const stations = listStations(measuredCosts, deployment);
      const load = { stations, teams: small.teams, requests: 60_000, seed: 5 };
      const { utilization } = simulateRequests({ ...load, requestsPerSecond: requestsPerSecondMax * 0.7 });
      const busiest = [...utilization].toSorted(([, a], [, b]) => b - a)[0];
      // Where two places saturate at nearly the same load, chance decides.
      expect(utilization.get(findBottleneck(stations).name)).toBeCloseTo(0.7, 1);
      expect((busiest?.[1] ?? 1) - (utilization.get(findBottleneck(stations).name) ?? 0)).toBeLessThan(0.05);
      expect(bound).toBe(findBottleneck(stations).name);
      expect(requestsPerSecondMax).toBeGreaterThanOrEqual(rungs[at - 1]?.requestsPerSecondMax ?? 0);
    }
  });

  it("answers within a bound below a capacity, and falls behind above it", () => {
    const [{ deployment, requestsPerSecondMax } = { deployment: small, requestsPerSecondMax: 0 }] = climb(
      measuredCosts,
      small,
    );
    const load = { stations: listStations(measuredCosts, deployment), teams: small.teams, seed: 5 };
    const worst = (share: number, requests: number): number =>
      simulateRequests({ ...load, requestsPerSecond: requestsPerSecondMax * share, requests }).tookMs.at(
        -1,
      ) ?? 0;
    expect(worst(1.5, 120_000)).toBeGreaterThan(1.5 * worst(1.5, 60_000));
    expect(worst(0.5, 120_000)).toBeLessThan(worst(1.5, 60_000) / 10);
  });

  it("asks for fewer connections first, and gives up where a database takes less than one of each node", () => {
    expect(climb(measuredCosts, firstDeployment)[0]).toMatchObject({
      bound: "connections",
      requestsPerSecondMax: 0,
      step: "2 connections of each node",
    });
    const few = climb(measuredCosts, { ...firstDeployment, connectionsMax: 999 });
    expect(few).toMatchObject([{ bound: "connections", step: null }]);
  });

  it("has the capacities that the guide says, in its order", () => {
    const guide = readFileSync(join(root, "src/docs/measurements.md"), "utf8");
    const written = [...guide.matchAll(/^\| \d+ +\|[^|]*\| ([\d,]+|none) *\|/gm)].map(
      ([, capacity]) => capacity,
    );
    const capacities = climb(measuredCosts, firstDeployment).map(({ requestsPerSecondMax: most }) =>
      most === 0 ? "none" : Math.floor(most).toLocaleString("en-US"),
    );
    expect(written).toEqual(capacities);
  });

  it("repeats itself from its seed", () => {
    const load = { stations: listStations(measuredCosts, small), teams: 1000, requestsPerSecond: 300 };
    const run = (seed: number) => simulateRequests({ ...load, requests: 5_000, seed });
    expect(run(1)).toEqual(run(1));
    expect(run(1).tookMs).not.toEqual(run(2).tookMs);
  });
});
