/**
 * `npm run simulate [-- --seed S --hours H --history-hours N --verbose]`: simulates a server, its clients and its disk for H hours,
 * in histories of N hours each; the first has the seed S, each next one the next seed. Processes are killed and cut from power,
 * the database fails and tears, and after every step the books, jobs, slots, limits and fairness are checked. Exits with 1 and
 * prints the seed when a guarantee does not hold: the same seed and hours repeat it. Exits with 2 for invalid arguments.
 * `npm run simulate -- nodes` simulates many nodes instead: see simulate/nodes.ts.
 */
import { parseArgs } from "node:util";
import { simulateNodes, type NodesArguments } from "./simulate/nodes.js";
import { simulateHistory } from "./simulate/history.js";
import { HistoryFailure, Totals, type HistoryResult } from "./simulate/report.js";
import { readWhole, runCommand } from "./world/options.js";

await runCommand("simulate", readArguments, main);

interface Arguments {
  readonly seed: number;
  readonly hours: number;
  readonly historyHours: number;
  readonly isVerbose: boolean;
  /** null: a history is simulated. */
  readonly nodes: NodesArguments | null;
}

async function main(wanted: Arguments): Promise<number> {
  if (wanted.nodes !== null) {
    await simulateNodes(wanted.nodes);
    return 0;
  }
  const totals = new Totals();
  const began = performance.now();
  for (let seed = wanted.seed, left = wanted.hours; left > 0; seed += 1, left -= wanted.historyHours) {
    const hours = Math.min(left, wanted.historyHours);
    const result = await simulate(seed, hours, wanted.isVerbose);
    if (result === null) return 1;
    totals.add(result, hours);
    const speed = totals.hours / ((performance.now() - began) / 1000);
    process.stdout.write(
      `seed ${seed}: ${hours} h, ${result.runs} runs, ${result.restarts} restarts, trace ${result.traceHash.slice(0, 16)}` +
        ` (${totals.hours} h so far, ${speed.toFixed(1)} h/s)\n`,
    );
  }
  totals.print((performance.now() - began) / 1000);
  return 0;
}

/** Returns null, and prints how to repeat it, when a guarantee does not hold. */
async function simulate(seed: number, hours: number, isVerbose: boolean): Promise<HistoryResult | null> {
  const onLine = (line: string): void => void process.stdout.write(`${line}\n`);
  try {
    return await simulateHistory({ seed, hours, ...(isVerbose ? { onLine } : {}) });
  } catch (thrown) {
    if (!(thrown instanceof HistoryFailure)) throw thrown;
    const lines = thrown.lastLines.map((line) => `  ${line}\n`).join("");
    process.stdout.write(`\nthe last steps:\n${lines}\n${thrown.message}\n`);
    process.stdout.write(`repeat it: npm run simulate -- --seed ${seed} --hours ${hours} --verbose\n`);
    return null;
  }
}

function readArguments(): Arguments {
  const { values, positionals } = parseArgs({
    options: {
      seed: { type: "string", default: "1" },
      hours: { type: "string", default: "24" },
      "history-hours": { type: "string", default: "12" },
      verbose: { type: "boolean", default: false },
      requests: { type: "string", default: "200000" },
      measure: { type: "boolean", default: false },
    },
    allowPositionals: true,
  });
  const [section, ...others] = positionals;
  if (others.length > 0 || (section !== undefined && section !== "nodes"))
    throw new Error(`unknown: ${positionals.join(" ")}; there is only \`nodes\``);
  const seed = readWhole("--seed", values.seed, 2 ** 31);
  const requests = readWhole("--requests", values.requests, 10_000_000);
  return {
    seed,
    nodes: section === undefined ? null : { seed, requests, measures: values.measure },
    hours: readWhole("--hours", values.hours, 1_000_000),
    historyHours: readWhole("--history-hours", values["history-hours"], 240),
    isVerbose: values.verbose,
  };
}
