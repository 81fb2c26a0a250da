import { changeBytes, type Material } from "./bytes.js";

/** Words, runs of white space, and single other characters. */
const wordPattern = /\w+|\s+|[^\w\s]/gu;
const oddNumbers = ["0", "1", "-1", "1e9", "2147483648", "9007199254740993", "0.1", "-0"];

/**
 * Returns a text with one random change: of a word, of several in a row, or at times of a byte.
 * @param parts larger parts that are changed as a whole, too; together they are the text
 */
export function changeText(input: Uint8Array, material: Material, parts?: RegExp): Uint8Array {
  const { chance, words } = material;
  const pattern = parts !== undefined && chance.happens(0.5) ? parts : wordPattern;
  const pieces = splitText(input, pattern);
  if (pieces.length === 0 || chance.happens(0.1)) return changeBytes(input, material);
  const at = chance.between(0, pieces.length - 1);
  const length = Math.min(chance.between(1, chance.happens(0.2) ? 40 : 4), pieces.length - at);
  const word = words.length === 0 ? "a" : chance.pick(words);
  switch (chance.between(0, 7)) {
    case 0:
      pieces.splice(at, length);
      break;
    case 1:
      pieces.splice(chance.between(0, pieces.length), 0, ...pieces.slice(at, at + length));
      break;
    case 2:
      pieces.splice(at, 0, word);
      break;
    case 3:
      pieces.splice(at, 1, word);
      break;
    case 4:
      pieces.splice(at, chance.between(0, 1), chance.pick(oddNumbers));
      break;
    case 5:
      pieces.splice(at, length, ...drawPieces(splitText(material.other, pattern), material));
      break;
    case 6:
      pieces.splice(at, 0, ...drawPieces(splitText(material.other, pattern), material));
      break;
    default:
      pieces.splice(at, 1, pieces[chance.between(0, pieces.length - 1)] ?? word);
  }
  return Buffer.from(pieces.join(""));
}

function splitText(input: Uint8Array, pattern: RegExp): string[] {
  return Buffer.from(input).toString("utf8").match(pattern) ?? [];
}

function drawPieces(pieces: readonly string[], { chance }: Material): readonly string[] {
  if (pieces.length === 0) return [];
  const at = chance.between(0, pieces.length - 1);
  return pieces.slice(at, at + chance.between(1, 12));
}
