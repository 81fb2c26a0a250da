/** A seeded random source, and the ways of choosing that the generators share. */
import { seeded } from "../../../test/gguf-writer/weights.js";

export interface Dice {
  /** A number from 0 up to 1. */
  unit(): number;
  /** A whole number, both ends among them. */
  between(from: number, to: number): number;
  /** Whether something that happens in this share of all cases does. */
  happens(share: number): boolean;
  /** One of them. @throws Error of an empty list. */
  pick<T>(items: readonly T[]): T;
  /** Different ones of them, in any order. @throws Error where there are fewer. */
  some<T>(items: readonly T[], count: number): readonly T[];
}

/** The same choices for the same seed. */
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
