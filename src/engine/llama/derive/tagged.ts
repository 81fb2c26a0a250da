/** Derives a body whose arguments are each written between marks. */
import { markText, type TaggedBody } from "../tools/syntax.js";
import { argumentTexts, type FoundBody } from "./found-body.js";
import { markOf, sharedEnd } from "./pieces.js";
import type { ProbeCall } from "./probes.js";

export function taggedBody(text: string, call: ProbeCall, from: number, to: number): FoundBody | null {
  const texts = argumentTexts(text, call, from, to);
  if (texts === null) return null;
  const keyOpen = sharedEnd(texts.head, texts.afterString).trimStart();
  // A quotation mark is no tag.
  if (!/[<[\p{L}]/u.test(keyOpen)) return null;
  const close = texts.afterString.slice(0, texts.afterString.length - keyOpen.length);
  if (texts.afterNumber !== texts.afterString) return null;
  const isPadded =
    texts.beforeString.endsWith("\n") && texts.beforeNumber.endsWith("\n") && close.startsWith("\n");
  const padding = isPadded ? "\n" : "";
  const keyEnd = (written: string): readonly string[] =>
    markOf(written.slice(0, written.length - padding.length));
  const keyClose = keyEnd(texts.beforeString);
  const otherKeyClose = keyEnd(texts.beforeNumber);
  const differs = markText(keyClose) !== markText(otherKeyClose);
  const body: TaggedBody = {
    type: "tagged",
    afterName: markOf(texts.head.slice(0, texts.head.length - keyOpen.length)),
    keyOpen,
    keyClose,
    padding,
    valueClose: markOf(close.slice(padding.length)),
    ...(differs ? { otherKeyClose } : {}),
  };
  return isUsable(body) ? { body, start: texts.start, end: endOf(text, texts.end, close) } : null;
}

/** The marks must be there, or nothing ends a key and a value. */
function isUsable({ keyClose, valueClose, otherKeyClose }: TaggedBody): boolean {
  return [keyClose, valueClose, otherKeyClose ?? keyClose].every((mark) => markText(mark).trim() !== "");
}

/** The last value ends as the others do, but the white space after it may differ. */
function endOf(text: string, at: number, close: string): number {
  const written = [close, close.trimEnd()].find((each) => text.startsWith(each, at));
  return at + (written ?? "").length;
}
