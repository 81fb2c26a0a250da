/**
 * Counts requests and tokens against quotas in the memory of this process: a restart empties the windows. A window exists only while it
 * has entries.
 *
 * Memory: at most `windowsMax` windows with together `entriesMax` entries of 16 bytes (twice as much until expired entries are
 * cleared), and two more entries for each active run, whose true tokens are always counted. That is about 64 MB. When it is
 * full, requests are refused until entries expire.
 *
 * Clients name end users, as many as they like: those beyond `endUsersMax` of one key or team, and beyond `endUserWindowsMax` of all, are
 * counted together, against the limit of one. So they take no room from other limits.
 */
import { HearthError } from "../../core/errors.js";
import type { LimitStatus } from "../../core/limits.js";
import { spansMs, type Demand, type Quota, type Shortage } from "./quota-counter.js";
import { SlidingWindow } from "./sliding-window.js";

export interface QuotaBounds {
  readonly windowsMax: number;
  readonly entriesMax: number;
  /** End users of one key or team that are counted by themselves, for each of its limits. */
  readonly endUsersMax: number;
  /** Windows of end users together. */
  readonly endUserWindowsMax: number;
}

const defaultBounds: QuotaBounds = {
  windowsMax: 100_000,
  entriesMax: 1_000_000,
  endUsersMax: 10_000,
  endUserWindowsMax: 50_000,
};

/** Interval at which expired entries of all windows are removed. */
const sweepEveryMs = 60_000;

/** The same interval when the memory bound is reached. */
const sweepFullEveryMs = 1000;

/** Times are whole milliseconds of a monotonic clock. */
export class Quotas {
  readonly #windows = new Map<string, SlidingWindow>();
  readonly #endUsers = new EndUserWindows();
  readonly #bounds: QuotaBounds;
  #entries = 0;
  #sweptAt: number | null = null;

  constructor(bounds: Partial<QuotaBounds> = {}) {
    this.#bounds = { ...defaultBounds, ...bounds };
  }

  /** The number of windows and of their entries. */
  get size(): { readonly windows: number; readonly entries: number } {
    return { windows: this.#windows.size, entries: this.#entries };
  }

  /**
   * Counts all demands, or none when a quota does not suffice. @returns the shortage; null when all were counted.
   * @throws HearthError `overloaded` when the memory bound is reached.
   */
  take(demands: readonly Demand[], now: number): Shortage | null {
    if (demands.length === 0) return null;
    if (demands.some(({ quota }) => this.#isShared(quota))) this.#sweepAfter(sweepFullEveryMs, now);
    const shortage = this.shortage(demands, now);
    if (shortage !== null) return shortage;
    this.#checkCapacity(demands.length, now);
    for (const { quota, amount } of demands) this.add(quota, amount, now);
    return null;
  }

  /** Returns the shortage that refuses the demands; null when all of them fit. */
  shortage(demands: readonly Demand[], now: number): Shortage | null {
    let worst: Shortage | null = null;
    for (const demand of demands) {
      const { quota, amount } = demand;
      const used = this.#read(quota, now, (window) => window.used) ?? 0;
      if (used + amount <= quota.limit) continue;
      const waitMs = amount > quota.limit ? null : this.#fallsToAt(quota, quota.limit - amount, now) - now;
      if (worst === null || (waitMs ?? Infinity) > (worst.waitMs ?? Infinity))
        worst = { demand, used, waitMs };
    }
    return worst;
  }

  /** Counts an amount, even beyond the limit. */
  add(quota: Quota, amount: number, now: number): void {
    if (amount === 0) return;
    const key = this.#toWindow(quota);
    const window = this.#windows.get(key) ?? new SlidingWindow(spansMs[quota.name]);
    if (!this.#windows.has(key)) this.#endUsers.added(key, quota);
    this.#windows.set(key, window);
    this.#change(key, window, () => {
      window.slide(now);
      window.add(now, amount);
    });
  }

  /** Subtracts an amount that was counted at `countedAt`. */
  giveBack(quota: Quota, amount: number, { countedAt, now }: { countedAt: number; now: number }): void {
    const key = this.#toWindow(quota);
    const window = this.#windows.get(key);
    if (window === undefined || amount === 0) return;
    this.#change(key, window, () => {
      window.slide(now);
      window.giveBack(countedAt, amount);
    });
  }

