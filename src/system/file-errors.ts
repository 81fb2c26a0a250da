/** The reason why a file or a database cannot be used, for each prefix of an error code of Node, SQLite or PostgreSQL. The first match applies. */
const reasons: readonly (readonly [code: string, reason: string])[] = [
  ["EACCES", "permission denied"],
  ["EPERM", "permission denied"],
  ["EROFS", "the file system is read-only"],
  ["ENOENT", "nothing can be created there"],
  ["ENOTDIR", "a part of the path is a file, not a folder"],
  ["EEXIST", "there is a file where the folder should be"],
  ["EISDIR", "there is a folder where the file should be"],
  ["ENOSPC", "the disk is full"],
  ["EIO", "the disk reports an error"],
  ["ECONNREFUSED", "no server accepts connections at this address"],
  ["ECONNRESET", "the connection was lost"],
  ["ENOTFOUND", "there is no such host"],
  ["EAI_AGAIN", "the name of the host cannot be resolved"],
  ["ETIMEDOUT", "the server does not answer"],
  ["28", "the user or the password is wrong"],
  ["3D000", "there is no such database"],
  ["42501", "permission denied"],
  ["57P03", "the server starts or stops"],
  ["57P", "the server was stopped"],
  ["53300", "the server has no connection left"],
  ["53100", "the disk of the server is full"],
  ["25006", "it is read-only"],
  ["57014", "a statement took too long"],
  ["55P03", "a lock was not granted in time"],
  ["SQLITE_NOTADB", "it is not a SQLite database"],
  ["SQLITE_CORRUPT", "it is damaged"],
  [
    "SQLITE_READONLY",
    "it cannot be written: check who owns the file and its folder, and whether the disk is read-only",
  ],
  ["SQLITE_CANTOPEN", "it cannot be opened: check who owns the file and its folder"],
  ["SQLITE_BUSY", "another program has locked it"],
  ["SQLITE_FULL", "the disk is full"],
  ["SQLITE_IOERR", "the disk reports an error"],
];

/** Returns an Error for the operator that says what failed, on which path, and why. The original error is its cause. */
export function fileError(what: string, path: string, thrown: unknown): Error {
  return new Error(`${what} ${path}: ${explainFailure(thrown)}`, { cause: thrown });
}

/** Returns the code of an error of Node, SQLite or PostgreSQL; "" for any other value. */
export function readErrorCode(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";
}

/** Returns why an operation on a file failed, without its path. */
export function explainFailure(thrown: unknown): string {
  const code = readErrorCode(thrown);
  const known = reasons.find(([prefix]) => code.startsWith(prefix));
  if (known !== undefined) return `${known[1]} (${code})`;
  return thrown instanceof Error ? thrown.message : String(thrown);
}
