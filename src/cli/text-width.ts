/** How many columns of a terminal text takes. */

/** Blocks whose characters take two columns (Unicode Standard Annex 11): first and last code point of each. */
const wideBlocks: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4c6],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6b],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1b000, 0x1b2fb],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
];
const withoutWidth = /^(?:\p{Mn}|\p{Me}|\p{Cf}|\p{Cc}|[\u1160-\u11ff])$/u;
const emoji = /^\p{Emoji_Presentation}$/u;
const ascii = /^[ -~]*$/;

/** Returns the columns that a text without ends of lines takes. */
export function measureText(text: string): number {
  if (ascii.test(text)) return text.length;
  let columns = 0;
  for (const character of text) columns += measureCharacter(character);
  return columns;
}

/** Returns the columns of one character: 0, 1 or 2. */
export function measureCharacter(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0x20 && code < 0x7f) return 1;
  if (withoutWidth.test(character)) return 0;
  const isWide = wideBlocks.some(([first, last]) => code >= first && code <= last);
  return isWide || emoji.test(character) ? 2 : 1;
}
