/** What holds when all work has ended. */
import type { AcceptedBatches } from "../checks/batches.js";
import type { Books } from "../checks/books.js";
import type { AcceptedJobs } from "../checks/jobs.js";
import { holds, Violation } from "../checks/violation.js";
import type { Clients } from "./clients.js";
import type { SimulatedServer } from "./server.js";

export interface Ended {
  readonly server: SimulatedServer | null;
  readonly clients: Clients;
  readonly jobs: AcceptedJobs;
  readonly batches: AcceptedBatches;
}

/** Returns whether nothing is left to do. */
export async function isIdle({ server, clients, jobs, batches }: Ended, books: Books): Promise<boolean> {
  return (
    server !== null &&
    clients.openRequests === 0 &&
    server.app.liveRuns.size === 0 &&
    batches.unfinished.length === 0 &&
    (await jobs.findUnfinished(books)).length === 0
  );
}

/** @returns the server, which still runs. @throws Violation unless all work has ended. */
export async function checkEnd(
  { server, clients, jobs, batches }: Ended,
  books: Books,
): Promise<SimulatedServer> {
  const left = await jobs.findUnfinished(books);
  holds(left.length === 0, "every job ends", () => left.join(", "));
  const { unfinished } = batches;
  holds(unfinished.length === 0, "every batch ends", () => unfinished.map(({ id }) => id).join(", "));
  if (server === null) throw new Violation("the server starts again", "it does not run");
  holds(clients.openRequests === 0, "every request ends", () => `${clients.openRequests} are open`);
  const active = server.app.liveRuns.size;
  holds(active === 0, "every run ends", () => `${active} are left`);
  holds(server.engine.leases === 0, "no model stays held", () => `${server.engine.leases} leases`);
  return server;
}
