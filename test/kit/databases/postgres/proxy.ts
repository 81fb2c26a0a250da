/** A connection to PostgreSQL or Redis that a test can cut. */
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface CuttableConnection {
  /** The same server, through the proxy. */
  readonly url: string;
  /** Cuts every connection, and refuses new ones. */
  cut(): void;
  restore(): void;
  /** Passes nothing on any more from the server, as when it hangs; new connections are accepted. */
  hang(): void;
  /** Passes everything on again, for new connections. */
  unhang(): void;
  /** Cuts the connection on which a client sends a text, once the server has got it and before its answer comes back. */
  cutAfter(text: string): void;
  /** Returns how many connections clients have reset. */
  resets(): number;
  /** Cuts the connection on which a client sends a text, which the server does not get. */
  cutBefore(text: string): void;
}

export async function proxyOf(url: string): Promise<CuttableConnection> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let isCut = false;
  let isHanging = false;
  let cutting: string | null = null;
  let losing: string | null = null;
  let resets = 0;
  const server = createServer((client) => {
    if (isCut) return void client.destroy();
    const database = connect(Number(target.port), target.hostname);
    let isMuted = false;
    let hangs = false;
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        database.destroy();
      });
    }
    client.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNRESET") resets += 1;
    });
    client.on("data", (data) => {
      if (losing !== null && data.toString("latin1").includes(losing)) {
        losing = null;
        return void client.destroy();
      }
      database.write(data);
      if (cutting === null || !data.toString("latin1").includes(cutting)) return;
      [cutting, isMuted] = [null, true];
    });
    database.on("data", (data) => {
      if (isHanging || hangs) hangs = true;
      else if (isMuted) client.destroy();
      else client.write(data);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  const proxied = new URL(url);
  proxied.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: proxied.href,
    cut,
    restore: () => void (isCut = false),
    hang: () => void (isHanging = true),
    unhang: () => void (isHanging = false),
    cutAfter: (text) => void (cutting = text),
    resets: () => resets,
    cutBefore: (text) => void (losing = text),
  };
}
