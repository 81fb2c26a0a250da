/**
 * The connections of the server, from the accept to the end: also those that Node.js no longer counts, such as WebSockets, and those
 * that it does not count yet, such as ones without a TLS handshake.
 *
 * A connection is in one of these states, each with its limit:
 * - between requests, or within one: Node.js applies `headersTimeoutMs`, `requestTimeoutMs` and `keepAliveTimeoutMs`;
 * - answering: `stalledReaderMs` in which its client takes nothing of what is written; an answer with nothing to write has no limit;
 * - upgrading: `headersTimeoutMs`;
 * - ending, after its last bytes: `endingMsMax`;
 * - WebSocket: see `websocket/connection.ts`.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { Clock } from "../../core/clock.js";
import type { HttpLimits } from "./app-context.js";

/** Time in which a client closes its side after it has received its last answer. */
const endingMsMax = 1000;

/** Times that a client is seen to have read nothing within `stalledReaderMs`. */
const checksOfStalledReader = 4;

interface Answering {
  /** In the order of their requests. */
  readonly responses: Set<ServerResponse>;
  stopWatching: () => void;
}

export class Connections {
  readonly #clock: Clock;
  readonly #limits: HttpLimits;
  /** Below TLS, if the server has a certificate. */
  readonly #sockets = new Set<Socket>();
  /** Connections with responses that are not complete. */
  readonly #answering = new Map<Socket, Answering>();

  constructor(clock: Clock, limits: HttpLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Applies the limits to the connections of a server. Call it before the server listens. */
  follow(server: Server): void {
    server.on("connection", (socket: Socket) => {
      if (this.#sockets.has(socket)) return;
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
  }

  /** Counts a response as open until it is sent or its connection closes. */
  track({ socket }: IncomingMessage, response: ServerResponse): void {
    const answering = this.#answering.get(socket) ?? this.#startAnswering(socket);
    answering.responses.add(response);
    const done = (): void => {
      socket.off("close", done);
      answering.responses.delete(response);
      if (answering.responses.size > 0 || this.#answering.get(socket) !== answering) return;
      this.#answering.delete(socket);
      answering.stopWatching();
    };
    response.once("close", done);
    socket.once("close", done);
  }

  #startAnswering(socket: Socket): Answering {
    const answering: Answering = { responses: new Set(), stopWatching: () => undefined };
    const checkMs = this.#limits.stalledReaderMs / checksOfStalledReader;
    let seen = "";
    let stalledChecks = 0;
    const check = (): void => {
      const progress = `${socket.bytesWritten} ${socket.writableLength}`;
      stalledChecks = socket.writableLength > 0 && progress === seen ? stalledChecks + 1 : 0;
      seen = progress;
      if (stalledChecks >= checksOfStalledReader) socket.destroy();
      else answering.stopWatching = this.#clock.after(checkMs, check);
    };
    check();
    this.#answering.set(socket, answering);
    return answering;
  }

  /**
   * Gives a connection that Node.js has taken from the server, because of an upgrade, back to it: the server reads on, with all its
   * limits, once the requests before the upgrade are answered. @param unread the bytes to read first
   */
  async giveBack(server: Server, socket: Socket, unread: Buffer): Promise<void> {
    await this.answered(socket);
    if (socket.destroyed) return;
    socket.unshift(unread);
    server.emit(socket instanceof TLSSocket ? "secureConnection" : "connection", socket);
  }

  /** Ends a connection that is not upgraded in time. @returns a function that lifts the limit */
  limitUpgrade(socket: Socket): () => void {
    const lift = this.#clock.after(this.#limits.headersTimeoutMs, () => socket.destroy());
    socket.once("close", lift);
    return lift;
  }

  /** Sends the last bytes of a connection, after the answers before them, and ends it. */
  async end(socket: Socket, bytes: string): Promise<void> {
    await this.answered(socket);
    if (socket.destroyed) return;
    socket.end(bytes);
    endSoon(socket, this.#clock);
  }

  /** Closes all connections at once. */
  destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Resolves when no response of a connection is open, or it is closed. */
  async answered(socket: Socket): Promise<void> {
    const open = this.#answering.get(socket)?.responses;
    if (open === undefined) return;
    // Node.js forwards this event for the connections that it knows only.
    const forward = (): void => {
      for (const response of open) if (response.socket === socket) response.emit("drain");
    };
    socket.on("drain", forward);
    while (open.size > 0 && !socket.destroyed)
      await new Promise<void>((resolve) => {
        for (const response of open) response.once("close", resolve);
        socket.once("close", resolve);
      });
    socket.off("drain", forward);
  }
}

/**
 * Reads and discards what a client still sends until it closes its side, for a limited time. A connection with unread bytes that is closed
 * at once is reset, and the client may lose its answer.
 */
export function endSoon(socket: Socket, clock: Clock): void {
  const stop = clock.after(endingMsMax, () => socket.destroy());
  socket.once("close", stop);
  socket.once("end", () => socket.destroySoon());
  socket.resume();
}
