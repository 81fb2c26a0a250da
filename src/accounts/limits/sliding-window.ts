/**
 * The exact sum of the amounts of the last `spanMs` milliseconds. There is one entry for each millisecond in which something
 * was counted, so there are never more entries than milliseconds. Times are whole milliseconds of a monotonic clock.
 */
export class SlidingWindow {
  readonly #spanMs: number;
  readonly #times: number[] = [];
  readonly #amounts: number[] = [];
  /** Index of the oldest entry; entries before it have expired and are not yet cleared. */
  #first = 0;
  #used = 0;

  constructor(spanMs: number) {
    this.#spanMs = spanMs;
  }

  /** The sum, as of the last `slide`. */
  get used(): number {
    return this.#used;
  }

  get entries(): number {
    return this.#times.length - this.#first;
  }

  /** When the last entry expires, if nothing is added; null when there is none. */
  get endsAt(): number | null {
    const last = this.#times.at(-1);
    return last === undefined || this.entries === 0 ? null : last + this.#spanMs;
  }

  /** Removes expired entries; to be called before the window is read or changed. */
  slide(now: number): void {
    for (let time = this.#times[this.#first]; time !== undefined; time = this.#times[this.#first]) {
      if (time > now - this.#spanMs) break;
      this.#used -= this.#amounts[this.#first] ?? 0;
      this.#first += 1;
    }
    if (this.#first * 2 < this.#times.length) return;
    this.#times.splice(0, this.#first);
    this.#amounts.splice(0, this.#first);
    this.#first = 0;
  }

  /** Adds an amount. @param amount more than 0. */
  add(now: number, amount: number): void {
    const last = this.#times.length - 1;
    this.#used += amount;
    if (this.entries > 0 && this.#times[last] === now) {
      this.#amounts[last] = (this.#amounts[last] ?? 0) + amount;
      return;
    }
    this.#times.push(now);
    this.#amounts.push(amount);
  }

  /** Subtracts an amount from what was counted at `time`; does nothing when that has expired. */
  giveBack(time: number, amount: number): void {
    const at = this.#times.lastIndexOf(time);
    if (at < this.#first) return;
    const left = (this.#amounts[at] ?? 0) - amount;
    this.#used -= amount;
    this.#amounts[at] = left;
    if (left > 0) return;
    this.#times.splice(at, 1);
    this.#amounts.splice(at, 1);
  }

  /**
   * Returns the first time from `now` on at which the sum is at most `max`, if nothing is added.
   * @param max not below 0.
   */
  fallsToAt(max: number, now: number): number {
    let used = this.#used;
    let at = this.#first;
    for (; used > max && at < this.#times.length; at += 1) used -= this.#amounts[at] ?? 0;
    return at === this.#first ? now : (this.#times[at - 1] ?? now) + this.#spanMs;
  }
}
