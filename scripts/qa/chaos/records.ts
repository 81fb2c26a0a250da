/** What clients of several servers were answered, and what has gone wrong meanwhile. Times are values of `performance.now()`. */
import type { Admitted, LimitName } from "../checks/limits.js";
import { Records } from "../clients/records.js";

export class ChaosRecords extends Records {
  readonly admitted = new Map<LimitName, Admitted[]>();
  limited = 0;
  revoked = 0;
  /** How long after its revocation a key was still accepted, in milliseconds. */
  revokedMsMax = 0;
  /** When a server may have counted limits by itself, because Redis was lost or did not answer in time. */
  readonly redisLosses: { readonly from: number; readonly until: number }[] = [];
  /** When Redis was back without its data. */
  readonly redisEmptied: number[] = [];
  /** When a server was started again: it has forgotten what it had counted by itself. */
  readonly restarts: number[] = [];
}
