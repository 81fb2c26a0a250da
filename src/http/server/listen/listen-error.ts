/** The server could not be bound; `code` is the system's error code, such as EADDRINUSE. */
class ListenError extends Error {
  readonly code: string;

  constructor(message: string, code: string, cause: unknown) {
    super(message, { cause });
    this.name = "ListenError";
    this.code = code;
  }
}

/** Returns the error of a system that cannot bind an address as one for the operator. */
export function toListenError(error: NodeJS.ErrnoException, host: string, port: number): ListenError {
  const code = error.code ?? "UNKNOWN";
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: "another program is using it",
    EACCES: "this user may not bind it",
    EADDRNOTAVAIL: "this machine has no such address",
    ENOTFOUND: "the host name is not known",
  };
  return new ListenError(`Cannot listen on ${host}:${port}: ${reasons[code] ?? error.message}.`, code, error);
}
