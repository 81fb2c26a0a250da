import type { Server } from "node:net";

/** Lets a server listen on a free port. @returns its address, as of an HTTP server */
export async function listen(server: Server, host = "127.0.0.1"): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return `http://${host}:${address.port}`;
}
