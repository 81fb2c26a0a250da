/** Derives a body whose arguments are in brackets after the name. */
import type { NotationBody } from "../tools/syntax.js";
import type { ProbeCall } from "./probes.js";
import { argumentTexts, type FoundBody } from "./found-body.js";

const brackets: Readonly<Record<string, string>> = { "(": ")", "{": "}", "[": "]" };

export function bracketBody(text: string, call: ProbeCall, from: number, to: number): FoundBody | null {
  const texts = argumentTexts(text, call, from, to);
  if (texts === null) return null;
  const { head, beforeString, beforeNumber, afterString, afterNumber } = texts;
  const close = brackets[head.slice(-1)];
  const assign = beforeNumber.trim();
  const quote = beforeString.startsWith(beforeNumber) ? beforeString.slice(beforeNumber.length) : "";
  if (close === undefined || quote === "" || !/^[=:]$/.test(assign)) return null;
  if (afterNumber.trim() !== "," || afterString !== quote + afterNumber || !text.startsWith(quote, texts.end))
    return null;
  const at = text.indexOf(close, texts.end + quote.length);
  if (at < 0) return null;
  const body: NotationBody = {
    type: "notation",
    open: head,
    close,
    assign: beforeNumber,
    separator: afterNumber,
    quote,
    escapes: quote.length === 1,
    nested: quote.length === 1 ? "json" : "same",
    pythonWords: false,
  };
  return { body, start: texts.start, end: at + close.length };
}
