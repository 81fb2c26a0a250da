/**
 * Describes, as data, how a family of models writes tool calls. The parser, the grammar and the rendered conversation share one
 * description.
 *
 * A mark is a list of pieces. A piece of white space only is layout: it is written, but any white space, or none, is accepted when
 * read.
 */

export type CallMark = readonly string[];

/** `{"name": ..., "arguments": {...}}`, the keys in any order when read. */
export interface EnvelopeBody {
  readonly type: "envelope";
  readonly nameKey: string;
  readonly argumentsKey: string;
  /** Other names of the two keys that are accepted when read. */
  readonly alsoRead?: { readonly name?: readonly string[]; readonly arguments?: readonly string[] };
  /** Members that are written before the name, with a trailing comma. */
  readonly before?: string;
  /** Members that a model may also write. */
  readonly members?: readonly EnvelopeMember[];
  /** The key of the object that contains both members, where they are not in the outer one. */
  readonly wrapper?: string;
  /** Keys whose value may be a list of such envelopes, read in place of one. */
  readonly listKeys?: readonly string[];
  readonly argumentsFirst?: boolean;
  /** Whether models also write the arguments as a JSON text, which is a string. */
  readonly argumentsMayBeText?: boolean;
  /** Other keys that are accepted; absent: any. */
  readonly otherKeys?: readonly string[];
  /** Whether `name(key="value")` is also accepted, with literals only. */
  readonly python?: boolean;
}

/** A member of an envelope besides the name and the arguments, such as an id. */
export interface EnvelopeMember {
  readonly key: string;
  /** Whether it is next to the wrapper instead of inside. */
  readonly outer?: boolean;
  readonly place: "first" | "between" | "last";
  /** Its value as JSON, where it is always the same; absent: a short text or a number. */
  readonly value?: string;
}

/** The bare name, a mark, and the arguments as a JSON object. */
export interface BareNameBody {
  readonly type: "bare-name";
  readonly afterName: CallMark;
  /** Other marks between the name and the arguments that a grammar accepts. */
  readonly alsoAfterName?: readonly CallMark[];
  /** An optional id or number between the name and `afterName`. */
  readonly idAfterName?: IdAfterName;
}

interface IdAfterName {
  readonly mark: string;
  /** Its characters as a GBNF class without brackets. */
  readonly characters: string;
}

/** The bare name, a mark, and each argument between its own marks; strings are written verbatim, other values as literals. */
export interface TaggedBody {
  readonly type: "tagged";
  readonly afterName: CallMark;
  /** See BareNameBody. */
  readonly idAfterName?: IdAfterName;
  readonly keyOpen: string;
  readonly keyClose: CallMark;
  /** The part of `keyClose` that shows the type of a value, where one does. */
  readonly valueType?: ValueType;
  /** Written around a value; one is removed from each side when read. */
  readonly padding: "" | "\n";
  /** May have the key in it, in place of `keyPlace`: `<key>value</key>`. */
  readonly valueClose: CallMark;
  /** Whether values that are no strings are Python literals instead of JSON. */
  readonly python?: boolean;
  /** Whether strings are written as JSON, too. */
  readonly quoted?: boolean;
  /** Marks that may be around a string, inside the marks of the value. */
  readonly textMarks?: { readonly open: string; readonly close: string };
}

/** Stands for the key of an argument in what ends its value. */
export const keyPlace = "\u0002";

/** Words between two texts: one for a string, and one for another value. */
export interface ValueType {
  readonly before: string;
  readonly string: string;
  readonly other: string;
  readonly after: string;
}

/** The bare name, and arguments in brackets as in a programming language: `name(key="value")` or `name{key:value}`. */
export interface NotationBody {
  readonly type: "notation";
  readonly open: string;
  readonly close: string;
  /** Between a key and its value. */
  readonly assign: string;
  readonly separator: string;
  /** Around a string. */
  readonly quote: string;
  /** Whether strings have escapes; if not, the text between the quotes is the value. */
  readonly escapes: boolean;
  /** How values inside lists and objects are written: with the same marks, or as JSON or Python literals. */
  readonly nested: "same" | "json" | "python";
  /** Whether `true`, `false` and `null` are Python's, outside of lists and objects. */
  readonly pythonWords: boolean;
}

