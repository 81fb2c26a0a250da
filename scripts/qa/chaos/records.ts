/** What clients have sent, and what they were answered. */
import { AcceptedBatches } from "../checks/batches.js";
import type { Waited } from "../checks/charges.js";
import { AcceptedJobs } from "../checks/jobs.js";
import type { Admitted, LimitName } from "../checks/limits.js";
import { listViolations } from "../checks/violation.js";

export class Records {
  /** What must not be. */
  readonly broken: string[] = [];
  readonly judge = listViolations(this.broken);
  readonly waited: Waited[] = [];
  readonly jobs = new AcceptedJobs(this.judge);
  readonly batches = new AcceptedBatches(this.judge);
  readonly admitted = new Map<LimitName, Admitted[]>();
  limited = 0;
  revoked = 0;
  /** How long after its revocation a key was still accepted, in milliseconds. */
  revokedMsMax = 0;
  /** When the database crashed, and when it was up again: the windows of limits are empty then. */
  readonly crashes: { readonly from: number; readonly until: number }[] = [];
  /** When a server may have counted limits by itself, because Redis was lost or did not answer in time. */
  readonly redisLosses: { readonly from: number; readonly until: number }[] = [];
  /** When Redis was back without its data. */
  readonly redisEmptied: number[] = [];
  /** When a server was started again: it has forgotten what it had counted by itself. */
  readonly restarts: number[] = [];
}
