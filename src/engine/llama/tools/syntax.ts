/**
 * How a family of models writes tool calls, as data. One description serves the parser, the grammar and the written history.
 *
 * A mark is a list of pieces. Pieces of nothing but white space are layout: they are written, but where they stand any white
 * space, or none, is read.
 */

export type Mark = readonly string[];

/** `{"name": ..., "arguments": {...}}`, the keys in any order when read. */
export interface EnvelopeBody {
  readonly type: "envelope";
  readonly nameKey: string;
  readonly argumentsKey: string;
  /** Other spellings of the two keys that are read. */
  readonly alsoRead?: { readonly name?: readonly string[]; readonly arguments?: readonly string[] };
  /** Members that are written before the name, with a comma behind. */
  readonly before?: string;
  /** Keys that may stand beside; absent: any. */
  readonly otherKeys?: readonly string[];
  /** `name(key="value")` is read as well, literals only. */
  readonly python?: boolean;
}

/** The bare name, a mark, and the arguments as a JSON object. */
export interface NamedBody {
  readonly type: "named";
  readonly afterName: Mark;
  /** What may stand between the name and `afterName`, an id or a number: its mark, and its characters as a GBNF class. */
  readonly aside?: { readonly mark: string; readonly characters: string };
}

/** The bare name, a mark, and each argument between marks of its own; text is written as it is, all else as JSON. */
export interface TaggedBody {
  readonly type: "tagged";
  readonly afterName: Mark;
  readonly keyOpen: string;
  readonly keyClose: Mark;
  /** Around a value, written; one is taken off each side when read. */
  readonly padding: "" | "\n";
  readonly valueClose: Mark;
}

export interface CallSyntax {
  /** Around all calls of an answer; absent: every call stands for itself. */
  readonly section?: { readonly open: Mark; readonly close: Mark };
  /** What stands between two calls. */
  readonly between: Mark;
  /** Before the name, or before the envelope. */
  readonly before: Mark;
  readonly body: EnvelopeBody | NamedBody | TaggedBody;
  /** Ends the call. May be missing when read: many models end their turn instead. */
  readonly after: Mark;
  /** The token that ends a call also ends the turn, so the grammar leaves `after` out and there is one call a turn. */
  readonly endsTurn?: boolean;
  /** Only as the whole answer. */
  readonly wholeAnswer?: boolean;
  /** What tells a call from an ordinary answer, where the first piece does not. */
  readonly opening?: string;
  /** May stand before a forced call. */
  readonly preface?: string;
}

/** A mark as it is written. */
export function written(mark: Mark): string {
  return mark.join("");
}

/** The pieces of a mark that are read. */
export function piecesOf(mark: Mark): readonly string[] {
  return mark.filter((piece) => piece.trim() !== "").map((piece) => piece.trim());
}

/** The pieces that begin a call. */
export function openingOf(syntax: CallSyntax): readonly string[] {
  if (syntax.opening !== undefined) return [syntax.opening];
  const pieces = [...piecesOf(syntax.section?.open ?? []), ...piecesOf(syntax.before)];
  if (pieces.length > 0) return pieces.slice(0, 1);
  return itemLead(syntax).match(/"[^"]+"|[{:,]/g) ?? [];
}

/** What is written before the name of the first call, its quotation mark included where it has one. */
export function leadOf(syntax: CallSyntax): string {
  return written(syntax.section?.open ?? []) + itemLead(syntax);
}

/** What is written before the name of any call. */
export function itemLead({ before, body }: CallSyntax): string {
  if (body.type !== "envelope") return written(before);
  return `${written(before)}{${body.before ?? ""}"${body.nameKey}": "`;
}

/** What is written from the name of a call on to its arguments: the name, and what follows it. */
export function nameText(body: CallSyntax["body"], name: string): readonly [string, string] {
  if (body.type !== "envelope") return [name, written(body.afterName)];
  return [JSON.stringify(name).slice(1), `, "${body.argumentsKey}": `];
}
