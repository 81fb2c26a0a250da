/** Chance that is drawn from a seed: equal seeds draw equal numbers. */
import type { Random } from "../../../src/core/random.js";
import { seeded } from "../../../test/kit/models/gguf-writer/weights.js";

export class Chance {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seeded(seed);
  }

  /** Returns an independent source, so that more draws in one part change no other part. */
  fork(): Chance {
    return new Chance(this.between(0, 0xffff_fffe));
  }

  /** Returns whether something of this probability happens. */
  happens(probability: number): boolean {
    return this.#next() < probability;
  }

  /** Returns a whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.#next() * (most - least + 1));
  }

  /** Returns one of the items; a likelier item is listed more than once. @throws Error when there is none. */
  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.between(0, items.length - 1)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }
}

/** Returns the server's random port. Its ids are UUIDs of version 7 that grow with every call. */
export function simulatedRandom(chance: Chance, now: () => number): Random {
  let count = 0;
  const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0");
  return {
    bytes: (size) => Uint8Array.from({ length: size }, () => chance.between(0, 255)),
    id() {
      count += 1;
      const time = hex(now(), 12);
      const tail = `${hex(count, 8)}${hex(chance.between(0, 0xffff), 4)}`;
      return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(chance.between(0, 0xfff), 3)}-9000-${tail}`;
    },
  };
}
