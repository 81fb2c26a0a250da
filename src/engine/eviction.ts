/**
 * Decides which models stay in memory: whether another model fits, and which idle models to unload for it. Models that have been
 * unused for longest, relative to the time they take to load again, are unloaded first. Pure; a model in use is never unloaded.
 */

/** A model in memory, as input of the decision. */
export interface MemoryEntry {
  readonly id: string;
  /** Estimated memory. */
  readonly bytes: number;
  /** Runs that use the model. */
  readonly leases: number;
  /** Monotonic clock, in milliseconds. */
  readonly lastUsed: number;
  readonly loadMs: number;
}

export type EvictionDecision =
  | { readonly type: "fits"; readonly evict: readonly string[] }
  /** The model would fit if models in use became idle. */
  | { readonly type: "wait" }
  | { readonly type: "never" };

/** Decides whether `bytes` more fit into `budget`, and which models to unload for them. */
export function decideEviction(
  loaded: readonly MemoryEntry[],
  bytes: number,
  budget: number,
  now: number,
): EvictionDecision {
  if (bytes > budget) return { type: "never" };
  const staleness = (model: MemoryEntry): number => (now - model.lastUsed) / Math.max(1, model.loadMs);
  const idle = loaded.filter((model) => model.leases === 0).sort((a, b) => staleness(b) - staleness(a));
  let used = loaded.reduce((sum, model) => sum + model.bytes, 0);
  const evict: string[] = [];
  for (const model of idle) {
    if (used + bytes <= budget) break;
    evict.push(model.id);
    used -= model.bytes;
  }
  return used + bytes <= budget ? { type: "fits", evict } : { type: "wait" };
}
