/**
 * Finds out whether the last server of a data folder ended without closing its database: it was killed, it crashed, or the power failed. A
 * file marks the time between opening and closing.
 */
import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Clock } from "../../core/clock.js";
import { findDamage, type Thoroughness } from "./damage.js";

/** Up to this size the check compares every index with its table, which takes a few seconds at most. */
const wholeBytesMax = 268_435_456;
/** Above this size, reading every page would keep the server from starting for minutes. */
const quickBytesMax = 17_179_869_184;

/** What was done about an unclean end. */
export interface UncleanEnd {
  /** null: the database is too large for a check at the start. */
  readonly check: Thoroughness | null;
  readonly milliseconds: number;
}

/**
 * Checks the database if the last server ended uncleanly. It blocks the thread.
 * @returns null after a clean end.
 * @throws Error with one sentence when the database is damaged.
 */
export function checkAfterUncleanEnd(file: string, clock: Clock): UncleanEnd | null {
  if (!existsSync(findMarker(file))) return null;
  const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const check = bytes <= wholeBytesMax ? "whole" : bytes <= quickBytesMax ? "quick" : null;
  const started = clock.monotonic();
  const damage = check === null ? null : findDamage(file, check);
  if (damage !== null) throw damaged(file, damage);
  return { check, milliseconds: Math.round(clock.monotonic() - started) };
}

/** Marks that a server uses the database. @returns a function for a clean end, once the database is closed. */
export function markRunning(file: string): () => void {
  const marker = findMarker(file);
  writeFileSync(marker, "A server uses this folder, or it did not end cleanly.\n", { mode: 0o600 });
  return () => rmSync(marker, { force: true });
}

function findMarker(file: string): string {
  return join(dirname(file), "server.running");
}

function damaged(file: string, damage: string): Error {
  return new Error(
    `the server did not end cleanly, and its database ${file} is damaged: ${damage}. Restore a backup with ` +
      "`hearth restore FILE`, which keeps the damaged files in a folder of their own",
  );
}
