/**
 * Decides which models stay in memory: whether another model fits, which idle models to unload for it, and, when idle models are not
 * enough, which models take no new runs until they can be unloaded. Idle models that have been unused for longest, relative to the time
 * they take to load again, are unloaded first; of models in use, the one that was loaded first. Pure; a model in use is never unloaded.
 */

/** A model in memory, as input of the decision. */
export interface MemoryEntry {
  /** Its load key. */
  readonly id: string;
  /** Estimated memory. */
  readonly bytes: number;
  /** Runs that use the model. */
  readonly leases: number;
  /** Monotonic clock, in milliseconds. */
  readonly lastUsed: number;
  readonly loadMs: number;
  /** When its load ended; monotonic clock, in milliseconds. */
  readonly turnBegan: number;
}

interface MemoryState {
  readonly loaded: readonly MemoryEntry[];
  /** Models that take no new leases, by an earlier decision. They remain the first choice, so that none drains in vain. */
  readonly heldBack: ReadonlySet<string>;
  /** Limit for all models together. */
  readonly budget: number;
  /** Monotonic clock, in milliseconds. */
  readonly now: number;
}

type EvictionDecision =
  | { readonly type: "fits"; readonly evict: readonly string[] }
  /** The model fits once the models of `holdBack`, which take no new leases until then, are idle. */
  | {
      readonly type: "wait";
      readonly holdBack: readonly string[];
      /** Milliseconds until a turn ends, after which there may be models to hold back; null when there are some. */
      readonly reviewMs: number | null;
    }
  | { readonly type: "never" };

/** How long a model in use takes new leases after its load, whatever waits; longer for one that took longer to load. */
export const turnMsMin = 5000;

/** Decides whether `bytes` more fit into the budget, which models to unload for them, and which to hold back. */
export function decideEviction(
  { loaded, heldBack, budget, now }: MemoryState,
  bytes: number,
): EvictionDecision {
  if (bytes > budget) return { type: "never" };
  const needed = loaded.reduce((sum, model) => sum + model.bytes, bytes) - budget;
  const idle = sortIdle(loaded, now);
  const evict = chooseModels(idle, needed);
  if (evict !== null) return { type: "fits", evict };

  const turnLeft = (model: MemoryEntry): number => model.turnBegan + Math.max(turnMsMin, model.loadMs) - now;
  const held = loaded.filter(({ id }) => heldBack.has(id));
  const inUse = loaded
    .filter(({ leases }) => leases > 0)
    .sort((a, b) => a.turnBegan - b.turnBegan)
    .filter((model) => turnLeft(model) <= 0);
  const holdBack = chooseModels([...new Set([...held, ...idle, ...inUse])], needed);
  if (holdBack !== null) return { type: "wait", holdBack, reviewMs: null };
  const turnsLeft = loaded.map(turnLeft).filter((left) => left > 0);
  return { type: "wait", holdBack: [], reviewMs: Math.min(...turnsLeft) };
}

/**
 * Chooses idle models to unload when memory is short: those that have `needed` bytes together, or all if they have less.
 * @param now monotonic clock, in milliseconds
 * @returns their load keys
 */
export function chooseIdle(loaded: readonly MemoryEntry[], needed: number, now: number): readonly string[] {
  const idle = sortIdle(loaded, now);
  return chooseModels(idle, needed) ?? idle.map(({ id }) => id);
}

/** Returns the idle models, the one unused for longest relative to its time of loading first. */
function sortIdle(loaded: readonly MemoryEntry[], now: number): readonly MemoryEntry[] {
  const staleness = (model: MemoryEntry): number => (now - model.lastUsed) / Math.max(1, model.loadMs);
  return loaded.filter(({ leases }) => leases === 0).sort((a, b) => staleness(b) - staleness(a));
}

/** Returns the first models that have `needed` bytes together, without those that the others make unnecessary; null if all have less. */
function chooseModels(models: readonly MemoryEntry[], needed: number): readonly string[] | null {
  const chosen: MemoryEntry[] = [];
  let left = needed;
  for (const model of models) {
    if (left <= 0) break;
    chosen.push(model);
    left -= model.bytes;
  }
  if (left > 0) return null;
  const necessary = chosen.filter((model) => {
    if (left + model.bytes > 0) return true;
    left += model.bytes;
    return false;
  });
  return necessary.map(({ id }) => id);
}
