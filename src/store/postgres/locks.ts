/** Advisory locks of Hearth in a PostgreSQL database, each a pair of numbers. */

/** The letters HEAR, so that other programs in the same database use other locks. */
export const lockSpace = 0x48454152;

/** The locks of servers, each with the number of its row in the table of nodes. */
export const nodeSpace = lockSpace + 1;

/** The locks of what one server does for all, each with a number of its name. */
export const taskSpace = lockSpace + 2;

/** Which rows of pg_locks are of this database, since it lists the rows of all databases of a server: SQL. */
export const inThisDatabase = "database = (select oid from pg_database where datname = current_database())";

/** Shared by the servers that use the database; held alone while data is moved into it. */
export const serverLock = 1;
/** Held while the schema is migrated, or data is moved into the database. */
export const migrationLock = 2;
/** Held while a server is added. */
export const joinLock = 3;

/**
 * Tables whose transactions follow one another, as they do on SQLite: they check what others may change at the same time, such as the
 * last owner of a team or the number of conversations. Changes of accounts have an entry in the audit log each, and are few.
 */
const tableLocks: ReadonlyMap<string, number> = new Map([
  ["auditEvents", 10],
  ["conversations", 11],
  ["modelPulls", 12],
]);

/** Returns the locks of a transaction that changes these tables, in the order in which they are taken. */
export function listLocks(tables: readonly (string | undefined)[]): readonly number[] {
  const locks = tables.flatMap((table) => tableLocks.get(table ?? "") ?? []);
  return [...new Set(locks)].sort((one, other) => one - other);
}
