import { createServer, type Server, type Socket } from "node:net";

/** Connections that may wait for the server at a time. */
const waitingMax = 1024;

/** An address that this process has bound before there is a server. Connections to it wait. */
export interface ReservedAddress {
  readonly port: number;
  /** Lets a server take over the address, with the connections that wait. */
  giveTo(server: Server): Promise<void>;
  /** Closes it with what waits; after `giveTo` it does nothing. */
  release(): void;
}

/**
 * Binds an address, so that a start that cannot have it fails before it creates anything; port 0 selects a free port.
 * @throws Error with a sentence for the operator and the system's `code`, such as EADDRINUSE.
 */
export async function reserveAddress(host: string, port: number): Promise<ReservedAddress> {
  const waiting = new Set<Socket>();
  const holder = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
    waiting.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => waiting.delete(socket));
  });
  holder.maxConnections = waitingMax;
  await listening(holder, (done) => holder.listen({ host, port }, done)).catch((thrown: unknown) => {
    throw toListenError(thrown as NodeJS.ErrnoException, host, port);
  });
  const address = holder.address();
  let isGiven = false;
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    async giveTo(server) {
      isGiven = true;
      // The server takes the handle, which is bound already; the holder is never closed.
      await listening(server, (done) => server.listen(holder, done));
      for (const socket of waiting) {
        socket.removeAllListeners();
        server.emit("connection", socket);
        socket.resume();
      }
      waiting.clear();
    },
    release() {
      if (isGiven) return;
      for (const socket of waiting) socket.destroy();
      holder.close();
    },
  };
}

function listening(server: Server, listen: (done: () => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    listen(() => {
      server.off("error", reject);
      resolve();
    });
  });
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

/** Returns the error of a system that cannot bind an address as one for the operator. */
function toListenError(error: NodeJS.ErrnoException, host: string, port: number): ListenError {
  const code = error.code ?? "UNKNOWN";
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: "another program is using it",
    EACCES: "this user may not bind it",
    EADDRNOTAVAIL: "this machine has no such address",
    ENOTFOUND: "the host name is not known",
  };
  return new ListenError(`Cannot listen on ${host}:${port}: ${reasons[code] ?? error.message}.`, code, error);
}
