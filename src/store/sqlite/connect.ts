import Sqlite from "better-sqlite3";
import { explainFailure, readErrorCode } from "../../system/file-errors.js";
import { npmRebuildCommand } from "../../system/installation.js";

/** Opens a connection to a file. */
export type Connect = (file: string, options: Sqlite.Options) => Sqlite.Database;

/** Connections of this process, closed ones included. A server opens a handful in its life. */
const opened: Sqlite.Database[] = [];

/** Statements that a connection keeps; more than the program has. */
const keptMax = 10_000;

/** Pragmas that have an effect, and no result that is used. */
const isCommand = /=|^(wal_checkpoint|incremental_vacuum)\b/;

/**
 * Opens a connection that leaves neither itself nor a prepared statement to the garbage collector. Compiled with the header files of
 * Node.js 24.19 and later, better-sqlite3 12 ends the process when one is collected (nodejs/node issue 65446). What is kept of a closed
 * connection is small: SQLite has freed the rest.
 */
export const connectSqlite: Connect = (file, options) => {
  const sqlite = openFile(file, options);
  const kept: unknown[] = [];
  const prepare = sqlite.prepare.bind(sqlite);
  const prepareKept = (source: string): Sqlite.Statement => {
    const statement = prepare(source);
    if (kept.length < keptMax) kept.push(statement);
    return statement;
  };
  // Its type depends on the statement's parameters, which the caller names.
  sqlite.prepare = prepareKept as typeof sqlite.prepare;
  sqlite.pragma = (source, { simple = false } = {}) => {
    if (isCommand.test(source)) {
      sqlite.exec(`pragma ${source}`);
      return [];
    }
    const statement = prepareKept(`pragma ${source}`);
    return simple ? statement.pluck().get() : statement.all();
  };
  opened.push(sqlite);
  return sqlite;
};

function openFile(file: string, options: Sqlite.Options): Sqlite.Database {
  try {
    return new Sqlite(file, options);
  } catch (thrown) {
    if (readErrorCode(thrown).startsWith("SQLITE_")) throw thrown;
    // The library is not there, or it was compiled for another version of Node.js.
    const isUnusable =
      readErrorCode(thrown) === "ERR_DLOPEN_FAILED" || /bindings file/.test(explainFailure(thrown));
    if (!isUnusable) throw thrown;
    throw new Error(
      `SQLite is not compiled for this machine and Node.js ${process.versions.node}: \`${npmRebuildCommand()}\` compiles it`,
      { cause: thrown },
    );
  }
}
