/**
 * Describes, as data, how a family of models writes tool calls. The parser, the grammar and the rendered conversation share one
 * description.
 *
 * A mark is a list of pieces. A piece of white space only is layout: it is written, but any white space, or none, is accepted when
 * read.
 */

export type Mark = readonly string[];

/** `{"name": ..., "arguments": {...}}`, the keys in any order when read. */
export interface EnvelopeBody {
  readonly type: "envelope";
  readonly nameKey: string;
  readonly argumentsKey: string;
  /** Other names of the two keys that are accepted when read. */
  readonly alsoRead?: { readonly name?: readonly string[]; readonly arguments?: readonly string[] };
  /** Members that are written before the name, with a trailing comma. */
  readonly before?: string;
  /** Other keys that are accepted; absent: any. */
  readonly otherKeys?: readonly string[];
  /** Whether `name(key="value")` is also accepted, with literals only. */
  readonly python?: boolean;
}

/** The bare name, a mark, and the arguments as a JSON object. */
export interface BareNameBody {
  readonly type: "bare-name";
  readonly afterName: Mark;
  /** An optional id or number between the name and `afterName`: its mark, and its characters as a GBNF class. */
  readonly idAfterName?: { readonly mark: string; readonly characters: string };
}

/** The bare name, a mark, and each argument between its own marks; strings are written verbatim, other values as JSON. */
export interface TaggedBody {
  readonly type: "tagged";
  readonly afterName: Mark;
  readonly keyOpen: string;
  readonly keyClose: Mark;
  /** Written around a value; one is removed from each side when read. */
  readonly padding: "" | "\n";
  readonly valueClose: Mark;
}

export interface CallSyntax {
  /** Marks around all calls of an answer; absent: there is no section. */
  readonly section?: { readonly open: Mark; readonly close: Mark };
  /** Written between two calls. */
  readonly between: Mark;
  /** Before the name, or before the envelope. */
  readonly before: Mark;
  readonly body: EnvelopeBody | BareNameBody | TaggedBody;
  /** Ends the call. Optional when read: many models end their turn instead. */
  readonly after: Mark;
  /** The token that ends a call also ends the turn: the grammar omits `after`, and a turn has one call. */
  readonly endsTurn?: boolean;
  /** A call only if it is the whole answer. */
  readonly wholeAnswer?: boolean;
  /** Text that distinguishes a call from an ordinary answer, where the first piece does not. */
  readonly opening?: string;
  /** Optional text before a forced call. */
  readonly preface?: string;
}

/** Returns a mark as it is written. */
export function markText(mark: Mark): string {
  return mark.join("");
}

/** Returns the pieces of a mark that are required when read. */
export function piecesOf(mark: Mark): readonly string[] {
  return mark.filter((piece) => piece.trim() !== "").map((piece) => piece.trim());
}

/** Returns the pieces that start a call. */
export function openingPieces(syntax: CallSyntax): readonly string[] {
  if (syntax.opening !== undefined) return [syntax.opening];
  const pieces = [...piecesOf(syntax.section?.open ?? []), ...piecesOf(syntax.before)];
  if (pieces.length > 0) return pieces.slice(0, 1);
  return textBeforeName(syntax).match(/"[^"]+"|[{:,]/g) ?? [];
}

/** Returns the text before the name of the first call, including an opening quotation mark. */
export function textBeforeFirstName(syntax: CallSyntax): string {
  return markText(syntax.section?.open ?? []) + textBeforeName(syntax);
}

/** Returns the text before the name of a further call. */
export function textBeforeName({ before, body }: CallSyntax): string {
  if (body.type !== "envelope") return markText(before);
  return `${markText(before)}{${body.before ?? ""}"${body.nameKey}": "`;
}

/** Returns the text from the name of a call up to its arguments: the name, and the text after it. */
export function nameText(body: CallSyntax["body"], name: string): readonly [string, string] {
  if (body.type !== "envelope") return [name, markText(body.afterName)];
  return [JSON.stringify(name).slice(1), `, "${body.argumentsKey}": `];
}
