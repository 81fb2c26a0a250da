/**
 * What is counted against which limit, in memory. It owns the windows and their bound; which limits hold of whom is
 * rate-limits.ts's. A window is there only while something in it counts, so that nobody's use is all that is forgotten.
 *
 * Memory: at most `windowsMax` windows with `entriesMax` entries of 16 bytes together (as much again while what is over is not
 * cleared away), and two entries more for each run in hand, whose true tokens are always counted. That is some 64 MB; who comes
 * when it is full waits until something of it is over.
 */
import { HearthError } from "../../core/errors.js";
import type { Limits, Standing } from "../../core/limits.js";
import { SlidingWindow } from "./sliding-window.js";

export interface QuotaBounds {
  readonly windowsMax: number;
  readonly entriesMax: number;
}

const defaultBounds: QuotaBounds = { windowsMax: 100_000, entriesMax: 1_000_000 };

export type LimitName = keyof Limits;

/** How long each limit looks back. */
const spansMs: Readonly<Record<LimitName, number>> = { qps: 1000, qpm: 60_000, tpm: 60_000 };

/** Time after which all windows are looked through for what is over. */
const sweepEveryMs = 60_000;

/** And where there is no room for more. */
const sweepFullEveryMs = 1000;

/** One limit of somebody. */
export interface Quota {
  readonly name: LimitName;
  readonly limit: number;
  /** Whose; what is counted for one of them is counted for nobody else. */
  readonly scope: string;
  /** The same in words, for a refusal. */
  readonly subject: string;
}

/** So much is asked of a quota. */
export interface Demand {
  readonly quota: Quota;
  readonly amount: number;
}

/** The demand that waits longest, and how long. */
export interface Shortage {
  readonly demand: Demand;
  readonly used: number;
  /** Milliseconds until all demands are met at once, if nobody else asks; null where that is never. */
  readonly waitMs: number | null;
}

/** Times are whole milliseconds of a clock that never goes back. */
export class Quotas {
  readonly #windows = new Map<string, SlidingWindow>();
  readonly #bounds: QuotaBounds;
  #entries = 0;
  #sweptAt: number | null = null;

  constructor(bounds: Partial<QuotaBounds> = {}) {
    this.#bounds = { ...defaultBounds, ...bounds };
  }

  /** How much is remembered now. */
  get size(): { readonly windows: number; readonly entries: number } {
    return { windows: this.#windows.size, entries: this.#entries };
  }

  /**
   * Counts all demands. @returns null; or, with nothing counted, what there is too little of.
   * @throws HearthError `overloaded` when there is no room to count more.
   */
  take(demands: readonly Demand[], now: number): Shortage | null {
    if (demands.length === 0) return null;
    const shortage = this.shortage(demands, now);
    if (shortage !== null) return shortage;
    this.#makeRoom(demands.length, now);
    for (const { quota, amount } of demands) this.add(quota, amount, now);
    return null;
  }

  /** What there is too little of for all demands at once; null where there is enough. */
  shortage(demands: readonly Demand[], now: number): Shortage | null {
    let worst: Shortage | null = null;
    for (const demand of demands) {
      const { quota, amount } = demand;
      const used = this.#look(quota, now, (window) => window.used) ?? 0;
      if (used + amount <= quota.limit) continue;
      const waitMs = amount > quota.limit ? null : this.#fallsTo(quota, quota.limit - amount, now) - now;
      if (worst === null || (waitMs ?? Infinity) > (worst.waitMs ?? Infinity))
        worst = { demand, used, waitMs };
    }
    return worst;
  }

  /** Counts, whether it is too much or not. */
  add(quota: Quota, amount: number, now: number): void {
    if (amount === 0) return;
    const key = keyOf(quota);
    const window = this.#windows.get(key) ?? new SlidingWindow(spansMs[quota.name]);
    this.#windows.set(key, window);
    this.#watched(key, window, () => {
      window.slide(now);
      window.add(now, amount);
    });
  }

  /** Takes back what was counted at that time. */
  takeBack(quota: Quota, amount: number, { countedAt, now }: { countedAt: number; now: number }): void {
    const key = keyOf(quota);
    const window = this.#windows.get(key);
    if (window === undefined || amount === 0) return;
    this.#watched(key, window, () => {
      window.slide(now);
      window.takeBack(countedAt, amount);
    });
  }

  /** What is left. */
  standing(quota: Quota, now: number): Standing {
    const { limit } = quota;
    const used = this.#look(quota, now, (window) => window.used) ?? 0;
    const endsAt = this.#look(quota, now, (window) => window.endsAt) ?? now;
    return { limit, remaining: Math.max(0, limit - used), resetMs: endsAt - now };
  }

  #fallsTo(quota: Quota, most: number, now: number): number {
    return this.#look(quota, now, (window) => window.fallsTo(most, now)) ?? now;
  }

  #look<T>(quota: Quota, now: number, ask: (window: SlidingWindow) => T): T | null {
    const key = keyOf(quota);
    const window = this.#windows.get(key);
    if (window === undefined) return null;
    this.#watched(key, window, () => window.slide(now));
    return ask(window);
  }

  /** Changes a window, and forgets it where nothing is left in it. */
  #watched(key: string, window: SlidingWindow, change: () => void): void {
    const before = window.entries;
    change();
    this.#entries += window.entries - before;
    if (window.entries === 0) this.#windows.delete(key);
  }

  #makeRoom(wanted: number, now: number): void {
    const { windowsMax, entriesMax } = this.#bounds;
    const isFull = () => this.#entries + wanted > entriesMax || this.#windows.size + wanted > windowsMax;
    const every = isFull() ? sweepFullEveryMs : sweepEveryMs;
    this.#sweptAt ??= now;
    if (now - this.#sweptAt >= every) this.#sweep(now);
    if (isFull())
      throw new HearthError("overloaded", "The server counts too many requests. Please try again later.", {
        retryAfterSeconds: 1,
      });
  }

  #sweep(now: number): void {
    this.#sweptAt = now;
    for (const [key, window] of this.#windows) this.#watched(key, window, () => window.slide(now));
  }
}

function keyOf({ name, scope }: Quota): string {
  return `${name} ${scope}`;
}
