/**
 * `npm run simulate -- nodes [--seed S --requests N --measure]`: many nodes and teams as a network of queues, fed with measured costs:
 * what saturates first, and after each step against it what saturates then. At 70 % of each capacity, N requests are simulated.
 */
import { climb, type Rung } from "./nodes/ladder.js";
import { firstDeployment, measuredCosts, type Costs, type Deployment } from "./nodes/costs.js";
import { simulateRequests } from "./nodes/requests.js";
import { listStations } from "./nodes/stations.js";

export interface NodesArguments {
  readonly seed: number;
  readonly requests: number;
  /** Whether the costs of a node are measured anew. */
  readonly measures: boolean;
}

/** Share of the capacity at which requests are simulated. */
const simulatedShare = 0.7;

/** Prints every bottleneck, one after the other. */
export async function simulateNodes({ seed, requests, measures }: NodesArguments): Promise<void> {
  const costs: Costs = measures ? { ...measuredCosts, ...(await measureHere()) } : measuredCosts;
  printCosts(costs, firstDeployment);
  for (const [index, rung] of climb(costs, firstDeployment).entries()) {
    write(`\n${index + 1}. ${describeRung(rung)}`);
    if (rung.requestsPerSecondMax > 0) printSimulated(costs, rung, requests, seed);
    write(`   next step: ${rung.step ?? "none but more or faster ones"}`);
  }
}

/** What measures needs the built program, and is loaded only then. */
async function measureHere(): Promise<Pick<Costs, "nodeMs" | "tokenMs">> {
  const { measureNode } = await import("./nodes/measure.js");
  return measureNode();
}

function printCosts(costs: Costs, { nodes, teams, answerTokens, databaseCores }: Deployment): void {
  const ms = (value: number): string => `${value.toFixed(3)} ms`;
  write(
    `${nodes} nodes, ${teams} teams, answers of ${answerTokens} tokens, databases of ${databaseCores} cores`,
  );
  write(`a node: ${ms(costs.nodeMs)} a request, ${ms(costs.tokenMs)} a token`);
  write(`the database: ${ms(costs.runMs)} a run, ${ms(costs.limitsMs)} for its limits`);
  write(`one team: ${ms(costs.teamMs)} between two runs`);
}

function describeRung({ bound, deployment, requestsPerSecondMax }: Rung): string {
  const { nodes, connectionsPerNode, connectionsMax } = deployment;
  if (bound === "connections")
    return `connections: ${nodes * connectionsPerNode} of the nodes, and a database takes ${connectionsMax}`;
  const place =
    bound === "database" ? `database (of ${deployment.databases}, the one of the largest team)` : bound;
  return `${place}: ${Math.floor(requestsPerSecondMax)} requests/s of all teams at most`;
}

function printSimulated(costs: Costs, rung: Rung, requests: number, seed: number): void {
  const { deployment, requestsPerSecondMax } = rung;
  const { teams } = deployment;
  const stations = listStations(costs, deployment);
  const requestsPerSecond = requestsPerSecondMax * simulatedShare;
  const load = { stations, teams, requestsPerSecond, requests, seed };
  const { tookMs, utilization } = simulateRequests(load);
  const at = (share: number): string => (tookMs[Math.floor(tookMs.length * share)] ?? 0).toFixed(1);
  const busy = [...utilization].map(([name, share]) => `${name} ${(share * 100).toFixed(1)} %`);
  write(`   at ${Math.floor(requestsPerSecond)} requests/s: ${busy.join(", ")}`);
  write(`   without the model, a request takes ${at(0.5)} / ${at(0.95)} / ${at(0.99)} ms (p50 / p95 / p99)`);
}

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}
