import { chmod, rm } from "node:fs/promises";
import { mkdirSync } from "node:fs";
import type { Server } from "node:http";
import { dirname } from "node:path";
import type { Clock } from "../../../core/clock.js";

/**
 * Binds a server to a socket in the file system that only the user of this process can open. Its folder is for that user alone from the
 * beginning; the mode of the socket itself can only be set once it is there. What a server that was killed left is removed: the caller holds
 * the lock of the data folder. A named pipe of Windows is no file: the system lets other users read from it, and not write to it.
 */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  if (path.startsWith(pipePrefix)) return bind(server, path);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  await chmod(dirname(path), 0o700);
  await rm(path, { force: true });
  await bind(server, path);
  await chmod(path, 0o600);
}

const pipePrefix = String.raw`\\.\pipe`;

async function bind(server: Server, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** Lets answers in flight finish within the grace time, then closes the server with its connections, and removes its socket. */
export async function closeSocket(server: Server, clock: Clock, graceMs: number): Promise<void> {
  if (!server.listening) return;
  const stopTimer = clock.after(graceMs, () => server.closeAllConnections());
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  stopTimer();
}
