/**
 * `npm run soak [-- --minutes 10 --clients 32 --requests 200000 --seed 1]`: runs many kinds of clients
 * against a server of its own on loopback, for a bounded time and number of requests: short and long,
 * streamed and not, with prompts that are too long, invalid bodies, clients that disconnect at any
 * moment, also while they are queued, and clients of jobs and batches. Exits with 1 if a slot is stuck, if a status is 5xx other than 503,
 * if an answer is not as expected, if something accepted does not end once, or if books and charges are not what answers say; with 2 for
 * invalid arguments.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import Sqlite from "better-sqlite3";
import { Books } from "./checks/books.js";
import { runLedgerVerify } from "./checks/ledger-verify.js";
import { readSqlite } from "./checks/read-sqlite.js";
import { checkWork, waitForEnd } from "./clients/check-work.js";
import type { Load } from "./clients/load.js";
import { runClients, type SoakBounds } from "./soak/clients.js";
import { watchMemory } from "./soak/memory.js";
import { memoryTable, outcomeTable, verdict } from "./soak/report.js";
import { stuckSlots } from "./soak/slots.js";
import { writeConfig } from "./world/config.js";
import { writeBenchModel } from "./world/models.js";
import { readNumber, readWhole, runCommand } from "./world/options.js";
import { scratchFolder } from "./world/processes.js";
import { spawnServer } from "./world/server.js";
import { printTable, type Row } from "./figures/table.js";

const slots = 4;
/** Fewer than the clients, so that some receive 503 and retry. */
const queueDepthMax = 16;
/** Jobs and batches that were accepted end within this time after the last request. */
const endMsMax = 180_000;

await runCommand("soak", readBounds, main);

async function main(bounds: SoakBounds): Promise<number> {
  const { id, folder } = await writeBenchModel("small");
  const data = scratchFolder();
  const settings = {
    HEARTH_DATA: data.path,
    HEARTH_CONFIG: writeConfig(data.path, [id]),
    HEARTH_MODELS: folder,
    HEARTH_SLOTS_PER_MODEL: String(slots),
    HEARTH_QUEUE_DEPTH_MAX: String(queueDepthMax),
    HEARTH_CONTEXT_TOKENS_MAX: "4096",
  };
  const server = await spawnServer(settings);
  const memory = watchMemory(server.pid);
  const { tally, load, seconds } = await runClients(server, id, bounds);
  const perMinute = memory.stop();
  const work = await checkDatabase(join(data.path, "hearth.db"), load);
  const stuck = await stuckSlots(server, id, slots);
  await server.stop();
  const problems = await runLedgerVerify(settings);
  data.remove();
  const { judge, broken } = load.records;
  judge(problems === null, "the books balance", () => `hearth ledger verify: ${problems}`);
  process.stdout.write(
    `\n${tally.requests} requests of ${bounds.clients} clients in ${seconds.toFixed(0)} s\n`,
  );
  printTable([...outcomeTable(tally), ...work]);
  process.stdout.write("\nresident memory of the server\n");
  printTable(memoryTable(perMinute));
  const { rows, failed } = verdict(tally, stuck, broken);
  process.stdout.write("\nmust be\n");
  printTable(rows);
  return failed ? 1 : 0;
}

/** Waits until all accepted work has ended, and checks it. */
async function checkDatabase(file: string, load: Load): Promise<readonly Row[]> {
  const { judge } = load.records;
  const sqlite = new Sqlite(file, { readonly: true });
  try {
    const books = new Books(readSqlite(sqlite), judge);
    const left = await waitForEnd(books, endMsMax);
    judge(left === null, "all work ends", () => `${left} after ${endMsMax / 1000} s`);
    return await checkWork(load, books);
  } finally {
    sqlite.close();
  }
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
