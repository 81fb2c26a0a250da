import { changeBytes, type Material } from "./bytes.js";

const oddNumbers = ["0", "1", "-1", "1e9", "2147483648", "9007199254740993", "0.1", "-0"];

/** Returns a text with one random change: of a word, of several in a row, or at times of a byte. */
export function changeText(input: Uint8Array, material: Material): Uint8Array {
  const { chance, words } = material;
  const pieces = piecesOf(input);
  if (pieces.length === 0 || chance.happens(0.15)) return changeBytes(input, material);
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
      pieces.splice(at, length, ...partOf(piecesOf(material.other), material));
      break;
    case 6:
      pieces.splice(at, 0, ...partOf(piecesOf(material.other), material));
      break;
    default:
      pieces.splice(at, 1, pieces[chance.between(0, pieces.length - 1)] ?? word);
  }
  return Buffer.from(pieces.join(""));
}

/** Words, runs of white space, and single other characters. */
function piecesOf(input: Uint8Array): string[] {
  return (
    Buffer.from(input)
      .toString("utf8")
      .match(/\w+|\s+|[^\w\s]/gu) ?? []
  );
}

function partOf(pieces: readonly string[], { chance }: Material): readonly string[] {
  if (pieces.length === 0) return [];
  const at = chance.between(0, pieces.length - 1);
  return pieces.slice(at, at + chance.between(1, 12));
}
