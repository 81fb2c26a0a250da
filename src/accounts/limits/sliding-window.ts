/**
 * What was counted in the last so many milliseconds, exactly: each millisecond in which something was is one entry, so that there
 * are never more entries than the window has milliseconds. Times are whole milliseconds of a clock that never goes back.
 */
export class SlidingWindow {
  readonly #spanMs: number;
  readonly #times: number[] = [];
  readonly #amounts: number[] = [];
  /** Index of the oldest entry; what is before it is over and not yet cleared away. */
  #first = 0;
  #used = 0;

  constructor(spanMs: number) {
    this.#spanMs = spanMs;
  }

  /** All that is counted, as of the last `slide`. */
  get used(): number {
    return this.#used;
  }

  get entries(): number {
    return this.#times.length - this.#first;
  }

  /** When nothing of it is counted any more, if nothing is added; null where nothing is. */
  get endsAt(): number | null {
    const last = this.#times.at(-1);
    return last === undefined || this.entries === 0 ? null : last + this.#spanMs;
  }

  /** Forgets what is over; to be called before anything is asked or changed. */
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

  /** Counts so much now. @param amount more than 0. */
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

  /** Takes back so much of what was counted at that time; nothing where that is over. */
  takeBack(time: number, amount: number): void {
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
   * The first time from `now` on at which no more than `most` is counted, if nothing is added.
   * @param most not below 0.
   */
  fallsTo(most: number, now: number): number {
    let used = this.#used;
    let at = this.#first;
    for (; used > most && at < this.#times.length; at += 1) used -= this.#amounts[at] ?? 0;
    return at === this.#first ? now : (this.#times[at - 1] ?? now) + this.#spanMs;
  }
}
