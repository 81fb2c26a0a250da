/**
 * Moves a file over another one. Windows refuses that while another program has one of them open, as virus scanners do for a moment, where
 * other systems give the new file to the next program that opens it.
 */
import { renameSync } from "node:fs";
import { rename } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { readErrorCode } from "./file-errors.js";

/** Between two attempts; together less than a second. */
const waitsMs = [10, 20, 50, 100, 200, 400];

/** What Windows reports of a file that is open elsewhere. */
const openElsewhere = new Set(["EPERM", "EACCES", "EBUSY"]);

interface Attempts<Result> {
  readonly platform: NodeJS.Platform;
  readonly move: (from: string, to: string) => Result;
  readonly wait: (ms: number) => Result;
}

const asynchronous: Attempts<Promise<void>> = {
  platform: process.platform,
  move: rename,
  wait: (ms) => delay(ms),
};

const synchronous: Attempts<void> = {
  platform: process.platform,
  move: renameSync,
  wait: (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
};

/** @throws Error of Node, with its code */
export async function replaceFile(from: string, to: string, attempts = asynchronous): Promise<void> {
  for (const ms of waitsMs) {
    try {
      return await attempts.move(from, to);
    } catch (thrown) {
      if (!isWorthWaiting(thrown, attempts.platform)) throw thrown;
    }
    await attempts.wait(ms);
  }
  return attempts.move(from, to);
}

/** Blocks the thread while it waits. @throws Error of Node, with its code */
export function replaceFileSync(from: string, to: string, attempts = synchronous): void {
  for (const ms of waitsMs) {
    try {
      return attempts.move(from, to);
    } catch (thrown) {
      if (!isWorthWaiting(thrown, attempts.platform)) throw thrown;
    }
    attempts.wait(ms);
  }
  attempts.move(from, to);
}

function isWorthWaiting(thrown: unknown, platform: NodeJS.Platform): boolean {
  return platform === "win32" && openElsewhere.has(readErrorCode(thrown));
}
