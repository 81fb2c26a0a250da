import Sqlite from "better-sqlite3";
import { onTestFinished } from "vitest";

/** A statement as SQLite ran it. */
export interface RunQuery {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/**
 * Every statement that SQLite runs in this process from now on, on connections that are opened after this call.
 * @returns the list, which grows, and may be emptied.
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
