/**
 * `npm run soak [-- --minutes 10 --clients 32 --requests 200000 --seed 1]`: many clients of every kind against a server of its
 * own on loopback, bounded in time and in requests: short and long, streamed and whole, prompts that are too long, bodies that
 * are wrong, and clients that leave at any moment, also while they wait. Exits with 1 when a slot is stuck, when anything was
 * answered with a 5xx other than 503, or when an answer was not what its request calls for; with 2 when it was called wrongly.
 */
import { parseArgs } from "node:util";
import { benchModel } from "./bench/model.js";
import { startServer } from "./bench/server.js";
import { printTable } from "./bench/table.js";
import { runClients, type SoakBounds } from "./soak/clients.js";
import { watchMemory } from "./soak/memory.js";
import { memoryTable, outcomeTable, verdict } from "./soak/report.js";
import { stuckSlots } from "./soak/slots.js";

const slots = 4;
/** Fewer than the clients, so that some are told to come back. */
const queueDepthMax = 16;

process.exitCode = await main();

async function main(): Promise<number> {
  let bounds: SoakBounds;
  try {
    bounds = readBounds();
  } catch (thrown) {
    process.stderr.write(`soak: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
    return 2;
  }
  const { id, folder } = await benchModel("small");
  const server = await startServer({
    HEARTH_MODELS: folder,
    HEARTH_SLOTS_PER_MODEL: String(slots),
    HEARTH_QUEUE_DEPTH_MAX: String(queueDepthMax),
    HEARTH_CONTEXT_TOKENS_MAX: "4096",
  });
  const memory = watchMemory(server.pid);
  const { tally, seconds } = await runClients(server, id, bounds);
  const perMinute = memory.stop();
  const stuck = await stuckSlots(server, id, slots);
  await server.stop();
  process.stdout.write(
    `\n${tally.requests} requests of ${bounds.clients} clients in ${seconds.toFixed(0)} s\n`,
  );
  printTable(outcomeTable(tally));
  process.stdout.write("\nresident memory of the server\n");
  printTable(memoryTable(perMinute));
  const { rows, failed } = verdict(tally, stuck);
  process.stdout.write("\nmust be\n");
  printTable(rows);
  return failed ? 1 : 0;
}

function readBounds(): SoakBounds {
  const { values } = parseArgs({
    options: {
      minutes: { type: "string", default: "10" },
      clients: { type: "string", default: "32" },
      requests: { type: "string", default: "200000" },
      seed: { type: "string", default: "1" },
    },
    allowPositionals: false,
  });
  return {
    minutes: bounded("--minutes", values.minutes, 120),
    clients: bounded("--clients", values.clients, 1024),
    requestsMax: bounded("--requests", values.requests, 10_000_000),
    seed: bounded("--seed", values.seed, 2 ** 31),
  };
}

function bounded(name: string, text: string, most: number): number {
  const value = Number(text);
  if (!(value > 0 && value <= most)) throw new Error(`${name} must be a number above 0 and up to ${most}`);
  return value;
}
