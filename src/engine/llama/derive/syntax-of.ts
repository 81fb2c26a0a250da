/** Derives the marks around calls from a turn with two calls, or with one where a turn has no more. */
import type { CallBody, CallSyntax, Mark } from "../tools/syntax.js";
import { commonBody, findBody } from "./body.js";
import { isMark, markOf, piecesOfText, sharedEnd, sharedStart } from "./pieces.js";
import type { ProbeCall } from "./probes.js";

/** A syntax, and what follows the calls although it is none of their marks. */
export interface FoundSyntax {
  readonly syntax: CallSyntax;
  readonly turnEnd: string;
}

/** Returns how the calls are written in a text that has nothing before and after them; null where that is not recognised. */
export function syntaxOf(text: string, calls: readonly ProbeCall[]): FoundSyntax | null {
  const [first, second] = calls;
  if (first === undefined) return null;
  const secondAt = second === undefined ? text.length : text.indexOf(second.name);
  const found = findBody(text, first, 0, secondAt);
  if (found === null) return null;
  const lead = text.slice(0, found.start);
  if (second === undefined) {
    const end = text.slice(found.end);
    return withOpening({ before: markOf(lead.trimStart()), body: found.body, after: markOf(end.trimEnd()) });
  }
  const other = findBody(text, second, found.end, text.length);
  const body = other === null ? null : commonBody(found, other);
  if (other === null || body === null) return null;
  return aroundCalls(body, lead, text.slice(found.end, other.start), text.slice(other.end));
}

/** @param lead before the first call @param middle between both @param tail after the second */
function aroundCalls(body: CallBody, lead: string, middle: string, tail: string): FoundSyntax | null {
  const before = sharedEnd(lead, middle).trimStart();
  const rest = middle.slice(0, middle.length - before.length);
  const after = sharedStart(rest, tail).trimEnd();
  const between = rest.slice(after.length);
  const open = lead.slice(0, lead.length - before.length).trimStart();
  const close = tail.slice(after.length).trimEnd();
  const parts = { between: markOf(between), before: markOf(before), body, after: markOf(after) };
  // What only follows the calls ends the turn.
  if (open === "") return withOpening(parts, close);
  return withOpening({ ...parts, section: { open: markOf(open), close: markOf(close) } });
}

type Parts = Omit<CallSyntax, "between"> & { readonly between?: Mark };

/** Decides what begins a call: a mark, or, without one, the beginning of the answer. */
function withOpening(parts: Parts, turnEnd = ""): FoundSyntax | null {
  const syntax = { ...parts, between: parts.between ?? [] };
  const { body, after, section, before } = syntax;
  // Nothing else would end the arguments.
  if (body.type === "tagged" && after.every((piece) => piece.trim() === "")) return null;
  const [first = ""] = [...(section?.open ?? []), ...before].filter((piece) => piece.trim() !== "");
  if (distinguishes(first)) return { syntax, turnEnd };
  const isOfBrackets = /^[[({]*$/.test(first);
  if (!isOfBrackets || body.type === "tagged" || body.type === "bare-name") return null;
  return { syntax: { ...syntax, wholeAnswer: true }, turnEnd };
}

/** Whether a text hardly occurs in an answer without calls. */
function distinguishes(text: string): boolean {
  return (
    text.length > 3 && piecesOfText(text).some((piece) => isMark(piece) || /^[^\p{L}\p{N}\s]$/u.test(piece))
  );
}
