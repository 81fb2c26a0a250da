/** What holds when all work has ended. */
import type { Clients } from "../clients.js";
import type { SimulatedServer } from "../server.js";
import type { AcceptedBatches } from "./batches.js";
import type { Books } from "./books.js";
import type { AcceptedJobs } from "./jobs.js";
import { holds, Violation } from "./violation.js";

export interface Ended {
  readonly server: SimulatedServer | null;
  readonly clients: Clients;
  readonly jobs: AcceptedJobs;
  readonly batches: AcceptedBatches;
}

/** Whether nothing is left to do. */
export function isIdle({ server, clients, jobs, batches }: Ended, books: Books): boolean {
  return (
    server !== null &&
    clients.openRequests === 0 &&
    server.app.generator.active.size === 0 &&
    batches.unfinished.length === 0 &&
    jobs.unfinished(books).length === 0
  );
}

/** @returns the server, which still runs. @throws Violation unless all work has ended. */
export function checkEnd({ server, clients, jobs, batches }: Ended, books: Books): SimulatedServer {
  const left = jobs.unfinished(books);
  holds(left.length === 0, "every job ends", () => left.join(", "));
  holds(batches.unfinished.length === 0, "every batch ends", () => batches.unfinished.join(", "));
  if (server === null) throw new Violation("the server starts again", "it does not run");
  holds(clients.openRequests === 0, "every request ends", () => `${clients.openRequests} are open`);
  const active = server.app.generator.active.size;
  holds(active === 0, "every run ends", () => `${active} are left`);
  holds(server.engine.leases === 0, "no model stays held", () => `${server.engine.leases} leases`);
  return server;
}
