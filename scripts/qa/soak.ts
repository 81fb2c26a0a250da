/**
 * `npm run soak [-- --minutes 10 --clients 32 --requests 200000 --seed 1]`: runs many kinds of clients
 * against a server of its own on loopback, for a bounded time and number of requests: short and long,
 * streamed and not, with prompts that are too long, invalid bodies, and clients that disconnect at any
 * moment, also while they are queued. Exits with 1 if a slot is stuck, if a status is 5xx other than 503, or
 * if an answer is not as expected; with 2 for invalid arguments.
 */
import { parseArgs } from "node:util";
import { writeBenchModel } from "./world/models.js";
import { startServer } from "./world/server.js";
import { readNumber, readWhole, runProgram } from "./world/options.js";
import { printTable } from "./world/table.js";
import { runClients, type SoakBounds } from "./soak/clients.js";
import { watchMemory } from "./soak/memory.js";
import { memoryTable, outcomeTable, verdict } from "./soak/report.js";
import { stuckSlots } from "./soak/slots.js";

const slots = 4;
/** Fewer than the clients, so that some receive 503 and retry. */
const queueDepthMax = 16;

await runProgram("soak", readBounds, main);

async function main(bounds: SoakBounds): Promise<number> {
  const { id, folder } = await writeBenchModel("small");
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
    minutes: readNumber("--minutes", values.minutes, 0.01, 120),
    clients: readWhole("--clients", values.clients, 1024),
    requestsMax: readWhole("--requests", values.requests, 10_000_000),
    seed: readWhole("--seed", values.seed, 2 ** 31),
  };
}
