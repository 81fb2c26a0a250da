/** Finds the two marks of a block. */
import { isMark, piecesOfText } from "./pieces.js";

export interface MarkPair {
  readonly open: string;
  readonly close: string;
}

/** Returns the last piece before a block and the first one after it, where both are marks of one name. */
export function findPair(lead: string, gap: string): MarkPair | null {
  const open = marksBefore(lead);
  const close = nonBlank(gap)[0] ?? "";
  const closes = isMark(close) && open !== close && readName(open) === readName(close) && endsBlock(close);
  return closes ? { open, close } : null;
}

/** Returns the mark that a text ends with, without white space; "" where it ends otherwise. */
export function marksBefore(text: string): string {
  const last = nonBlank(text).at(-1) ?? "";
  return isMark(last) ? last : "";
}

function nonBlank(text: string): readonly string[] {
  return piecesOfText(text).filter((piece) => piece.trim() !== "");
}

function endsBlock(mark: string): boolean {
  return /\/|end|close|suffix/i.test(mark);
}

/** Returns what the marks of one block have in common. */
function readName(mark: string): string {
  const words = mark.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const parts = words.flatMap((word) => word.split("_"));
  return parts.filter((word) => !/^(?:start|begin|open|prefix|end|close|suffix)$/.test(word)).join("_");
}
