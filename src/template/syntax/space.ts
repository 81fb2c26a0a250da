/** What Python takes for white space; JavaScript's differs in a few characters. */

export function isPythonSpace(character: string): boolean {
  if (character === "") return false;
  const code = character.charCodeAt(0);
  if (code < 0x80) return (code >= 9 && code <= 13) || (code >= 28 && code <= 32);
  return code === 0x85 || (code !== 0xfeff && /\s/.test(character));
}

/** Returns the index of the first character from `at` that is not white space. */
export function endOfSpace(text: string, at = 0): number {
  let end = at;
  while (end < text.length && isPythonSpace(text.charAt(end))) end += 1;
  return end;
}

/** Returns the index of the white space at the end of a text; its length if there is none. */
export function startOfSpace(text: string): number {
  let start = text.length;
  while (start > 0 && isPythonSpace(text.charAt(start - 1))) start -= 1;
  return start;
}
