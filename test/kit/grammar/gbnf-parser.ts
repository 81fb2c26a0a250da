/** A parser of GBNF, the grammar language of llama.cpp. */

export type Expression =
  | {
      readonly kind: "class";
      readonly ranges: readonly (readonly [number, number])[];
      readonly negated: boolean;
    }
  | { readonly kind: "rule"; readonly name: string }
  | { readonly kind: "sequence"; readonly parts: readonly Expression[] }
  | { readonly kind: "choice"; readonly parts: readonly Expression[] }
  | {
      readonly kind: "repeat";
      readonly part: Expression;
      readonly min: number;
      /** null: no upper bound. */
      readonly max: number | null;
    };

export interface Gbnf {
  readonly rules: ReadonlyMap<string, Expression>;
}

/** Parses GBNF. @throws Error for malformed text, an undefined rule, or a missing root rule */
export function parseGbnf(text: string): Gbnf {
  const rules = new Map<string, Expression>();
  const reader = readerOf(text);
  while (!reader.atEnd()) {
    const name = reader.take(/[a-zA-Z0-9-]+/y, "the name of a rule");
    reader.take(/::=/y, "::=");
    if (rules.has(name)) throw new Error(`the rule ${name} is defined twice`);
    rules.set(name, readChoice(reader));
  }
  if (!rules.has("root")) throw new Error("there is no rule named root");
  for (const expression of rules.values()) checkNames(expression, rules);
  return { rules };
}

interface Reader {
  atEnd(): boolean;
  /** Returns whether the text continues with this pattern. */
  sees(pattern: RegExp): boolean;
  /**
   * Consumes and returns the text that the pattern matches here, and skips white space and comments after it.
   */
  take(pattern: RegExp, wanted: string): string;
}

function readerOf(text: string): Reader {
  let at = 0;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  const skip = (): void => {
    at += match(/(?:\s|#[^\n]*)*/y)?.length ?? 0;
  };
  skip();
  return {
    atEnd: () => at >= text.length,
    sees: (pattern) => match(pattern) !== undefined,
    take(pattern, wanted) {
      const found = match(pattern);
      if (found === undefined)
        throw new Error(`expected ${wanted} at ${at}: ${JSON.stringify(text.slice(at, at + 40))}`);
      at += found.length;
      skip();
      return found;
    },
  };
}

function readChoice(reader: Reader): Expression {
  const parts = [readSequence(reader)];
  while (reader.sees(/\|/y)) {
    reader.take(/\|/y, "|");
    parts.push(readSequence(reader));
  }
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { kind: "choice", parts };
}

function readSequence(reader: Reader): Expression {
  const parts: Expression[] = [];
  while (reader.sees(/["[(.a-zA-Z0-9]/y) && !reader.sees(/[a-zA-Z0-9-]+\s*::=/y))
    parts.push(readRepeated(reader));
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { kind: "sequence", parts };
}

function readRepeated(reader: Reader): Expression {
  let part = readOne(reader);
  while (reader.sees(/[*+?{]/y)) {
    const mark = reader.take(/[*+?]|\{\s*\d+\s*(?:,\s*\d*\s*)?\}/y, "a repetition");
    const [min = "0", max] = mark.startsWith("{") ? mark.slice(1, -1).split(",") : [];
    if (mark === "*") part = { kind: "repeat", part, min: 0, max: null };
    else if (mark === "+") part = { kind: "repeat", part, min: 1, max: null };
    else if (mark === "?") part = { kind: "repeat", part, min: 0, max: 1 };
    else if (max === undefined) part = { kind: "repeat", part, min: Number(min), max: Number(min) };
    else part = { kind: "repeat", part, min: Number(min), max: max.trim() === "" ? null : Number(max) };
  }
  return part;
}

function readOne(reader: Reader): Expression {
  if (reader.sees(/\(/y)) {
    reader.take(/\(/y, "(");
    const inner = readChoice(reader);
    reader.take(/\)/y, ")");
    return inner;
  }
  if (reader.sees(/\./y)) {
    reader.take(/\./y, ".");
    return { kind: "class", ranges: [], negated: true };
  }
  if (reader.sees(/"/y)) {
    const points = pointsOf(reader.take(/"(?:\\.|[^"\\])*"/suy, "a literal").slice(1, -1));
    return { kind: "sequence", parts: points.map(({ point }) => single(point)) };
  }
  if (reader.sees(/\[/y)) return readClass(reader.take(/\[(?:\\.|[^\]\\])*\]/suy, "a class"));
  return { kind: "rule", name: reader.take(/[a-zA-Z0-9-]+/y, "a rule") };
}

function single(point: number): Expression {
  return { kind: "class", ranges: [[point, point]], negated: false };
}

function readClass(source: string): Expression {
  const negated = source.startsWith("[^");
  const points = pointsOf(source.slice(negated ? 2 : 1, -1));
  const ranges: (readonly [number, number])[] = [];
  for (let at = 0; at < points.length; at += 1) {
    const from = points[at];
    const dash = points[at + 1];
    const to = points[at + 2];
    if (from === undefined) break;
    if (dash?.text === "-" && to !== undefined) {
      ranges.push([from.point, to.point]);
      at += 2;
    } else ranges.push([from.point, from.point]);
  }
  return { kind: "class", ranges, negated };
}

interface Point {
  readonly point: number;
  /** The character or escape as written. */
  readonly text: string;
}

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

function pointsOf(source: string): Point[] {
  const points: Point[] = [];
  const written = /\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}|\\.|[^\\]/gsu;
  for (const [text] of source.matchAll(written)) {
    const [, kind = ""] = text;
    if (!text.startsWith("\\")) points.push({ point: text.codePointAt(0) ?? 0, text });
    else if (text.length > 2) points.push({ point: Number.parseInt(text.slice(2), 16), text });
    else if (kind in escapes || /[\\"[\]-]/.test(kind))
      points.push({ point: (escapes[kind] ?? kind).codePointAt(0) ?? 0, text });
    else throw new Error(`${text} is not an escape of GBNF`);
  }
  return points;
}

function checkNames(expression: Expression, rules: Gbnf["rules"]): void {
  if (expression.kind === "rule" && !rules.has(expression.name))
    throw new Error(`the rule ${expression.name} is not defined`);
  if (expression.kind === "repeat") checkNames(expression.part, rules);
  if (expression.kind === "choice" || expression.kind === "sequence")
    for (const part of expression.parts) checkNames(part, rules);
}
