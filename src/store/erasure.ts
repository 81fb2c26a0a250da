/** Erases deleted rows from the files of the database soon after they are deleted. */
import type { Clock } from "../core/clock.js";
import type { Database } from "./database.js";

/** Deletions within this time are erased together: erasing waits for the disk. */
const erasureDelayMs = 5000;

/** Starts to watch deletions. @param onError called when erasing fails; it is repeated after the same time. */
export function startErasure(database: Database, clock: Clock, onError: (thrown: unknown) => void) {
  let stop: (() => void) | null = null;
  const attempt = (): void => {
    stop = null;
    try {
      database.erase();
    } catch (thrown) {
      onError(thrown);
      schedule();
    }
  };
  const schedule = (): void => {
    stop ??= clock.after(erasureDelayMs, attempt);
  };
  database.onDeletion(schedule);
  return {
    /** Erases what is not erased yet. */
    close(): void {
      if (stop === null) return;
      stop();
      try {
        database.erase();
      } catch (thrown) {
        onError(thrown);
      }
    },
  };
}
