/** Finds the texts that are closest to one: by edit distance or by shared parts, such as `qwen3` and `4b`. */

const closestMax = 3;
/** Bounds on the work of one unknown name, about 20 ms. */
const comparedLengthMax = 64;
const comparedThingsMax = 2000;

/** The least similarity, from 0 to 1, of names that are spelled alike. */
const spellingMin = 0.6;
/** Names with more than this share of the shorter one's characters in parts of both are close, too. */
const partsMin = 0.5;

/** Returns the texts that are closest to one that none of them is, the closest first; at most three. */
export function closestTexts(name: string, texts: readonly string[]): readonly string[] {
  return closestOfEach(
    name,
    texts.map((text) => [text]),
  );
}

/** Returns one name of each of the closest things, which may have several; the closest first; at most three. */
export function closestOfEach(name: string, things: readonly (readonly string[])[]): readonly string[] {
  return things
    .slice(0, comparedThingsMax)
    .flatMap((names) => sortBySimilarity(name, names).slice(0, 1))
    .sort((a, b) => b.score - a.score)
    .slice(0, closestMax)
    .map(({ text }) => text);
}

function sortBySimilarity(name: string, texts: readonly string[]) {
  return texts
    .map((text) => ({ text, score: measureSimilarity(name, text) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
}

function normalize(name: string): string {
  return name.toLowerCase().slice(0, comparedLengthMax);
}

/** Returns how alike two names are, whatever the case of their letters; 0 for names that are not close. The spelling decides between names with the same parts. */
function measureSimilarity(first: string, second: string): number {
  const [a, b] = [normalize(first), normalize(second)];
  const spelling = spellingSimilarity(a, b);
  const [partsOfA, partsOfB] = [splitName(a), splitName(b)];
  const [lengthOfA, lengthOfB] = [sumLengths(partsOfA), sumLengths(partsOfB)];
  const shared = sumLengths([...partsOfA].filter((part) => partsOfB.has(part)));
  const isClose = spelling >= spellingMin || shared > partsMin * Math.min(lengthOfA, lengthOfB);
  return isClose ? spelling + (2 * shared) / Math.max(1, lengthOfA + lengthOfB) : 0;
}

function spellingSimilarity(a: string, b: string): number {
  const length = Math.max(a.length, b.length);
  return length === 0 ? 0 : 1 - editDistance(a, b) / length;
}

/** Returns the parts of a name between the characters that are neither letters nor digits. */
function splitName(name: string): ReadonlySet<string> {
  return new Set(name.split(/[^\p{L}\p{N}]+/u).filter((part) => part !== ""));
}

function sumLengths(parts: Iterable<string>): number {
  let length = 0;
  for (const part of parts) length += part.length;
  return length;
}

/** Returns how many characters must be inserted, removed or replaced to make one text of the other. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
