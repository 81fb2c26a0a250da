import type { RequestOptions } from "node:http";
import { duplexPair } from "node:stream";
import type { Clock } from "../../core/clock.js";
import type { ServerContext } from "../../http/server/app-context.js";
import { createOperatorServer } from "../../http/server/operator-server.js";
import type { OperatorRoute } from "../../http/server/route.js";

/** Leads to the interface for one command. */
export interface Operator {
  /** What requests of `node:http` need to reach it. */
  readonly connection: RequestOptions;
  readonly clock: Clock;
  /**
   * Call it before a request that may change something; absent: nothing has to be prepared.
   * @param rehearse sends the request; it may be called first, and what it throws ends the request
   */
  prepareChange?(rehearse: () => Promise<unknown>): Promise<void>;
  close(): Promise<void>;
}

/** Serves routes of the operator without an address. */
export function serveInProcess<App extends ServerContext>(
  context: App,
  routes: readonly OperatorRoute<App>[],
): Omit<Operator, "close"> {
  const server = createOperatorServer(context, routes);
  return {
    clock: context.clock,
    connection: {
      createConnection() {
        const [client, connection] = duplexPair();
        server.emit("connection", connection);
        return client;
      },
    },
  };
}
