import { sql, type Kysely } from "kysely";
import type { NodeStore } from "../nodes.js";
import type { Schema } from "../schema.js";
import { nodeSpace } from "./locks.js";
import type { ServerLock } from "./server-lock.js";

/** @param self the number of this server */
export function createNodeStore(kysely: Kysely<Schema>, lock: ServerLock, self: number): NodeStore {
  return {
    isShared: true,
    async names() {
      const rows = await kysely.selectFrom("nodes").select("name").orderBy("id").execute();
      return rows.map(({ name }) => name);
    },
    async others() {
      const rows = await kysely
        .selectFrom("nodes")
        .select("id")
        .where("id", "<>", self)
        .orderBy("id")
        .execute();
      return rows.map(({ id }) => id);
    },
    removal: (id) => ({
      table: "nodes",
      query:
        sql`delete from nodes where id = ${id} and pg_try_advisory_xact_lock(${nodeSpace}, cast(${id} as integer))`.compile(
          kysely,
        ),
      rows: 1,
    }),
    leads: (task) => lock.holds(task),
    hold: async (task) => ((await lock.take(task)) ? () => void lock.give(task) : null),
  };
}
