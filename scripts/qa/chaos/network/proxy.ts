/** A connection between two processes that can be cut. */
import { connect, createServer, type Socket } from "node:net";
import { listen } from "../../world/http-server.js";

/** `refused`: connections are reset, as by a host that restarts; `silent`: nothing arrives and nothing ends, as by a broken network. */
export type ProxyCut = "refused" | "silent";

export interface Proxy {
  readonly port: number;
  cut(how: ProxyCut): void;
  restore(): void;
  close(): void;
}

/** Starts a proxy of a port on 127.0.0.1. */
export async function startProxy(targetPort: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let cut: ProxyCut | null = null;
  const hold = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  };
  const server = createServer({ pauseOnConnect: true }, (client) => {
    hold(client);
    if (cut === "refused") return void client.resetAndDestroy();
    if (cut === "silent") return;
    const target = connect(targetPort, "127.0.0.1");
    hold(target);
    client.on("close", () => target.destroy());
    target.on("close", () => client.destroy());
    pass(client, target);
    pass(target, client);
    client.resume();
  });
  const pass = (from: Socket, to: Socket): void => {
    from.on("data", (data) => {
      // What is on its way while the network is cut is lost.
      if (cut !== "silent" && !to.write(data)) from.pause();
    });
    to.on("drain", () => from.resume());
  };
  const url = await listen(server);
  const resetAll = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: Number(new URL(url).port),
    cut(how) {
      cut = how;
      if (how === "refused") resetAll();
    },
    restore() {
      // A connection that has lost something cannot go on.
      if (cut === "silent") resetAll();
      cut = null;
    },
    close() {
      resetAll();
      server.close();
    },
  };
}
