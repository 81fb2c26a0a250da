import { sql, type CompiledQuery, type Kysely, type RawBuilder } from "kysely";
import type { NodeStore, RunningNode } from "../nodes.js";
import type { Schema } from "../tables.js";
import { nodeSpace } from "./locks.js";
import { applicationName } from "./pool.js";
import { isLocked } from "./nodes.js";
import type { ServerLock } from "./server-lock.js";

/**
 * How long to wait until all connections of a server have ended, and then for each that has not. The database looks every tenth of a
 * second whether one has ended: to wait for ten in turn would take a second.
 */
const terminationSeconds = 0.1;
const slowTerminationMs = 2_000;

/**
 * The other servers whose locks are free, and numbers that something in flight has although there is no server of that number: a
 * connection of a killed server may have committed while another server took over. A lock that is free may be taken again at any time:
 * `removal` decides.
 */
function endedNodes(self: number): RawBuilder<{ readonly id: number }> {
  return sql<{ readonly id: number }>`select id from (
      select id from nodes
      union select node_id from runs where state = 'running'
      union select node_id from jobs where lease_until is not null
      union select node_id from model_pulls where end_time is null
    ) as nodes
    where id <> ${self} and not ${sql.raw(isLocked)} order by id`;
}

/** Returns the servers that hold their locks, in the order in which they have started. */
export async function runningNodes(kysely: Kysely<Schema>): Promise<readonly RunningNode[]> {
  const rows = await kysely
    .selectFrom("nodes")
    .select(["name", "limitsPlace"])
    .where(sql.raw<boolean>(isLocked))
    .orderBy("id")
    .execute();
  return rows.map(({ name, limitsPlace }) => ({ name, limitsPlace }));
}

/** Returns the queries that end what the connections of a server that has been removed were doing, and wait for it. */
function terminations(kysely: Kysely<Schema>, id: number): readonly CompiledQuery[] {
  // Not of one that runs: then its row is still there.
  const itsConnections = sql`from pg_stat_activity where datname = current_database()
    and application_name = ${applicationName(id)} and pid <> pg_backend_pid() and not exists (select 1 from nodes where id = ${id})`;
  const steps = [
    sql`select pg_terminate_backend(pid) ${itsConnections}`,
    // A transaction sees the connections as they were when it first looked.
    sql`select pg_sleep(${terminationSeconds}), pg_stat_clear_snapshot()`,
    sql`select pg_terminate_backend(pid, ${slowTerminationMs}) ${itsConnections}`,
  ];
  return steps.map((step) => step.compile(kysely));
}

/** @param self the number of this server */
export function createNodeStore(kysely: Kysely<Schema>, lock: ServerLock, self: number): NodeStore {
  return {
    isShared: true,
    async names() {
      const rows = await kysely.selectFrom("nodes").select("name").orderBy("id").execute();
      return rows.map(({ name }) => name);
    },
    running: () => runningNodes(kysely),
    async ended() {
      const { rows } = await endedNodes(self).execute(kysely);
      return rows.map(({ id }) => id);
    },
    removal: (id) => [
      // A row for the numbers of what was in flight after the row was removed.
      {
        query: sql`insert into nodes (id, name, storage_id, start_time) values (${id}, '', '', 0)
          on conflict (id) do nothing`.compile(kysely),
        rows: null,
      },
      {
        table: "nodes",
        query:
          sql`delete from nodes where id = ${id} and pg_try_advisory_xact_lock(${nodeSpace}, cast(${id} as integer))`.compile(
            kysely,
          ),
        rows: 1,
      },
      ...terminations(kysely, id).map((query) => ({ query, rows: null })),
    ],
    leads: (task) => lock.holds(task),
    hold: async (task) => ((await lock.take(task)) ? () => void lock.give(task) : null),
  };
}
