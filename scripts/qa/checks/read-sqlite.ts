import type Sqlite from "better-sqlite3";
import type { ReadRows } from "./books.js";

/** Reads an SQLite database; each statement is prepared once. */
export function readSqlite(sqlite: Sqlite.Database): ReadRows {
  const statements = new Map<string, Sqlite.Statement>();
  return <Row extends object>(text: string, ...values: readonly (string | number)[]) => {
    const statement = statements.get(text) ?? sqlite.prepare(text);
    statements.set(text, statement);
    const named = Object.fromEntries(values.map((value, at) => [at + 1, value]));
    return Promise.resolve((values.length === 0 ? statement.all() : statement.all(named)) as readonly Row[]);
  };
}
