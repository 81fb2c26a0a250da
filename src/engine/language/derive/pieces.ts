/**
 * Compares texts that a template has written, by pieces: a mark such as `<tool_call>` or `[ARGS]`, a word, white space, or one character.
 * So no comparison ends inside a mark.
 */

const piece =
  /\]<\][^\s<>[\]]{1,64}\[>\[|<[^<>\s"'=]{1,64}>|<[|｜][^<>]{1,64}?[|｜]>|\[\/?[A-Z][A-Z_ ]{1,62}\]|◁[^◁▷\s]{1,64}▷|[\p{L}\p{N}_]+|\s+|[^]/gu;

export function piecesOfText(text: string): readonly string[] {
  return text.match(piece) ?? [];
}

/** Returns whether a piece is a mark, which ordinary text hardly contains. */
export function isMark(text: string): boolean {
  return text.length > 2 && /^(?:[<[◁]|\]<\])/.test(text);
}

/** Returns the longest beginning that two texts share. */
export function sharedStart(first: string, second: string): string {
  const a = piecesOfText(first);
  const b = piecesOfText(second);
  let count = 0;
  while (count < a.length && a[count] === b[count]) count += 1;
  return a.slice(0, count).join("");
}

/** Returns the longest end that two texts share. */
export function sharedEnd(first: string, second: string): string {
  const a = piecesOfText(first);
  const b = piecesOfText(second);
  let count = 0;
  while (count < a.length && count < b.length && a[a.length - 1 - count] === b[b.length - 1 - count])
    count += 1;
  return a.slice(a.length - count).join("");
}

/**
 * Returns what begins an item, without marks that end the one before: those that also follow the last item.
 * @param opening what is before the first item and before another one
 * @param between between two items @param tail after the last one
 */
export function withoutSharedMarks(opening: string, between: string, tail: string): string {
  const end = between.slice(0, between.length - opening.length);
  const shared = sharedStart(between, tail).slice(end.length);
  const isOfMarks = piecesOfText(shared).every((each) => isMark(each) || each.trim() === "");
  if (shared.trim() === "" || !isOfMarks || !opening.startsWith(shared)) return opening;
  return opening.slice(shared.length).trimStart();
}

/**
 * Splits a text into the pieces of a mark of the syntax: white space that is next to a mark, a line's end or JSON's punctuation is layout;
 * any other belongs to the words around it.
 */
export function splitMark(text: string): readonly string[] {
  const mark: string[] = [];
  const parts = piecesOfText(text);
  let isOpen = false;
  for (const [at, part] of parts.entries()) {
    const next = parts[at + 1] ?? "";
    const isLayout =
      part.trim() === "" && (/\n/.test(part) || standsAlone(parts[at - 1] ?? "") || standsAlone(next));
    const alone = isLayout || standsAlone(part);
    if (isOpen && !alone) mark[mark.length - 1] += part;
    else mark.push(part);
    isOpen = !alone;
  }
  return mark;
}

function standsAlone(part: string): boolean {
  return part === "" || isMark(part) || "[]{},".includes(part);
}
