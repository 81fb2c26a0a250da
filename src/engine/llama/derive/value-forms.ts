/** Derives how a syntax writes values that are not in one JSON object. */
import type { CallSyntax } from "../tools/syntax.js";
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
  if (body.type === "tagged") return writesPython ? { ...syntax, body: { ...body, python: true } } : syntax;
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