  /** Returns what is left of a quota. */
  limitStatus(quota: Quota, now: number): LimitStatus {
    const { limit } = quota;
    const used = this.#read(quota, now, (window) => window.used) ?? 0;
    const endsAt = this.#read(quota, now, (window) => window.endsAt) ?? now;
    return { limit, remaining: Math.max(0, limit - used), resetMs: endsAt - now };
  }

  #fallsToAt(quota: Quota, max: number, now: number): number {
    return this.#read(quota, now, (window) => window.fallsToAt(max, now)) ?? now;
  }

  #read<T>(quota: Quota, now: number, read: (window: SlidingWindow) => T): T | null {
    const key = this.#toWindow(quota);
    const window = this.#windows.get(key);
    if (window === undefined) return null;
    this.#change(key, window, () => window.slide(now));
    return read(window);
  }

  /** Changes a window, updates the number of entries, and removes the window when it is empty. */
  #change(key: string, window: SlidingWindow, change: () => void): void {
    const before = window.entries;
    change();
    this.#entries += window.entries - before;
    if (window.entries > 0) return;
    this.#windows.delete(key);
    this.#endUsers.removed(key);
  }

  /** The window that counts a quota: its own, or the shared window of all further end users. */
  #toWindow(quota: Quota): string {
    return this.#isShared(quota)
      ? `${quota.name} ${quota.endUsersScope ?? ""} further end users`
      : toKey(quota);
  }

  /** Whether a quota has no window of its own, nor room for one. */
  #isShared(quota: Quota): boolean {
    if (quota.endUsersScope === undefined || this.#windows.has(toKey(quota))) return false;
    const { endUsersMax, endUserWindowsMax } = this.#bounds;
    return this.#endUsers.size >= endUserWindowsMax || this.#endUsers.readCount(quota) >= endUsersMax;
  }

  #checkCapacity(wanted: number, now: number): void {
    const { windowsMax, entriesMax } = this.#bounds;
    const isFull = () => this.#entries + wanted > entriesMax || this.#windows.size + wanted > windowsMax;
    this.#sweepAfter(isFull() ? sweepFullEveryMs : sweepEveryMs, now);
    if (isFull())
      throw new HearthError(
        "overloaded",
        "The server has too many requests to count. Please try again later.",
        {
          retryAfterSeconds: 1,
        },
      );
  }

  /** Removes expired entries, where this was last done so long ago. */
  #sweepAfter(everyMs: number, now: number): void {
    this.#sweptAt ??= now;
    if (now - this.#sweptAt < everyMs) return;
    this.#sweptAt = now;
    for (const [key, window] of this.#windows) this.#change(key, window, () => window.slide(now));
  }
}

/** Counts the windows of end users: of all, and of each limit of a key or team. */
class EndUserWindows {
  readonly #limitNames = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  get size(): number {
    return this.#limitNames.size;
  }

  readCount(quota: Quota): number {
    return this.#counts.get(nameLimit(quota)) ?? 0;
  }

  /** @param key of a window that is not counted yet; one that is not of an end user is left out. */
  added(key: string, quota: Quota): void {
    if (quota.endUsersScope === undefined) return;
    this.#limitNames.set(key, nameLimit(quota));
    this.#counts.set(nameLimit(quota), this.readCount(quota) + 1);
  }

  removed(key: string): void {
    const limit = this.#limitNames.get(key);
    if (limit === undefined) return;
    this.#limitNames.delete(key);
    const count = (this.#counts.get(limit) ?? 0) - 1;
    if (count > 0) this.#counts.set(limit, count);
    else this.#counts.delete(limit);
  }
}

function nameLimit({ name, endUsersScope = "" }: Quota): string {
  return `${name} ${endUsersScope}`;
}

function toKey({ name, scope }: Quota): string {
  return `${name} ${scope}`;
}
