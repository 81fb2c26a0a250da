/** Reads the right-hand side of a GBNF rule, in the notation that gbnf.ts and the parts of a call write. */

export type Expression =
  /** Matches these code points, one after the other. */
  | { readonly kind: "text"; readonly points: readonly number[] }
  /** Matches one code point: `ranges` are pairs of the lowest and the highest. */
  | { readonly kind: "class"; readonly ranges: readonly number[]; readonly negated: boolean }
  | { readonly kind: "rule"; readonly name: string }
  | { readonly kind: "sequence"; readonly parts: readonly Expression[] }
  | { readonly kind: "choice"; readonly parts: readonly Expression[] }
  | {
      readonly kind: "repeat";
      readonly part: Expression;
      readonly min: number;
      /** null: no limit. */
      readonly max: number | null;
    };

const lexeme =
  /\s*(?:("(?:\\.|[^"\\])*")|(\[(?:\\.|[^\]\\])*\])|([a-zA-Z][a-zA-Z0-9-]*)|([()|.])|([*+?]|\{\d+(?:,\d*)?\}))/suy;

/** Thrown where a grammar is written in another notation, or is too wide to be followed. */
export class CannotFollow extends Error {}

/** Thrown where more stacks than the limit are open. */
export class TooWide extends CannotFollow {}

/** @throws CannotFollow for text in another notation */
export function readExpression(text: string): Expression {
  const lexemes: RegExpExecArray[] = [];
  const end = text.trimEnd().length;
  lexeme.lastIndex = 0;
  while (lexeme.lastIndex < end) {
    const at = lexeme.lastIndex;
    const found = lexeme.exec(text);
    if (found === null) throw new CannotFollow(`no expression of a grammar: ${text.slice(at, at + 40)}`);
    lexemes.push(found);
  }
  const reader = { lexemes, at: 0 };
  const expression = readChoice(reader);
  if (reader.at < lexemes.length) throw new CannotFollow("a bracket of a grammar has no beginning");
  return expression;
}

interface Reader {
  readonly lexemes: readonly RegExpExecArray[];
  at: number;
}

function readChoice(reader: Reader): Expression {
  const parts = [readSequence(reader)];
  while (reader.lexemes[reader.at]?.[4] === "|") {
    reader.at += 1;
    parts.push(readSequence(reader));
  }
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { kind: "choice", parts };
}

function readSequence(reader: Reader): Expression {
  const parts: Expression[] = [];
  for (;;) {
    let part = readOne(reader);
    if (part === null) break;
    for (
      let mark = reader.lexemes[reader.at]?.[5];
      mark !== undefined;
      mark = reader.lexemes[reader.at]?.[5]
    ) {
      part = repeated(part, mark);
      reader.at += 1;
    }
    parts.push(part);
  }
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { kind: "sequence", parts };
}

function readOne(reader: Reader): Expression | null {
  const found = reader.lexemes[reader.at];
  if (found === undefined) return null;
  const [, literal, characters, name, sign] = found;
  if (sign === "|" || sign === ")") return null;
  reader.at += 1;
  if (literal !== undefined) return { kind: "text", points: readPoints(literal.slice(1, -1)) };
  if (characters !== undefined) return readClass(characters);
  if (name !== undefined) return { kind: "rule", name };
  if (sign === ".") return { kind: "class", ranges: [], negated: true };
  if (sign !== "(") throw new CannotFollow("a grammar repeats nothing");
  const inner = readChoice(reader);
  if (reader.lexemes[reader.at]?.[4] !== ")") throw new CannotFollow("a bracket of a grammar has no end");
  reader.at += 1;
  return inner;
}

function repeated(part: Expression, mark: string): Expression {
  if (mark === "*") return { kind: "repeat", part, min: 0, max: null };
  if (mark === "+") return { kind: "repeat", part, min: 1, max: null };
  if (mark === "?") return { kind: "repeat", part, min: 0, max: 1 };
  const [min = "0", max] = mark.slice(1, -1).split(",");
  return {
    kind: "repeat",
    part,
    min: Number(min),
    max: max === undefined ? Number(min) : max === "" ? null : Number(max),
  };
}

function readClass(source: string): Expression {
  const negated = source.startsWith("[^");
  const written = [...source.slice(negated ? 2 : 1, -1).matchAll(character)].map(([text]) => text);
  const ranges: number[] = [];
  for (let at = 0; at < written.length; at += 1) {
    const low = readPoint(written[at] ?? "");
    const isRange = written[at + 1] === "-" && at + 2 < written.length;
    ranges.push(low, isRange ? readPoint(written[at + 2] ?? "") : low);
    if (isRange) at += 2;
  }
  return { kind: "class", ranges, negated };
}

const character = /\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}|\\.|[^\\]/gsu;
const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

function readPoints(source: string): readonly number[] {
  return [...source.matchAll(character)].map(([text]) => readPoint(text));
}

function readPoint(written: string): number {
  if (!written.startsWith("\\")) return written.codePointAt(0) ?? 0;
  if (written.length > 2) return Number.parseInt(written.slice(2), 16);
  const escaped = written.slice(1);
  return (escapes[escaped] ?? escaped).codePointAt(0) ?? 0;
}
