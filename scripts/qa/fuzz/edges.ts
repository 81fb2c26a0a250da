/** The counters of the instrumented modules, and which of them any input has reached so far. */

declare global {
  // A global must be declared with var.
  var fuzzCounters: ((path: string, count: number, words: readonly string[]) => Uint8Array) | undefined;
}

/** More blocks than all of src/ has. */
const countersMax = 256 * 1024;

/**
 * Notices when an input does something that no input did before: it reaches a block, or reaches it a very different number of times,
 * or has an outcome with a new label.
 */
export class Edges {
  /** Words that occur in the instrumented modules. */
  readonly words = new Set<string>();
  readonly #counters = new Uint8Array(countersMax);
  readonly #fours = new Uint32Array(this.#counters.buffer);
  /** One bit for each range of counts, by counter. */
  readonly #seen = new Uint8Array(countersMax);
  readonly #labels = new Set<string>();
  #allocated = 0;
  #reached = 0;

  /** Modules that are imported from now on count here. */
  install(): void {
    globalThis.fuzzCounters = (path, count, words) => {
      const start = this.#allocated;
      this.#allocated += count;
      if (this.#allocated > countersMax) throw new Error(`too many blocks to count, at ${path}`);
      for (const word of words) this.words.add(word);
      return this.#counters.subarray(start, this.#allocated);
    };
  }

  /** How many blocks were reached so far. */
  get reached(): number {
    return this.#reached;
  }

  /** How many blocks the instrumented modules have. */
  get blocks(): number {
    return this.#allocated;
  }

  /** Forgets the counts of the last input. */
  clear(): void {
    this.#fours.fill(0, 0, Math.ceil(this.#allocated / 4));
  }

  /** Adds the counts since `clear` to what was seen. @returns whether there was something new */
  collect(label: string): boolean {
    let isNew = !this.#labels.has(label);
    this.#labels.add(label);
    const end = Math.ceil(this.#allocated / 4);
    for (let four = 0; four < end; four += 1) {
      if (this.#fours[four] === 0) continue;
      for (let at = four * 4; at < four * 4 + 4; at += 1) {
        const range = toRange(this.#counters[at] ?? 0);
        const seen = this.#seen[at] ?? 0;
        if ((seen & range) === range) continue;
        if (seen === 0) this.#reached += 1;
        this.#seen[at] = seen | range;
        isNew = true;
      }
    }
    return isNew;
  }
}

/** Returns a bit for 1, 2, 3, 4 to 7, 8 to 15, 16 to 31, 32 to 127, and 128 or more times; 0 for never. */
function toRange(count: number): number {
  if (count <= 2) return count;
  if (count === 3) return 4;
  if (count < 8) return 8;
  if (count < 16) return 16;
  if (count < 32) return 32;
  return count < 128 ? 64 : 128;
}
