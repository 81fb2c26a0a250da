/**
 * Applies byte-pair merges to a word: repeatedly merges the adjacent pair with the lowest rank, from left to right, until no pair can be
 * merged. Only pairs next to a merge are looked up again, so that long words are fast.
 */
export function mergeWord(letters: readonly string[], ranks: ReadonlyMap<string, number>): readonly string[] {
  const pieces = [...letters];
  const rankAt = (at: number): number => {
    const [left, right] = [pieces[at], pieces[at + 1]];
    return left === undefined || right === undefined ? Infinity : (ranks.get(`${left} ${right}`) ?? Infinity);
  };
  const found = pieces.map((_, at) => rankAt(at));
  for (;;) {
    const at = indexOfLowest(found);
    if (at === null) return pieces;
    pieces.splice(at, 2, `${pieces[at] ?? ""}${pieces[at + 1] ?? ""}`);
    found.splice(at, 1);
    found[at] = rankAt(at);
    if (at > 0) found[at - 1] = rankAt(at - 1);
  }
}

function indexOfLowest(ranks: readonly number[]): number | null {
  let [best, least] = [-1, Infinity];
  for (const [at, rank] of ranks.entries()) if (rank < least) [best, least] = [at, rank];
  return best < 0 ? null : best;
}
