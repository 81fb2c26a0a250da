/**
 * When keys were last used, to the minute. A request only notes it in memory; what is noted is written down together, at most
 * every half minute and when the server closes. A write that fails is tried again with the next.
 *
 * Modes: idle (nothing is noted), waiting (something is, and a timer runs), closed (nothing is noted any more).
 */
import type { Clock } from "../../core/clock.js";
import type { KeyUseStore } from "./key-use-port.js";

export interface KeyUse {
  /** Notes that the key of that id, of either kind, is used now. */
  note(keyId: string): void;
  /** Writes down what is noted still. */
  close(): Promise<void>;
}

export interface KeyUseDeps {
  readonly keyUses: KeyUseStore;
  readonly clock: Clock;
  /** Told of a write that failed. */
  readonly onTrouble: (thrown: unknown) => void;
}

const everyMs = 30_000;
const grainMs = 60_000;
/** Keys that are noted between two writes; of more than that, the rest waits for its next use. */
const notedMax = 5000;

/** Builds it over its port. */
export function createKeyUse({ keyUses, clock, onTrouble }: KeyUseDeps): KeyUse {
  const noted = new Map<string, number>();
  /** What the last write wrote. */
  let written: ReadonlyMap<string, number> = new Map();
  let isClosed = false;
  let stop: (() => void) | null = null;
  let writing: Promise<void> = Promise.resolve();
  const wait = (): void => {
    stop ??= clock.after(everyMs, () => {
      stop = null;
      writing = write();
    });
  };
  const write = async (): Promise<void> => {
    const all = new Map(noted);
    try {
      await keyUses.write(all);
    } catch (thrown) {
      onTrouble(thrown);
      if (!isClosed) wait();
      return;
    }
    written = all;
    for (const [keyId, time] of all) if (noted.get(keyId) === time) noted.delete(keyId);
    if (noted.size > 0 && !isClosed) wait();
  };
  return {
    note(keyId) {
      const minute = Math.floor(clock.now() / grainMs) * grainMs;
      if (isClosed || written.get(keyId) === minute) return;
      if (noted.size >= notedMax && !noted.has(keyId)) return;
      noted.set(keyId, minute);
      wait();
    },
    async close() {
      isClosed = true;
      stop?.();
      await writing;
      if (noted.size > 0) await write();
    },
  };
}
