/**
 * Simulated time: it stands still while something runs and then moves to the next thing that is due. Among things due at the same
 * millisecond the one that was planned first comes first.
 */
import type { Clock } from "../../../src/core/clock.js";
import { Heap } from "../figures/heap.js";

interface Planned {
  readonly dueAt: number;
  readonly order: number;
  readonly action: () => void;
  /** Whether it must not run any more. */
  dropped: boolean;
}

/** When a simulation begins: half a day before a month ends, because limits on spending count by months. */
const epochMs = Date.UTC(2026, 10, 30, 12, 0, 0);

export class SimulatedTime {
  #elapsed = 0;
  #order = 0;
  readonly #planned = new Heap(isEarlier);

  /** Milliseconds since the simulation began. */
  get elapsed(): number {
    return this.#elapsed;
  }

  /** Milliseconds since the Unix epoch. */
  get now(): number {
    return epochMs + this.#elapsed;
  }

  /** Plans an action. @returns what cancels it. */
  after(delayMs: number, action: () => void): () => void {
    const dueAt = this.#elapsed + Math.max(0, Math.ceil(delayMs));
    const planned: Planned = { dueAt, order: ++this.#order, action, dropped: false };
    this.#planned.add(planned);
    return () => void (planned.dropped = true);
  }

  /** Moves to the next action and runs it. @returns false, and moves to `until`, when nothing is due before. */
  step(until: number): boolean {
    for (;;) {
      const next = this.#planned.first;
      if (next === undefined || next.dueAt > until) {
        this.#elapsed = Math.max(this.#elapsed, until);
        return false;
      }
      this.#planned.take();
      if (next.dropped) continue;
      this.#elapsed = Math.max(this.#elapsed, next.dueAt);
      next.action();
      return true;
    }
  }

  /** Moves time without running what falls due on the way, as when a machine sleeps. */
  jump(ms: number): void {
    this.#elapsed += ms;
  }
}

function isEarlier(one: Planned, other: Planned): boolean {
  return one.dueAt < other.dueAt || (one.dueAt === other.dueAt && one.order < other.order);
}

/** The clock of one process: its timers end with it. */
export interface ProcessClock extends Clock {
  /** Called at every use; the simulation learns from it that the process did something. */
  readonly uses: number;
  /** Takes the process out of time: nothing of it runs any more unless `runNext` is called. */
  kill(): void;
  /** Runs the earliest timer of a killed process, whenever it is due. @returns false when it has none. */
  runNext(): boolean;
}

/** Creates the clock of a process that starts now. */
export function createProcessClock(time: SimulatedTime): ProcessClock {
  const startedAt = time.elapsed;
  const timers = new Map<
    number,
    { readonly dueAt: number; readonly run: () => void; readonly cancel: () => void }
  >();
  let isKilled = false;
  let count = 0;
  const after = (delayMs: number, action: () => void): (() => void) => {
    const id = ++count;
    const run = (): void => {
      timers.delete(id);
      action();
    };
    const cancel = isKilled ? () => undefined : time.after(delayMs, run);
    timers.set(id, { dueAt: time.elapsed + delayMs, run, cancel });
    return () => {
      timers.delete(id);
      cancel();
    };
  };
  return {
    get uses() {
      return count;
    },
    now: () => time.now,
    monotonic: () => time.elapsed - startedAt,
    after,
    kill() {
      isKilled = true;
      for (const { cancel } of timers.values()) cancel();
    },
    runNext() {
      const [next] = [...timers.values()].sort((one, other) => one.dueAt - other.dueAt);
      next?.run();
      return next !== undefined;
    },
  };
}
