/** Derives a body whose arguments are each written between marks. */
import { markText, withKey, type TaggedBody, type ValueType } from "../tools/syntax.js";
import { argumentTexts, type FoundBody } from "./found-body.js";
import { splitMark, sharedEnd, sharedStart, withoutSharedMarks } from "./pieces.js";
import type { ProbeCall } from "./probes.js";

export function taggedBody(text: string, call: ProbeCall, from: number, to: number): FoundBody | null {
  const texts = argumentTexts(text, call, from, to);
  if (texts === null) return null;
  const rest = text.slice(texts.end);
  const keyOpen = withoutSharedMarks(
    sharedEnd(texts.head, texts.afterString).trimStart(),
    texts.afterNumber,
    rest,
  );
  // A quotation mark is no tag.
  if (!/[<[\p{L}]/u.test(keyOpen)) return null;
  const quoted =
    texts.beforeString === `${texts.beforeNumber}"` && texts.afterString === `"${texts.afterNumber}`;
  if (!quoted && texts.afterNumber !== texts.afterString) return null;
  const close = texts.afterNumber.slice(0, texts.afterNumber.length - keyOpen.length);
  const beforeString = quoted ? texts.beforeNumber : texts.beforeString;
  const isPadded = [beforeString, texts.beforeNumber].every((each) => each.endsWith("\n"));
  const padding = isPadded && close.startsWith("\n") ? "\n" : "";
  const withoutPadding = (written: string): string => written.slice(0, written.length - padding.length);
  const middle = texts.head.slice(0, texts.head.length - keyOpen.length);
  const valueType = typeBetween(withoutPadding(beforeString), withoutPadding(texts.beforeNumber));
  const body: TaggedBody = {
    type: "tagged",
    afterName: splitMark(middle),
    keyOpen,
    keyClose: splitMark(withoutPadding(beforeString)),
    padding,
    valueClose: splitMark(close.slice(padding.length)),
    ...(quoted ? { quoted } : {}),
    ...(valueType === null ? {} : { valueType }),
  };
  const isUsable = [body.keyClose, body.valueClose].every((mark) => markText(mark).trim() !== "");
  const lastKey = Object.keys(call.arguments).at(-1) ?? "";
  const end = findEnd(text, texts.end + (quoted ? 1 : 0), withKey(close, lastKey));
  return isUsable ? { body, middle, start: texts.start, end } : null;
}

/** Returns the words by which what is before a string differs from what is before a number; null where it does not. */
function typeBetween(string: string, number: string): ValueType | null {
  if (string === number) return null;
  const before = sharedStart(string, number);
  const after = sharedEnd(string.slice(before.length), number.slice(before.length));
  const word = (written: string): string => written.slice(before.length, written.length - after.length);
  return { before, string: word(string), other: word(number), after };
}

/** The last value ends as the others do, but the white space after it may differ. */
function findEnd(text: string, at: number, close: string): number {
  const written = [close, close.trimEnd()].find((each) => text.startsWith(each, at));
  return at + (written ?? "").length;
}
