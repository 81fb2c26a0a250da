/** What clients have sent, and what they were answered. */

/** A request whose client waited. */
export interface Waited {
  readonly requestId: string;
  readonly team: string;
  /** `whole`: the answer came to its end; `refused`: an error instead of an answer; `broken`: none, or not to its end; `left`: by its client. */
  readonly outcome: "whole" | "refused" | "broken" | "left";
  /** What the answer says that it cost; null where it does not say it. */
  readonly ticks: number | null;
  readonly status: number | null;
  readonly beganAt: number;
  /** When the answer, or the attempt, had ended. */
  readonly endedAt: number;
}

/** Work that a server has accepted. */
export interface Accepted {
  readonly id: string;
  readonly team: string;
}

export interface AcceptedBatch extends Accepted {
  readonly lines: readonly string[];
}

/** A request that a limit admitted: it was counted between both times. */
export interface Admitted {
  readonly from: number;
  readonly until: number;
}

export class Records {
  readonly waited: Waited[] = [];
  readonly deferred: Accepted[] = [];
  readonly responses: Accepted[] = [];
  readonly batches: AcceptedBatch[] = [];
  /** By name of the limit. */
  readonly admitted = new Map<string, Admitted[]>();
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
  /** What must not be. */
  readonly broken: string[] = [];
}
