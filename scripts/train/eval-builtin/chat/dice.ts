/** A seeded random source with the methods of choosing that the generators share. */
import { seeded } from "../../../../test/kit/models/gguf-writer/weights.js";

export interface Dice {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  unit(): number;
  /** Returns an integer in a range, both ends included. */
  between(from: number, to: number): number;
  /** Returns true with this probability. */
  happens(share: number): boolean;
  /** Returns one of the items. @throws Error for an empty list */
  pick<T>(items: readonly T[]): T;
  /** Returns different items in random order. @throws Error if there are fewer */
  some<T>(items: readonly T[], count: number): readonly T[];
}

/** Creates a source that makes the same choices for the same seed. */
export function dice(seed: number): Dice {
  const unit = seeded(seed);
  const between = (from: number, to: number): number => from + Math.floor(unit() * (to - from + 1));
  const some = <T>(items: readonly T[], count: number): readonly T[] => {
    if (items.length < count) throw new Error(`${count} wanted of ${items.length}`);
    const left = [...items];
    return Array.from({ length: count }, () => left.splice(between(0, left.length - 1), 1)).flat();
  };
  const pick = <T>(items: readonly T[]): T => {
    const [index, none] = [between(0, items.length - 1), items.length === 0];
    if (none) throw new Error("nothing to pick from");
    return items[index] as T;
  };
  return { unit, between, happens: (share) => unit() < share, pick, some };
}
