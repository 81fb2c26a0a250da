import Sqlite from "better-sqlite3";
import { onTestFinished } from "vitest";

/** A statement that SQLite ran. */
export interface RunQuery {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/**
 * Records every statement that SQLite runs on connections that are opened after this call.
 * @returns the list of statements, which grows and can be emptied.
 */
export function watchQueries(finished: (cleanUp: () => void) => void = onTestFinished): RunQuery[] {
  const seen: RunQuery[] = [];
  const { prototype } = Sqlite;
  const plain = Object.getOwnPropertyDescriptor(prototype, "prepare");
  if (plain === undefined) throw new Error("better-sqlite3 prepares in another way now");
  const prepare = plain.value as (this: Sqlite.Database, sql: string) => Sqlite.Statement;
  const watching = function (this: Sqlite.Database, sql: string): Sqlite.Statement {
    const statement = prepare.call(this, sql);
    for (const name of ["all", "get", "run", "iterate"] as const) {
      const run = statement[name].bind(statement) as (...given: unknown[]) => unknown;
      const value = (...given: unknown[]): unknown => {
        seen.push({ sql, parameters: given.flat() });
        return run(...given);
      };
      Object.defineProperty(statement, name, { value });
    }
    return statement;
  };
  Object.defineProperty(prototype, "prepare", { ...plain, value: watching });
  finished(() => void Object.defineProperty(prototype, "prepare", plain));
  return seen;
}
