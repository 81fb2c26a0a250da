/**
 * Requests of the server to itself, without a network: real HTTP over a pair of streams in this process. A WebSocket is a client of the
 * routes, so that everything that holds for a request (authentication, limits, accounting, log, shutdown) holds for its turns, too.
 */
import http, { type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { duplexPair } from "node:stream";

/** What is known of a request before its body. */
export interface RequestHead {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Address of the client that the request is made for. */
  readonly remoteAddress: string | undefined;
}

interface InternalRequest extends RequestHead {
  readonly method: "GET" | "POST";
  readonly body: Buffer | null;
  /** Ends the request, as a client does that closes its connection. */
  readonly signal: AbortSignal;
}

export type InternalServer = ReturnType<typeof createInternalServer>;

/** @param server is not bound to an address; it has the same listeners as the server of the clients. */
export function createInternalServer(server: http.Server) {
  return {
    /** Sends a request; resolves with the head of the answer. @throws Error when it is aborted or the server cuts it off. */
    request: ({
      method,
      path,
      headers,
      body,
      remoteAddress,
      signal,
    }: InternalRequest): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => {
        const [client, connection] = duplexPair();
        Object.assign(connection, { remoteAddress });
        server.emit("connection", connection);
        const request = http.request({
          method,
          path,
          headers: {
            ...headers,
            connection: "close",
            ...(body === null ? {} : { "content-length": body.length }),
          },
          createConnection: () => client,
          signal,
        });
        const close = (): void => void connection.destroy();
        request.once("close", close);
        request.on("error", reject);
        request.once("response", resolve);
        request.end(body ?? undefined);
      }),
  };
}
