import type Sqlite from "better-sqlite3";
import type { SqliteStatement } from "kysely";
import { createRowReader, toStored } from "../rows.js";

/** Returns a prepared statement as kysely executes it. Its rows are read as lists of values: SQLite makes objects more slowly. */
export function createStatement(statement: Sqlite.Statement<readonly unknown[]>): SqliteStatement {
  const { reader } = statement;
  if (reader) statement.raw();
  const read = reader ? createRowReader(statement.columns().map(({ name }) => name)) : null;
  return {
    reader,
    all: (parameters) => {
      const rows = statement.all(toStored(parameters)) as (readonly unknown[])[];
      return read === null ? rows : rows.map(read);
    },
    run: (parameters) => statement.run(toStored(parameters)),
    iterate() {
      throw new Error("rows are not read one by one");
    },
  };
}