export type CallBody = EnvelopeBody | BareNameBody | TaggedBody | NotationBody;

export interface CallSyntax {
  /** Marks around all calls of an answer; absent: there is no section. */
  readonly section?: { readonly open: CallMark; readonly close: CallMark };
  /** Written between two calls. */
  readonly between: CallMark;
  /** Before the name, or before the envelope. */
  readonly before: CallMark;
  /** Follows an id or a number of the call, which is written between `before` and the name. */
  readonly afterId?: CallMark;
  readonly body: CallBody;
  /** Ends the call. Optional when read: many models end their turn instead. */
  readonly after: CallMark;
  /** Marks that some templates write after the last call, and that are no text. */
  readonly turnEnd?: CallMark;
  /** The token that ends a call also ends the turn: the grammar omits `after`, and a turn has one call. */
  readonly endsTurn?: boolean;
  /** A call only if it is the whole answer. */
  readonly wholeAnswer?: boolean;
  /** The prompt ends with the mark before a call, and the answer begins after it. */
  readonly promptEnd?: string;
  /** Text that distinguishes a call from an ordinary answer, where the first piece does not. */
  readonly opening?: string;
  /** Optional text before a forced call. */
  readonly preface?: string;
}

/** Returns a mark as it is written. */
export function markText(mark: CallMark): string {
  return mark.join("");
}

/** Returns the pieces of a mark that are required when read. */
export function splitPieces(mark: CallMark): readonly string[] {
  return mark.filter((piece) => piece.trim() !== "").map((piece) => piece.trim());
}

/** The texts that end a value and the arguments of a tagged body, each with the further pieces of its mark. */
interface TaggedEnds {
  readonly value: readonly string[];
  readonly call: readonly string[];
}

/** Returns the ends of a tagged body: the first pieces of the two marks; up to white space where these are the same. */
export function taggedEnds({ valueClose }: TaggedBody, after: CallMark): TaggedEnds {
  const value = splitPieces(valueClose);
  const call = splitPieces(after);
  return value[0] === call[0]
    ? { value: joinedStart(valueClose), call: joinedStart(after) }
    : { value, call };
}

/** Returns the pieces of a mark, those before the first white space as one. */
function joinedStart(mark: CallMark): readonly string[] {
  const at = mark.findIndex((piece) => piece.trim() === "");
  const first = (at < 0 ? mark : mark.slice(0, at)).join("");
  return [first, ...(at < 0 ? [] : splitPieces(mark.slice(at)))];
}

/** Returns a text with the key in its place. */
export function withKey(text: string, key: string): string {
  return text.replaceAll(keyPlace, key);
}

/** Returns all pieces that are written before the name or the id of the first call. */
export function fixedPieces({ opening, section, before }: CallSyntax): readonly string[] {
  if (opening !== undefined) return [opening];
  return [...splitPieces(section?.open ?? []), ...splitPieces(before)];
}

/** Returns the pieces that start a call. */
export function openingPieces(syntax: CallSyntax): readonly string[] {
  const { opening, section, before, body, wholeAnswer } = syntax;
  if (opening !== undefined) return [opening];
  const pieces = [...splitPieces(section?.open ?? []), ...splitPieces(before)];
  if (wholeAnswer !== true) return pieces.slice(0, 1);
  if (body.type !== "envelope") return pieces;
  return [...pieces, ...(envelopeStart(body).match(/"[^"]+"|[{:,]/g) ?? [])];
}

function envelopeStart({ before, wrapper, argumentsFirst, argumentsKey, nameKey }: EnvelopeBody): string {
  const inner = `{${before ?? ""}"${argumentsFirst === true ? argumentsKey : nameKey}": `;
  return wrapper === undefined ? inner : `{"${wrapper}": ${inner}`;
}
