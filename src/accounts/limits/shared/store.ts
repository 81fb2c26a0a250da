/** The queries of the windows that all servers of a database share. */
import { sql } from "kysely";
import type { Database } from "../../../store/database.js";

/** A demand as the functions of the database read it. */
export interface DemandRecord {
  readonly quota: string;
  /** The length of its window in milliseconds. */
  readonly span: number;
  readonly most: number;
  readonly amount: number;
}

/** What is known of a demand's quota after a count. */
export interface CountRow {
  readonly counted_at: number;
  readonly taken: boolean;
  readonly used: number;
  /** When the last entry expires; null when there is none. */
  readonly ends_at: number | null;
  /** When the amount fits, if it does not fit now; null when it fits, or never will. */
  readonly fits_at: number | null;
}

/** A time in milliseconds; null = that of the database, which all servers share. */
type Time = number | null;

/** Windows that `rate_sweep` looks at, at most. */
const sweptAtOnce = 10_000;

export type SharedWindowStore = ReturnType<typeof createSharedWindowStore>;

export function createSharedWindowStore({ kysely }: Pick<Database, "kysely">) {
  return {
    async take(
      earlier: readonly DemandRecord[],
      earlierAt: number,
      wanted: readonly DemandRecord[],
      at: Time,
    ): Promise<readonly CountRow[]> {
      const query = sql<CountRow>`select * from rate_take(${jsonOf(earlier)}, ${earlierAt}, ${jsonOf(wanted)}, ${at})`;
      return (await query.execute(kysely)).rows;
    },
    async correct(
      quotas: readonly Pick<DemandRecord, "quota" | "span">[],
      difference: number,
      countedAt: number,
      at: Time,
    ): Promise<void> {
      await sql`select rate_correct(${jsonOf(quotas)}, ${difference}, ${countedAt}, ${at})`.execute(kysely);
    },
    /** Removes the windows of quotas that were idle for a minute. */
    async sweep(at: Time): Promise<void> {
      const query = sql<{ readonly seen: number }>`select rate_sweep(${at}) as seen`;
      let seen = sweptAtOnce;
      while (seen === sweptAtOnce) seen = (await query.execute(kysely)).rows[0]?.seen ?? 0;
    },
  };
}

function jsonOf(value: unknown) {
  return sql`cast(${JSON.stringify(value)} as jsonb)`;
}
