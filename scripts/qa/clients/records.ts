/** What clients have sent, and what they were answered. */
import { AcceptedBatches } from "../checks/batches.js";
import type { Waited } from "../checks/charges.js";
import { AcceptedJobs } from "../checks/jobs.js";
import { listViolations } from "../checks/violation.js";

export class Records {
  /** What must not be. */
  readonly broken: string[] = [];
  readonly judge = listViolations(this.broken);
  readonly waited: Waited[] = [];
  readonly jobs = new AcceptedJobs(this.judge);
  readonly batches = new AcceptedBatches(this.judge);
  /** When the database crashed, and when it was up again. */
  readonly crashes: { readonly from: number; readonly until: number }[] = [];
}
