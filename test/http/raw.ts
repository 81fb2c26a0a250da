import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A bare connection, for what no HTTP client would send. */
export async function open(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** Sends bytes and gives everything that comes back until the server closes. */
export async function exchange(port: number, request: string | Buffer): Promise<string> {
  const socket = await open(port);
  socket.write(request);
  return received(socket);
}

/** Everything that comes until the connection ends. */
export async function received(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve) => socket.once("close", resolve));
  return Buffer.concat(chunks).toString();
}
