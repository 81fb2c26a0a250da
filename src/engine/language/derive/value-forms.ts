/** Derives how a syntax writes values that are not in one JSON object. */
import { markText, splitPieces, type CallSyntax, type TaggedBody } from "../tools/syntax.js";
import { textCall } from "./probes.js";
import { readsCalls } from "./round-trip.js";

/**
 * Returns the syntax with the form of values that the template has written.
 * @param values a call with values of each type; null where the template refuses it
 * @param texts the same with a text that needs escapes
 */
export function valueForms(syntax: CallSyntax, values: string | null, texts: string | null): CallSyntax {
  const { body } = syntax;
  if (body.type !== "tagged" && body.type !== "notation") return syntax;
  const writesPython = values !== null && values.includes("False");
  if (body.type === "tagged") {
    const marks = texts === null ? null : textMarksIn(texts, body);
    const changed = {
      ...body,
      ...(writesPython ? { python: true } : {}),
      ...(marks === null ? {} : { textMarks: marks }),
    };
    return { ...syntax, body: changed };
  }
  const nested = body.nested === "same" ? body.nested : writesPython ? "python" : "json";
  const pythonWords = values !== null && values.includes("True");
  const forms = [true, false].map((escapes): CallSyntax => ({
    ...syntax,
    body: { ...body, nested, pythonWords, escapes },
  }));
  const [first = syntax] = forms;
  if (body.quote.length > 1) return forms[1] ?? syntax;
  return forms.find((form) => texts !== null && readsCalls(form, texts, [textCall])) ?? first;
}

/** Returns what is around a text with characters of markup, besides the marks of every value; null where there is nothing. */
function textMarksIn(texts: string, body: TaggedBody): NonNullable<TaggedBody["textMarks"]> | null {
  const value = String(textCall.arguments["qxke"]);
  const at = texts.indexOf(value);
  const before = texts.slice(0, Math.max(0, at));
  const [valueEnd = ""] = splitPieces(body.valueClose);
  const keyEnd = body.valueType?.after ?? markText(body.keyClose);
  const from = before.lastIndexOf(keyEnd);
  const rest = texts.slice(at + value.length);
  const open = before.slice(from + keyEnd.length).trim();
  const close = rest.slice(0, Math.max(0, rest.indexOf(valueEnd))).trim();
  return at < 0 || from < 0 || open === "" || close === "" ? null : { open, close };
}
