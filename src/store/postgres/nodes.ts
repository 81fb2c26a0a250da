/**
 * The servers that share the database. Each has a row, and an advisory lock of its number, which its connection holds: a server whose
 * lock is free has ended, and another one takes over what it had in flight. No clock decides it.
 */
import type pg from "pg";
import { inThisDatabase, joinLock, lockSpace, nodeSpace } from "./locks.js";
import { removeOldMarks } from "./marks.js";

/** The name of a server and of its files, as other servers see them. */
export interface NodeIdentity {
  /** For operators. */
  readonly name: string;
  /** Names the folder of the contents of files and images, which all servers of a database need to see. */
  readonly storageId: string;
  /** Where it counts rate limits, such as "PostgreSQL": all servers need the same place. */
  readonly limitsPlace: string;
}

/**
 * Adds a server, and locks its number on this connection. @returns the number.
 * @throws Error with one sentence when a server that runs has its files in another folder.
 */
export async function joinNodes(client: pg.Client, node: NodeIdentity, startTime: number): Promise<number> {
  await client.query("begin");
  try {
    await client.query("select pg_advisory_xact_lock($1, $2)", [lockSpace, joinLock]);
    await refuseOtherStorage(client, node);
    const { rows } = await client.query<{ readonly id: number }>(
      "insert into nodes (name, storage_id, limits_place, start_time) values ($1, $2, $3, $4) returning id",
      [node.name, node.storageId, node.limitsPlace, startTime],
    );
    const id = rows[0]?.id;
    if (id === undefined) throw new Error("the database did not number this server");
    // Nobody sees the row before it is locked.
    await client.query("select pg_advisory_lock($1, $2)", [nodeSpace, id]);
    await removeOldMarks(client);
    await client.query("commit");
    return id;
  } catch (thrown) {
    await client.query("rollback").catch(() => undefined);
    throw thrown;
  }
}

/** Whether the server of a row of nodes holds its lock: SQL. */
export const isLocked = `exists (select 1 from pg_locks where locktype = 'advisory' and granted and objsubid = 2
  and ${inThisDatabase}
  and cast(classid as bigint) = ${nodeSpace} and cast(objid as bigint) = nodes.id)`;

async function refuseOtherStorage(client: pg.Client, { storageId }: NodeIdentity): Promise<void> {
  const { rows } = await client.query<{ readonly name: string }>(
    `select name from nodes where storage_id <> $1
       and ${isLocked}
     order by id limit 1`,
    [storageId],
  );
  const [other] = rows;
  if (other === undefined) return;
  throw new Error(
    `the server ${other.name} uses it, too, and has its files in another folder: set sharedFolder (HEARTH_SHARED_FOLDER) of both to one folder that both see`,
  );
}

/**
 * Locks the number again on a new connection. Another server may have removed the row in between: what this one had in flight was
 * taken over then, and what it begins from now on has its number again. @returns false while the connection before still has the lock.
 */
export async function joinAgain(
  client: pg.Client,
  id: number,
  { name, storageId, limitsPlace }: NodeIdentity,
  startTime: number,
): Promise<boolean> {
  const text = "select pg_try_advisory_lock($1, $2) as held";
  const { rows } = await client.query<{ readonly held: boolean }>(text, [nodeSpace, id]);
  if (rows[0]?.held !== true) return false;
  await client.query(
    `insert into nodes (id, name, storage_id, limits_place, start_time) values ($1, $2, $3, $4, $5) on conflict (id) do nothing`,
    [id, name, storageId, limitsPlace, startTime],
  );
  return true;
}
