/**
 * Bounds the work of tiktoken. It splits a text into pieces of one kind of characters, and its time grows with the square of the bytes
 * of a piece: 128 KiB of one letter take a quarter of a minute.
 */

/** The squares of the bytes of all pieces together: about a quarter of a second. */
const workMax = 2.5e8;
/** Shorter runs count as ordinary text, whose time grows with its length. */
const shortRun = 64;
const bytesPerUnitMax = 3;

/**
 * The kinds of characters of which one piece can consist. They overlap, because encodings differ: a mark belongs to the letters in one
 * and not in another.
 */
const kinds = [
  /[\p{L}\p{M}]+/gu,
  /[^\p{White_Space}\p{L}\p{N}]+/gu,
  /\p{White_Space}+/gu,
  // What may follow signs in the same piece.
  /[\r\n/]+/gu,
] as const;
const digits = /\p{N}+/gu;
/** How the pattern of a newer encoding splits digits. */
const shortDigits = String.raw`\p{N}{1,3}`;

/**
 * Returns whether a text would take too long to tokenize.
 * @param pattern the encoding's pattern of pieces.
 */
export function exceedsWork(text: string, pattern: string): boolean {
  if ((text.length * bytesPerUnitMax) ** 2 <= workMax) return false;
  let work = 0;
  for (const kind of pattern.includes(shortDigits) ? kinds : [...kinds, digits])
    for (const [run] of text.matchAll(kind)) {
      if (run.length <= shortRun) continue;
      work += Buffer.byteLength(run) ** 2;
      if (work > workMax) return true;
    }
  return false;
}
