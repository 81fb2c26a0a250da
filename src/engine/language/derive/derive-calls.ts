/**
 * Derives from a chat template how its model writes calls: renders conversations with unique names and values, and compares the texts.
 * What stands before, between and after the names and values is the syntax. The result is used only if the parser reads the rendered
 * calls with it as they were. A generator, which yields what is to be rendered and receives its text, or null where the template refuses it.
 */
import { isDeepStrictEqual } from "node:util";
import type { DerivedCalls } from "../tools/derived.js";
import { type CallSyntax, markText, splitPieces, type TaggedBody } from "../tools/syntax.js";
import {
  callsProbe,
  marker,
  textCall,
  twoCalls,
  valueCall,
  type ProbeForm,
  type ProbeCall,
  probeTools,
} from "./probes.js";
import { buildSyntax } from "./build-syntax.js";
import { callsIn, type Deriving, type TurnTexts } from "./turn.js";
import { createParser, readAnswer } from "../tools/parse.js";
import { Output, type ToolEvent } from "../tools/parse/output.js";

/** Forms of a turn with calls, in the order in which they are tried. */
const forms: readonly ProbeForm[] = [false, true].flatMap((withResults) => [
  { argumentsAsText: false, content: "", withResults },
  { argumentsAsText: true, content: "", withResults },
  { argumentsAsText: true, content: null, withResults },
  { argumentsAsText: false, content: null, withResults },
  { argumentsAsText: false, content: "", ids: "numbered" as const, withResults },
]);

/** Returns how calls are written; `hidden` where the template leaves them out, null where the form is not recognised. */
export function* deriveCalls(
  turn: TurnTexts,
  endTexts: readonly string[],
): Deriving<DerivedCalls | "hidden" | null> {
  const seen = new Set<string>();
  let shown = false;
  for (const form of forms) {
    for (const calls of [twoCalls, twoCalls.slice(0, 1)]) {
      const text = yield callsProbe(calls, form);
      // A form that changes nothing need not be tried with one call.
      if (text === null || seen.has(text)) continue;
      seen.add(text);
      const region: string | null = callsIn(text, turn, { name: "qx_", endTexts });
      if (region === null) continue;
      shown = true;
      const syntax = readable(region, calls) ?? readableAfterPrompt(region, calls, turn);
      if (syntax !== null) return yield* complete(syntax, form, turn, endTexts, calls.length === 1);
      // A form that shows both calls is not understood better by one.
      if (region.includes(twoCalls[1].name)) break;
    }
  }
  return shown ? null : "hidden";
}

/** Returns the syntax of calls, if its parser reads them back. */
function readable(region: string, calls: readonly ProbeCall[], promptEnd?: string): CallSyntax | null {
  const found = buildSyntax(region, calls, promptEnd);
  const written = region.trimEnd();
  if (found === null) return null;
  const { syntax, turnEnd } = found;
  return readsCalls(syntax, written.slice(0, written.length - turnEnd.length), calls) ? syntax : null;
}

/** The same where the prompt ends with the mark before the first call: what is before the second one shows it. */
function readableAfterPrompt(
  region: string,
  calls: readonly ProbeCall[],
  turn: TurnTexts,
): CallSyntax | null {
  const [, promptEnd = ""] = /\s([^\p{L}\p{N}\s]{2,8})$/u.exec(turn.prompt) ?? [];
  const beforeSecond = region.slice(0, Math.max(0, region.indexOf(calls[1]?.name ?? "")));
  if (promptEnd === "" || !beforeSecond.endsWith(promptEnd)) return null;
  return readable(promptEnd + region, calls, promptEnd);
}

function* complete(
  found: CallSyntax,
  form: ProbeForm,
  turn: TurnTexts,
  endTexts: readonly string[],
  oneCall: boolean,
): Deriving<DerivedCalls> {
  const separatesText = yield* needsSeparateText(twoCalls.slice(0, oneCall ? 1 : 2), form);
  const long = form.ids === undefined ? yield callsProbe(twoCalls.slice(0, 1), { ...form, ids: "long" }) : "";
  let syntax = found;
  if (found.body.type === "tagged" || found.body.type === "notation") {
    const findRegion = function* (call: ProbeCall): Deriving<string | null> {
      const text = yield callsProbe([call], form);
      return text === null ? null : callsIn(text, turn, { name: "qx_", endTexts });
    };
    syntax = valueForms(found, yield* findRegion(valueCall), yield* findRegion(textCall));
  }
  const ids = form.ids === "numbered" ? "numbered" : long === null ? "nine" : null;
  return {
    syntax,
    argumentsAsText: form.argumentsAsText,
    emptyContent: form.content === null,
    oneCall,
    separatesText,
    ids: ids ?? undefined,
    textOpening: found.promptEnd === undefined ? undefined : turn.header.slice(turn.prompt.length),
  };
}

/** Returns whether the template leaves out the text of a turn with calls, and writes it as a turn of its own. */
function* needsSeparateText(calls: readonly ProbeCall[], form: ProbeForm): Deriving<boolean> {
  const joint = yield callsProbe(calls, { ...form, content: marker.text });
  if (joint !== null && hasTextAndCalls(joint)) return false;
  const probe = callsProbe(calls, form);
  const [user = {}, ...turns] = probe.messages;
  const messages = [user, { role: "assistant", content: marker.text }, ...turns];
  const separate = yield { ...probe, messages };
  return separate !== null && hasTextAndCalls(separate);
}

function hasTextAndCalls(text: string): boolean {
  const at = text.lastIndexOf(marker.text);
  return at >= 0 && text.indexOf(twoCalls[0].name, at) >= 0;
}

/**
 * Returns the syntax with the form of values that the template has written.
 * @param values a call with values of each type; null where the template refuses it
 * @param texts the same with a text that needs escapes
 */
function valueForms(syntax: CallSyntax, values: string | null, texts: string | null): CallSyntax {
  const { body } = syntax;
  if (body.type !== "tagged" && body.type !== "notation") return syntax;
  const writesPython = values !== null && values.includes("False");
  if (body.type === "tagged") {
    const marks = texts === null ? null : textMarksIn(texts, body);
    const changed = {
      ...body,
      python: writesPython,
      textMarks: marks ?? undefined,
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

/** Returns whether a text is read as exactly these calls, with no text around them. */
function readsCalls(syntax: CallSyntax, text: string, calls: readonly ProbeCall[]): boolean {
  const parser = createParser(new Output(probeTools), readAnswer([syntax]));
  const events = [...parser.push(text.trim()), ...parser.finish()];
  if (events.some(({ type }) => type === "text" || type === "call-broken")) return false;
  const read = calls.map((_, index) => callAt(events, index));
  const starts = events.filter(({ type }) => type === "call-start").length;
  const expected = calls.map((call) => ({ name: call.name, arguments: call.arguments }));
  return starts === calls.length && isDeepStrictEqual(read, expected);
}

function callAt(events: readonly ToolEvent[], index: number): unknown {
  const own = events.filter((event) => "index" in event && event.index === index);
  const name = own.flatMap((event) => (event.type === "call-start" ? [event.name] : []))[0];
  const written = own.flatMap((event) => (event.type === "call-delta" ? [event.arguments] : [])).join("");
  return own.at(-1)?.type === "call-end" ? { name, arguments: JSON.parse(written) as unknown } : null;
}
