/**
 * A lock of several processes on one file: a second file with the holder's process id. The holder refreshes its time; a lock of a
 * process that is gone, or that was not refreshed for a minute, is taken over, so that none outlives a crash.
 */
import { open, rename, link, rm, stat, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import type { Clock } from "../../../core/clock.js";
import { isProcessAlive } from "../../../system/processes.js";
import { readRegularFile } from "../../../system/regular-file.js";
import { pause } from "./retry.js";

export interface LockDeps {
  readonly clock: Clock;
  /** Returns an id that no other holder has. */
  readonly newId: () => string;
}

type Lock = ReturnType<typeof held>;

const pollMs = 200;
const refreshMs = 5_000;
/** A lock that is being written is empty for a moment. */
const emptyMsMax = 2_000;
const silentMsMax = 60_000;
const contentBytesMax = 4096;

/**
 * Takes the lock, after its holder has released it.
 * @param onWait runs each time that the lock turns out to be held.
 */
export async function takeLock(
  path: string,
  deps: LockDeps,
  signal: AbortSignal,
  onWait: () => Promise<void> = () => Promise.resolve(),
): Promise<Lock> {
  const content = `${process.pid} ${hostname()} ${deps.newId()}`;
  for (;;) {
    signal.throwIfAborted();
    if (await create(path, content)) return held(path, content, deps);
    if (await removeStale(path, deps)) continue;
    await onWait();
    await pause(deps.clock, pollMs, signal);
  }
}

async function create(path: string, content: string): Promise<boolean> {
  try {
    const file = await open(path, "wx");
    try {
      await file.writeFile(content);
    } finally {
      await file.close();
    }
    return true;
  } catch (thrown) {
    if (readCode(thrown) === "EEXIST") return false;
    throw thrown;
  }
}

function held(path: string, content: string, { clock }: LockDeps) {
  let cancel = (): void => undefined;
  const refresh = (): void => {
    const now = clock.now() / 1000;
    utimes(path, now, now).catch(() => undefined);
    cancel = clock.after(refreshMs, refresh);
  };
  cancel = clock.after(refreshMs, refresh);
  return {
    async release(): Promise<void> {
      cancel();
      await rm(`${path}.stale`, { force: true });
      if ((await toContent(path)) === content) await rm(path, { force: true });
    },
  };
}

/** Removes a lock that nobody holds any more. @returns whether it can be tried again at once */
async function removeStale(path: string, { clock }: LockDeps): Promise<boolean> {
  const content = await toContent(path);
  const modified = await stat(path).catch(() => null);
  if (modified === null) return true;
  const ageMs = clock.now() - modified.mtimeMs;
  // A pipe or a device in its place is nobody's lock; a file that this process may not read can be another user's.
  const isUnknown = content === null && modified.isFile();
  if (isUnknown ? ageMs <= silentMsMax : !isStale(content ?? "", ageMs)) return false;
  const aside = `${path}.stale`;
  try {
    await rename(path, aside);
  } catch {
    return true;
  }
  // Another process may have replaced the lock meanwhile: it gets its own back.
  if ((await toContent(aside)) !== content) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
  return true;
}

function isStale(content: string, ageMs: number): boolean {
  const [pid = "", host] = content.split(" ");
  if (host === undefined || !/^\d+$/.test(pid)) return ageMs > emptyMsMax;
  return ageMs > silentMsMax || (host === hostname() && !isProcessAlive(Number(pid)));
}

async function toContent(path: string): Promise<string | null> {
  const content = await readRegularFile(path, contentBytesMax).catch(() => null);
  return content?.toString("utf8") ?? null;
}

function readCode(thrown: unknown): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown.code : null;
}
