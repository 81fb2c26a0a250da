import Sqlite from "better-sqlite3";

/** Opens a connection to a file that exists. */
export type Connect = (file: string, options: Sqlite.Options) => Sqlite.Database;

/**
 * Opens a connection whose pragmas leave no prepared statement to the garbage collector. Compiled with the header files of Node.js 24.19
 * and later, better-sqlite3 12 ends the process when a statement is collected (nodejs/node issue 65446).
 *
 * Pragmas that only read keep their statement as long as the connection: read them while opening, not on each request.
 */
export const connectSqlite: Connect = (file, options) => {
  const sqlite = new Sqlite(file, options);
  const kept: Sqlite.Statement[] = [];
  sqlite.pragma = (source, { simple = false } = {}) => {
    // It has an effect, and no result that is used.
    if (/[=(]/.test(source)) {
      sqlite.exec(`pragma ${source}`);
      return [];
    }
    const statement = sqlite.prepare(`pragma ${source}`);
    kept.push(statement);
    return simple ? statement.pluck().get() : statement.all();
  };
  return sqlite;
};
