/** Derives the marks around calls from a turn with two calls, or with one where a turn has no more. */
import type { CallSyntax, CallMark } from "../tools/syntax.js";
import { commonBody, findBody } from "./body.js";
import { isMark, splitMark, piecesOfText, sharedEnd, sharedStart, withoutSharedMarks } from "./pieces.js";
import type { ProbeCall } from "./probes.js";

/** A syntax, and what follows the calls although it is none of their marks. */
interface FoundSyntax {
  readonly syntax: CallSyntax;
  readonly turnEnd: string;
}

/** Returns how the calls are written in a text that has nothing before and after them; null where that is not recognised. */
export function buildSyntax(
  text: string,
  calls: readonly ProbeCall[],
  promptEnd?: string,
): FoundSyntax | null {
  const [first, second] = calls;
  if (first === undefined) return null;
  const secondAt = second === undefined ? text.length : text.indexOf(second.name);
  const found = findBody(text, first, 0, secondAt);
  if (found === null) return null;
  const lead = withoutIds(text.slice(0, found.start), calls);
  if (second === undefined) {
    const end = text.slice(found.end);
    return withOpening({ ...readLead(lead.trimStart()), body: found.body, after: splitMark(end.trimEnd()) });
  }
  const other = findBody(text, second, found.end, text.length);
  const body = other === null ? null : commonBody(found, other);
  if (other === null || body === null) return null;
  const middle = withoutIds(text.slice(found.end, other.start), calls);
  return aroundCalls({ promptEnd, body }, lead, middle, text.slice(other.end));
}

/** Stands for an id. */
const idPlace = "\u0001";

/** Replaces ids, so that what is before two names can be compared. */
function withoutIds(text: string, calls: readonly ProbeCall[]): string {
  return calls.reduce((rest, { id }) => rest.replaceAll(id, idPlace), text);
}

/** Splits what is before a name at the id. */
function readLead(before: string) {
  const [first = "", second] = before.split(idPlace);
  return second === undefined
    ? { before: splitMark(first) }
    : { before: splitMark(first), afterId: splitMark(second) };
}

type KnownParts = Pick<CallSyntax, "body" | "promptEnd">;

/** @param lead before the first call @param middle between both @param tail after the second */
function aroundCalls(known: KnownParts, lead: string, middle: string, tail: string): FoundSyntax | null {
  const before = withoutSharedMarks(sharedEnd(lead, middle).trimStart(), middle, tail);
  const rest = middle.slice(0, middle.length - before.length);
  const after = sharedStart(rest, tail).trimEnd();
  const between = rest.slice(after.length);
  const open = lead.slice(0, lead.length - before.length).trimStart();
  const close = tail.slice(after.length).trimEnd();
  const parts = { between: splitMark(between), ...readLead(before), ...known, after: splitMark(after) };
  // What only follows the calls ends the turn.
  if (open === "") return withOpening(parts, close);
  return withOpening({ ...parts, section: { open: splitMark(open), close: splitMark(close) } });
}

type Parts = Omit<CallSyntax, "between"> & { readonly between?: CallMark };

/** Decides what begins a call: a mark, or, without one, the beginning of the answer. */
function withOpening(parts: Parts, turnEnd = ""): FoundSyntax | null {
  const syntax = { ...parts, between: parts.between ?? [] };
  const { body, after, section, before } = syntax;
  // What belongs to the probe is no mark.
  if (/Qx|qx_|\\u0001/.test(JSON.stringify(syntax))) return null;
  // Nothing else would end the arguments.
  if (body.type === "tagged" && after.every((piece) => piece.trim() === "")) return null;
  const pieces = [...(section?.open ?? []), ...before];
  const [first = ""] = pieces.filter((piece) => piece.trim() !== "");
  if (distinguishes(first) || syntax.promptEnd === first)
    return { syntax: { ...syntax, ...marksOfEnd(turnEnd) }, turnEnd };
  // A word with a bracket, such as `functools[`, is a mark of its own.
  const opening = pieces.join("").trimStart().split(/\s/)[0] ?? "";
  if (/^\p{L}{4,}/u.test(first) && distinguishes(opening)) return { syntax: { ...syntax, opening }, turnEnd };
  const isOfBrackets = /^[[({]*$/.test(first);
  if (!isOfBrackets || body.type === "tagged" || body.type === "bare-name") return null;
  return { syntax: { ...syntax, wholeAnswer: true }, turnEnd };
}

/** Returns what ends the turn where it is marks only. */
function marksOfEnd(turnEnd: string) {
  const pieces = piecesOfText(turnEnd).filter((piece) => piece.trim() !== "");
  return pieces.length > 0 && pieces.every(isMark) ? { turnEnd: pieces } : {};
}

/** Whether a text hardly occurs in an answer without calls. */
function distinguishes(text: string): boolean {
  return (
    text.length > 3 && piecesOfText(text).some((piece) => isMark(piece) || /^[^\p{L}\p{N}\s]$/u.test(piece))
  );
}
