/**
 * A set of code points as flat, sorted pairs [low, high, low, high, ...] that neither overlap nor are
 * adjacent. Surrogates are in no set, because UTF-8 cannot encode them.
 */
export type Ranges = readonly number[];

/** Every code point except surrogates. */
export const everyCodePoint: Ranges = [0, 0xd7ff, 0xe000, 0x10ffff];

/** Returns the set of these pairs, which may be unordered, overlap and include surrogates. */
export function toRanges(pairs: readonly number[]): Ranges {
  const sorted: [number, number][] = [];
  for (let i = 0; i + 1 < pairs.length; i += 2) pushClipped(sorted, pairs[i] ?? 0, pairs[i + 1] ?? 0);
  sorted.sort((a, b) => a[0] - b[0]);
  const merged: number[] = [];
  for (const [low, high] of sorted) {
    const last = merged.at(-1);
    if (last !== undefined && low <= last + 1) merged[merged.length - 1] = Math.max(last, high);
    else merged.push(low, high);
  }
  return merged;
}

function pushClipped(into: [number, number][], low: number, high: number): void {
  if (low <= Math.min(high, 0xd7ff)) into.push([low, Math.min(high, 0xd7ff)]);
  if (high >= Math.max(low, 0xe000)) into.push([Math.max(low, 0xe000), high]);
}

/** Returns the complement of a set. */
export function complementRanges(set: Ranges): Ranges {
  const outside: number[] = [];
  let next = 0;
  for (let i = 0; i < set.length; i += 2) {
    const low = set[i] ?? 0;
    if (low > next) outside.push(next, low - 1);
    next = (set[i + 1] ?? 0) + 1;
  }
  if (next <= 0x10ffff) outside.push(next, 0x10ffff);
  return toRanges(outside);
}

/** Returns the intersection of two sets. */
export function intersectRanges(a: Ranges, b: Ranges): Ranges {
  const both: number[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const low = Math.max(a[i] ?? 0, b[j] ?? 0);
    const high = Math.min(a[i + 1] ?? 0, b[j + 1] ?? 0);
    if (low <= high) both.push(low, high);
    if ((a[i + 1] ?? 0) < (b[j + 1] ?? 0)) i += 2;
    else j += 2;
  }
  return both;
}

/** Returns the union of sets. */
export function uniteRanges(sets: readonly Ranges[]): Ranges {
  const [only, second] = sets;
  return only !== undefined && second === undefined ? only : toRanges(sets.flat());
}

/** Returns the number of code points in the set. */
export function countCodePoints(set: Ranges): number {
  let size = 0;
  for (let i = 0; i < set.length; i += 2) size += (set[i + 1] ?? 0) - (set[i] ?? 0) + 1;
  return size;
}

/**
 * Returns the coarsest partition in which every given set is a union of classes, and the classes of each set.
 */
export function partition(sets: readonly Ranges[]): { classes: Ranges[]; members: number[][] } {
  const points: [at: number, set: number, enters: boolean][] = [];
  for (const [index, set] of sets.entries()) {
    for (let i = 0; i < set.length; i += 2) {
      points.push([set[i] ?? 0, index, true], [(set[i + 1] ?? 0) + 1, index, false]);
    }
  }
  points.sort((a, b) => a[0] - b[0]);
  const classes: number[][] = [];
  const members: number[][] = sets.map(() => []);
  const classNumbers = new Map<string, number>();
  const active = new Set<number>();
  for (let i = 0; i < points.length;) {
    const at = points[i]?.[0] ?? 0;
    for (let point = points[i]; point?.[0] === at; point = points[++i]) {
      if (point[2]) active.add(point[1]);
      else active.delete(point[1]);
    }
    if (active.size === 0) continue;
    const key = [...active].sort((a, b) => a - b).join(",");
    let id = classNumbers.get(key);
    if (id === undefined) {
      id = classes.push([]) - 1;
      classNumbers.set(key, id);
      for (const set of active) members[set]?.push(id);
    }
    classes[id]?.push(at, (points[i]?.[0] ?? 0) - 1);
  }
  return { classes: classes.map(toRanges), members };
}
