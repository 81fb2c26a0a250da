import { chmod, rm } from "node:fs/promises";
import { mkdirSync } from "node:fs";
import type { Server } from "node:http";
import { dirname } from "node:path";

/**
 * Binds a server to a socket in the file system that only the user of this process can open. Its folder is for that user alone from the
 * beginning; the mode of the socket itself can only be set once it is there. What a server that was killed left is removed: the caller holds
 * the lock of the data folder.
 */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  await chmod(dirname(path), 0o700);
  await rm(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      resolve();
    });
  });
  await chmod(path, 0o600);
}

/** Closes the server with its connections, and removes its socket. */
export async function closeSocket(server: Server): Promise<void> {
  if (!server.listening) return;
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
