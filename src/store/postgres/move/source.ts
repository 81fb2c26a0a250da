import type Sqlite from "better-sqlite3";
import { connectSqlite } from "../../sqlite/connect.js";

/** A table to be moved. */
export interface SourceTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
}

/** A SQLite database that is only read. */
export type MoveSource = ReturnType<typeof openMoveSource>;

/** Tables that hold nothing to keep. */
const leftOut = new Set(["write_probes"]);

/** Opens a database of the newest schema. */
export function openMoveSource(file: string) {
  const sqlite = connectSqlite(file, { fileMustExist: true });
  const names = sqlite
    .prepare<[], string>("select name from sqlite_master where type = 'table' and name not like 'sqlite%'")
    .pluck()
    .all()
    .filter((name) => !leftOut.has(name));
  return {
    /** Identifies its content: the first entry of its audit log. */
    id: readId(sqlite),
    /** Those that others refer to come first. */
    tables: inOrder(sqlite, names).map((name) => ({
      name,
      columns: listColumns(sqlite, name),
      rows: Number(sqlite.prepare(`select count(*) from ${name}`).pluck().get()),
    })),
    /** Returns the rows of a table in the order of its key. Integers are exact. */
    read({ name, columns }: SourceTable): IterableIterator<readonly unknown[]> {
      const statement = sqlite.prepare<[], readonly unknown[]>(`select ${columns.join(", ")} from ${name}`);
      return statement.safeIntegers().raw().iterate();
    },
    close: (): void => void sqlite.close(),
  };
}

function readId(sqlite: Sqlite.Database): string {
  const first = "select id from audit_events order by entry limit 1";
  const id = sqlite.prepare<[], string>(first).pluck().get();
  if (id === undefined)
    throw new Error("no server has used the SQLite database yet: there is nothing to move");
  return id;
}

function listColumns(sqlite: Sqlite.Database, table: string): readonly string[] {
  return sqlite.prepare<[string], string>("select name from pragma_table_info(?)").pluck().all(table);
}

function inOrder(sqlite: Sqlite.Database, names: readonly string[]): readonly string[] {
  const references = sqlite
    .prepare<[string], string>(`select distinct "table" from pragma_foreign_key_list(?)`)
    .pluck();
  const ordered = new Set<string>();
  const add = (name: string): void => {
    if (ordered.has(name)) return;
    for (const other of references.all(name)) if (other !== name) add(other);
    ordered.add(name);
  };
  for (const name of [...names].sort()) add(name);
  return [...ordered];
}
