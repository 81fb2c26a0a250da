/** A network of queues, simulated event by event: first come, first served, at one or more equal servers. Pure. */
import { Heap } from "../../figures/heap.js";

/** A queue with its servers. Times are milliseconds. */
export class Queue {
  /** When each server is free, as a heap: the earliest one is the first. */
  readonly #freeAt: Float64Array;
  #busyMs = 0;

  constructor(servers: number) {
    this.#freeAt = new Float64Array(servers);
  }

  /** Work of all servers so far. */
  get busyMs(): number {
    return this.#busyMs;
  }

  /** Serves what arrives now; calls come in the order of their times. @returns when it leaves */
  serve(now: number, workMs: number): number {
    const free = this.#freeAt;
    const leaves = Math.max(now, free[0] ?? 0) + workMs;
    this.#busyMs += workMs;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= free.length) break;
      const right = left + 1;
      const child = right < free.length && (free[right] ?? 0) < (free[left] ?? 0) ? right : left;
      const earliest = free[child] ?? 0;
      if (earliest >= leaves) break;
      free[at] = earliest;
      at = child;
    }
    free[at] = leaves;
    return leaves;
  }
}

/** One visit of a request. */
export interface Visit {
  readonly queue: Queue;
  readonly workMs: number;
}

interface Arrival {
  readonly time: number;
  readonly request: number;
  readonly stage: number;
}

/**
 * Sends requests through their visits, one after the other.
 * @param arrivals ascending times. @returns how long each was under way
 */
export function simulateVisits(
  arrivals: readonly number[],
  visitsOf: (request: number) => readonly Visit[],
): Float64Array {
  const waiting = new Heap<Arrival>((one, other) => one.time < other.time);
  const took = new Float64Array(arrivals.length);
  const visits = new Map<number, readonly Visit[]>();
  let next = 0;
  for (;;) {
    const earliest = waiting.first;
    const arrives = arrivals[next];
    if (arrives !== undefined && (earliest === undefined || arrives <= earliest.time)) {
      visits.set(next, visitsOf(next));
      waiting.add({ time: arrives, request: next, stage: 0 });
      next += 1;
      continue;
    }
    if (earliest === undefined) return took;
    waiting.take();
    const { time, request, stage } = earliest;
    const visit = visits.get(request)?.[stage];
    if (visit === undefined) {
      took[request] = time - (arrivals[request] ?? 0);
      visits.delete(request);
    } else waiting.add({ time: visit.queue.serve(time, visit.workMs), request, stage: stage + 1 });
  }
}
