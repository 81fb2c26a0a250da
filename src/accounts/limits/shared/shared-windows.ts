/** Sliding windows that several servers share: store.ts keeps them in the database, ../redis/ in Redis. */

/** The window of a quota. */
interface QuotaWindow {
  readonly quota: string;
  /** Its length in milliseconds. */
  readonly span: number;
}

/** A demand as those who keep the windows read it. */
export interface DemandRecord extends QuotaWindow {
  readonly most: number;
  readonly amount: number;
}

/** What is known of a demand's quota after a count. */
export interface CountRow {
  readonly countedAt: number;
  readonly taken: boolean;
  readonly used: number;
  /** When the last entry expires; null when there is none. */
  readonly endsAt: number | null;
  /** When the amount fits, if it does not fit now; null when it fits, or never will. */
  readonly fitsAt: number | null;
}

/** A time in milliseconds; null = the time of the database or of Redis, which all servers share. */
export type Time = number | null;

export interface SharedWindows {
  /** Counts all wanted demands, or none, and then gives back the earlier ones. @returns a row for each earlier demand, then for each wanted one. */
  take(
    earlier: readonly DemandRecord[],
    earlierAt: number,
    wanted: readonly DemandRecord[],
    at: Time,
  ): Promise<readonly CountRow[]>;
  /** Counts a positive difference now, and subtracts a negative one from what was counted at `countedAt`. */
  correct(windows: readonly QuotaWindow[], difference: number, countedAt: number, at: Time): Promise<void>;
  /** Removes the windows of quotas that were idle for a minute, where they do not expire by themselves. */
  sweep(at: Time): Promise<void>;
}
