import type { Server } from "node:http";

interface Bound {
  /** Base URL of the server, without a trailing slash. */
  readonly url: string;
  readonly port: number;
}

/** The server could not be bound; `code` is the system's error code, such as EADDRINUSE. */
class ListenError extends Error {
  readonly code: string;

  constructor(message: string, code: string, cause: unknown) {
    super(message, { cause });
    this.name = "ListenError";
    this.code = code;
  }
}

/** Binds a server. @throws ListenError with a message for the operator. */
export function listenOn(
  server: Server,
  scheme: "http" | "https",
  host: string,
  port: number,
): Promise<Bound> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => reject(explain(error, host, port));
    server.once("error", fail);
    server.listen({ host, port }, () => {
      server.off("error", fail);
      const address = server.address();
      const bound = typeof address === "object" && address !== null ? address.port : port;
      resolve({ url: `${scheme}://${host.includes(":") ? `[${host}]` : host}:${bound}`, port: bound });
    });
  });
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): ListenError {
  const code = error.code ?? "UNKNOWN";
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: "another program is using it",
    EACCES: "this user may not bind it",
    EADDRNOTAVAIL: "this machine has no such address",
    ENOTFOUND: "the host name is not known",
  };
  return new ListenError(`Cannot listen on ${host}:${port}: ${reasons[code] ?? error.message}.`, code, error);
}
