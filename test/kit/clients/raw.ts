import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Opens a plain connection, for requests that no HTTP client would send. */
export async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** Sends bytes and returns everything that the server sends until it closes the connection. */
export async function exchange(port: number, request: string | Buffer): Promise<string> {
  const socket = await openSocket(port);
  socket.write(request);
  return readToEnd(socket);
}

/** Returns everything that arrives until the connection closes. */
export async function readToEnd(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve) => socket.once("close", resolve));
  return Buffer.concat(chunks).toString();
}
