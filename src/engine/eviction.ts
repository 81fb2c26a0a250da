/**
 * Which models stay in memory. Decides whether another one fits, and which idle ones have to leave for it: those that were
 * unused for longest, measured against how long they take to load again. Pure; a model that is in use never leaves.
 */

/** A model in memory, as the decision sees it. */
export interface Held {
  readonly id: string;
  /** Estimated memory. */
  readonly bytes: number;
  /** Runs that hold it. */
  readonly leases: number;
  /** Milliseconds of a clock that never goes back. */
  readonly lastUsed: number;
  readonly loadMs: number;
}

export type Room =
  | { readonly type: "fits"; readonly evict: readonly string[] }
  /** It would fit if models in use were idle. */
  | { readonly type: "wait" }
  | { readonly type: "never" };

/** Whether `bytes` more fit into `budget`, and who has to leave for it. */
export function makeRoom(held: readonly Held[], bytes: number, budget: number, now: number): Room {
  if (bytes > budget) return { type: "never" };
  const staleness = (model: Held): number => (now - model.lastUsed) / Math.max(1, model.loadMs);
  const idle = held.filter((model) => model.leases === 0).sort((a, b) => staleness(b) - staleness(a));
  let used = held.reduce((sum, model) => sum + model.bytes, 0);
  const evict: string[] = [];
  for (const model of idle) {
    if (used + bytes <= budget) break;
    evict.push(model.id);
    used -= model.bytes;
  }
  return used + bytes <= budget ? { type: "fits", evict } : { type: "wait" };
}
