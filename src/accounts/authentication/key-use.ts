/**
 * Records when keys were last used, to the minute. A request only notes it in memory; the notes are written together, at
 * most every half minute and when the server closes. A failed write is retried with the next one.
 *
 * States: idle (nothing noted), waiting (something noted, a timer runs), closed (nothing is noted any more).
 */
import type { Clock } from "../../core/clock.js";
import type { KeyUseStore } from "./store.js";

export type KeyUse = ReturnType<typeof createKeyUse>;

interface KeyUseDeps {
  readonly keyUses: KeyUseStore;
  readonly clock: Clock;
  /** Called when a write fails. */
  readonly onError: (thrown: unknown) => void;
}

const writeIntervalMs = 30_000;
const resolutionMs = 60_000;
/** Keys noted between two writes; further keys are noted at their next use. */
const notedMax = 5000;

export function createKeyUse({ keyUses, clock, onError }: KeyUseDeps) {
  const noted = new Map<string, number>();
  /** The times that the last write stored. */
  let written: ReadonlyMap<string, number> = new Map();
  let isClosed = false;
  let stop: (() => void) | null = null;
  let writing: Promise<void> = Promise.resolve();
  const wait = (): void => {
    stop ??= clock.after(writeIntervalMs, () => {
      stop = null;
      writing = write();
    });
  };
  const write = async (): Promise<void> => {
    const all = new Map(noted);
    try {
      await keyUses.write(all);
    } catch (thrown) {
      onError(thrown);
      if (!isClosed) wait();
      return;
    }
    written = all;
    for (const [keyId, time] of all) if (noted.get(keyId) === time) noted.delete(keyId);
    if (noted.size > 0 && !isClosed) wait();
  };
  return {
    /** Notes that an API key or management key is used now. */
    note(keyId: string): void {
      const minute = Math.floor(clock.now() / resolutionMs) * resolutionMs;
      if (isClosed || written.get(keyId) === minute) return;
      if (noted.size >= notedMax && !noted.has(keyId)) return;
      noted.set(keyId, minute);
      wait();
    },
    /** Writes what is still noted. */
    async close(): Promise<void> {
      isClosed = true;
      stop?.();
      await writing;
      if (noted.size > 0) await write();
    },
  };
}
