/** Which process holds the lock of a data folder, in a file beside the lock. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const holderSchema = z.object({
  /** The process to stop: the supervisor of a server, or a command. */
  pid: z.int().positive(),
  /** Base URL at which this machine reaches the server; null: a command holds the lock. */
  url: z.string().nullable(),
});

export type LockHolder = z.infer<typeof holderSchema>;

/** Its name begins as the lock's, so that a restore leaves it where it is. */
function holderFile(folder: string): string {
  return join(folder, "server.lock.json");
}

/** Notes who holds the lock. Without the file, messages name no process, and nothing else is missing. */
export function writeLockHolder(folder: string, holder: LockHolder): void {
  try {
    writeFileSync(holderFile(folder), `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  } catch {
    return;
  }
}

export function removeLockHolder(folder: string): void {
  try {
    rmSync(holderFile(folder), { force: true });
  } catch {
    return;
  }
}

/** Returns who held the lock last and did not release it; null: nobody, or it is not known. A killed process leaves its file. */
export function readLockHolder(folder: string): LockHolder | null {
  try {
    return holderSchema.parse(JSON.parse(readFileSync(holderFile(folder), "utf8")));
  } catch {
    return null;
  }
}

/** Returns the holder as a part of a sentence, such as ` (pid 123, http://127.0.0.1:4280)`; empty when it is not known. */
export function describeLockHolder(folder: string): string {
  const holder = readLockHolder(folder);
  if (holder === null) return "";
  return ` (pid ${holder.pid}${holder.url === null ? "" : `, ${holder.url}`})`;
}
