/**
 * The servers that share the database. Each has a row, and an advisory lock of its number, which its connection holds: a server whose
 * lock is free has ended, and another one takes over what it had in flight. No clock decides it.
 */
import { sql, type Kysely } from "kysely";
import type pg from "pg";
import type { NodeStore } from "../nodes.js";
import type { Schema } from "../schema.js";
import { nodeSpace } from "./locks.js";

/** Adds a server, and locks its number on this connection. @returns the number. */
export async function joinNodes(client: pg.Client, startTime: number): Promise<number> {
  await client.query("begin");
  try {
    const { rows } = await client.query<{ readonly id: number }>(
      "insert into nodes (start_time) values ($1) returning id",
      [startTime],
    );
    const id = rows[0]?.id;
    if (id === undefined) throw new Error("the database did not number this server");
    // Nobody sees the row before it is locked.
    await client.query("select pg_advisory_lock($1, $2)", [nodeSpace, id]);
    await client.query("commit");
    return id;
  } catch (thrown) {
    await client.query("rollback").catch(() => undefined);
    throw thrown;
  }
}

/**
 * Locks the number again on a new connection. Another server may have removed the row in between: what this one had in flight was
 * taken over then, and what it begins from now on has its number again. @returns false while the connection before still has the lock.
 */
export async function joinAgain(client: pg.Client, id: number, startTime: number): Promise<boolean> {
  const text = "select pg_try_advisory_lock($1, $2) as held";
  const { rows } = await client.query<{ readonly held: boolean }>(text, [nodeSpace, id]);
  if (rows[0]?.held !== true) return false;
  const insertion = "insert into nodes (id, start_time) values ($1, $2) on conflict (id) do nothing";
  await client.query(insertion, [id, startTime]);
  return true;
}

/** @param self the number of this server */
export function createNodeStore(kysely: Kysely<Schema>, self: number): NodeStore {
  return {
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
  };
}
