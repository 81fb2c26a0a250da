/**
 * The pieces of a word after every merge that applies: the pair that stands first in the list of merges is merged, everywhere
 * from left to right, until none is left. Only the pairs beside a merge are looked up anew, so that a long word takes little.
 */
export function mergeWord(letters: readonly string[], ranks: ReadonlyMap<string, number>): readonly string[] {
  const pieces = [...letters];
  const rankAt = (at: number): number => {
    const [left, right] = [pieces[at], pieces[at + 1]];
    return left === undefined || right === undefined ? Infinity : (ranks.get(`${left} ${right}`) ?? Infinity);
  };
  const found = pieces.map((_, at) => rankAt(at));
  for (;;) {
    const at = firstOfLeast(found);
    if (at === null) return pieces;
    pieces.splice(at, 2, `${pieces[at] ?? ""}${pieces[at + 1] ?? ""}`);
    found.splice(at, 1);
    found[at] = rankAt(at);
    if (at > 0) found[at - 1] = rankAt(at - 1);
  }
}

function firstOfLeast(ranks: readonly number[]): number | null {
  let [best, least] = [-1, Infinity];
  for (const [at, rank] of ranks.entries()) if (rank < least) [best, least] = [at, rank];
  return best < 0 ? null : best;
}
