import { sql, type Kysely } from "kysely";
import type { NodeStore } from "../nodes.js";
import type { Schema } from "../schema.js";
import { nodeSpace } from "./locks.js";
import { applicationName } from "./pool.js";
import { isLocked } from "./nodes.js";
import type { ServerLock } from "./server-lock.js";

/** How long it is waited for the end of a connection. */
const terminationMs = 2_000;

/** @param self the number of this server */
export function createNodeStore(kysely: Kysely<Schema>, lock: ServerLock, self: number): NodeStore {
  return {
    isShared: true,
    async names() {
      const rows = await kysely.selectFrom("nodes").select("name").orderBy("id").execute();
      return rows.map(({ name }) => name);
    },
    async ended() {
      const rows = await kysely
        .selectFrom("nodes")
        .select("id")
        .where("id", "<>", self)
        // A lock that is free may be taken again at any time: `removal` decides.
        .where(sql<boolean>`not ${sql.raw(isLocked)}`)
        .orderBy("id")
        .execute();
      return rows.map(({ id }) => id);
    },
    removal: (id) => [
      {
        table: "nodes",
        query:
          sql`delete from nodes where id = ${id} and pg_try_advisory_xact_lock(${nodeSpace}, cast(${id} as integer))`.compile(
            kysely,
          ),
        rows: 1,
      },
      // Not of one that runs: then its row is still there.
      {
        query: sql`select pg_terminate_backend(pid, ${terminationMs}) from pg_stat_activity
          where datname = current_database() and application_name = ${applicationName(id)} and pid <> pg_backend_pid()
            and not exists (select 1 from nodes where id = ${id})`.compile(kysely),
        rows: null,
      },
    ],
    leads: (task) => lock.holds(task),
    hold: async (task) => ((await lock.take(task)) ? () => void lock.give(task) : null),
  };
}
