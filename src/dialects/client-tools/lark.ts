/**
 * Converts a Lark grammar to a regular expression. Grammars with rules that contain themselves have none, and neither have those that
 * use `%ignore`, templates, look-around or terminals of other libraries than `common`. Pure.
 */

/** Limits of a pattern: rules that are used many times are written out many times. */
const patternCharsMax = 20_000;
const grammarCharsMax = 100_000;
const depthMax = 100;

/** Terminals of Lark's library `common`. */
const commonTerminals: Readonly<Record<string, string>> = {
  CR: String.raw`\r`,
  LF: String.raw`\n`,
  NEWLINE: String.raw`(?:\r?\n)+`,
  WS: String.raw`[ \t\f\r\n]+`,
  WS_INLINE: String.raw`[ \t]+`,
  DIGIT: "[0-9]",
  HEXDIGIT: "[a-fA-F0-9]",
  INT: "[0-9]+",
  SIGNED_INT: String.raw`[+\-]?[0-9]+`,
  DECIMAL: String.raw`(?:[0-9]+\.[0-9]*|\.[0-9]+)`,
  FLOAT: String.raw`(?:[0-9]+[eE][+\-]?[0-9]+|(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+\-]?[0-9]+)?)`,
  NUMBER: String.raw`(?:[0-9]+|[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+\-]?[0-9]+)?`,
  SIGNED_NUMBER: String.raw`[+\-]?(?:[0-9]+|[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+\-]?[0-9]+)?`,
  LCASE_LETTER: "[a-z]",
  UCASE_LETTER: "[A-Z]",
  LETTER: "[a-zA-Z]",
  WORD: "[a-zA-Z]+",
  CNAME: "[_a-zA-Z][_a-zA-Z0-9]*",
  ESCAPED_STRING: String.raw`"(?:[^"\\\n]|\\.)*"`,
};

class NotRegular extends Error {}

/** Returns a pattern of the texts that a grammar allows, without anchors; null if it has none. */
export function patternOfLark(grammar: string): string | null {
  const tokens = grammar.length > grammarCharsMax ? null : larkTokens(grammar);
  if (tokens === null) return null;
  try {
    const converter = new Converter(readStatements(tokens));
    return converter.rule("start");
  } catch (thrown) {
    if (thrown instanceof NotRegular) return null;
    throw thrown;
  }
}

type Rules = ReadonlyMap<string, readonly LarkToken[]>;

/** Returns the tokens of each rule's right side. Imported terminals are rules with one regular expression. */
function readStatements(tokens: readonly LarkToken[]): Rules {
  const rules = new Map<string, readonly LarkToken[]>();
  for (const line of splitLines(tokens)) {
    const [first, second] = line;
    if (first?.type === "directive") {
      if (first.text !== "import") throw new NotRegular();
      for (const [name, pattern] of readImports(line.slice(1)))
        rules.set(name, [{ type: "regex", text: pattern, flags: "" }]);
      continue;
    }
    const head = isOperator(first, "?") || isOperator(first, "!") ? 1 : 0;
    const name = head === 0 ? first : second;
    if (name?.type !== "name" || !isOperator(line[head + 1], ":")) throw new NotRegular();
    rules.set(name.text, line.slice(head + 2));
  }
  return rules;
}

function splitLines(tokens: readonly LarkToken[]): readonly (readonly LarkToken[])[] {
  const lines: LarkToken[][] = [[]];
  for (const token of tokens)
    if (token.type === "line-end") lines.push([]);
    else lines.at(-1)?.push(token);
  return lines.filter((line) => line.length > 0);
}

/** Reads `common.A`, `common.A -> B` and `common (A, B)`. */
function readImports(line: readonly LarkToken[]): readonly (readonly [string, string])[] {
  const names = line.flatMap((token) => (token.type === "name" ? [token.text] : []));
  const [library, ...imported] = names;
  if (library !== "common") throw new NotRegular();
  const [only = "", renamed] = imported;
  if (line.some((token) => isOperator(token, "->")) && renamed !== undefined)
    return [[renamed, commonTerminal(only)]];
  return imported.map((name) => [name, commonTerminal(name)] as const);
}

function commonTerminal(name: string): string {
  const pattern = Object.hasOwn(commonTerminals, name) ? commonTerminals[name] : undefined;
  if (pattern === undefined) throw new NotRegular();
  return pattern;
}

function isOperator(token: LarkToken | undefined, text: string): boolean {
  return token?.type === "operator" && token.text === text;
}

class Converter {
  readonly #rules: Rules;
  readonly #done = new Map<string, string>();
  readonly #open = new Set<string>();
  /** Rules and groups that are open. */
  #depth = 0;

  constructor(rules: Rules) {
    this.#rules = rules;
  }

  /** Returns the pattern of a rule. @throws NotRegular if it contains itself. */
  rule(name: string): string {
    const done = this.#done.get(name);
    if (done !== undefined) return done;
    const tokens = this.#rules.get(name);
    if (tokens === undefined || this.#open.has(name)) throw new NotRegular();
    this.#open.add(name);
    const reader = new Reader(tokens);
    const pattern = this.#alternatives(reader);
    if (reader.peek() !== undefined || pattern.length > patternCharsMax) throw new NotRegular();
    this.#open.delete(name);
    this.#done.set(name, pattern);
    return pattern;
  }

  #alternatives(reader: Reader): string {
    this.#depth += 1;
    if (this.#depth > depthMax) throw new NotRegular();
    const alternatives: string[] = [];
    let chars = 0;
    do {
      const alternative = this.#sequence(reader);
      chars += alternative.length;
      if (chars > patternCharsMax) throw new NotRegular();
      alternatives.push(alternative);
    } while (reader.take("|"));
    this.#depth -= 1;
    return alternatives.length === 1 ? (alternatives[0] ?? "") : `(?:${alternatives.join("|")})`;
  }

  #sequence(reader: Reader): string {
    let pattern = "";
    for (let token = reader.peek(); token !== undefined && !endsSequence(token); token = reader.peek()) {
      pattern += this.#repeated(reader);
      if (pattern.length > patternCharsMax) throw new NotRegular();
    }
    if (reader.take("->")) reader.next();
    return pattern;
  }

  #repeated(reader: Reader): string {
    const atom = this.#atom(reader);
    const token = reader.peek();
    for (const operator of ["?", "*", "+"]) if (reader.take(operator)) return `(?:${atom})${operator}`;
    if (token?.type !== "repeat") return atom;
    reader.next();
    return `(?:${atom}){${token.min},${token.max}}`;
  }

  #atom(reader: Reader): string {
    const token = reader.next();
    if (token?.type === "name") return this.rule(token.text);
    if (token?.type === "regex") return embedded(token.text, token.flags);
    if (token?.type === "string") return reader.take("..") ? range(token.text, reader) : literal(token);
    const closing = isOperator(token, "(") ? ")" : isOperator(token, "[") ? "]" : null;
    if (closing === null) throw new NotRegular();
    const inner = this.#alternatives(reader);
    if (!reader.take(closing)) throw new NotRegular();
    return closing === "]" ? `(?:${inner})?` : inner;
  }
}

class Reader {
  readonly #tokens: readonly LarkToken[];
  #at = 0;

  constructor(tokens: readonly LarkToken[]) {
    this.#tokens = tokens;
  }

  peek(): LarkToken | undefined {
    return this.#tokens[this.#at];
  }

  next(): LarkToken | undefined {
    return this.#tokens[this.#at++];
  }

  take(operator: string): boolean {
    if (!isOperator(this.peek(), operator)) return false;
    this.#at += 1;
    return true;
  }
}

function endsSequence(token: LarkToken): boolean {
  return ["|", ")", "]", "->"].some((operator) => isOperator(token, operator));
}

function range(from: string, reader: Reader): string {
  const to = reader.next();
  if (to?.type !== "string" || [...from].length !== 1 || [...to.text].length !== 1) throw new NotRegular();
  return `[${escaped(from)}-${escaped(to.text)}]`;
}

function literal({ text, ignoresCase }: { readonly text: string; readonly ignoresCase: boolean }): string {
  if (!ignoresCase) return escaped(text);
  return [...text]
    .map((char) => {
      const [lower, upper] = [char.toLowerCase(), char.toUpperCase()];
      return lower === upper ? escaped(char) : `[${escaped(lower)}${escaped(upper)}]`;
    })
    .join("");
}

/** Returns the pattern of a terminal. Flags and assertions have no equivalent inside another pattern. */
function embedded(pattern: string, flags: string): string {
  if (/[imsx]/.test(flags) || /\(\?(?![:])|\\[bBAZz1-9]/.test(pattern)) throw new NotRegular();
  return `(?:${pattern.replaceAll("\\/", "/")})`;
}

const controls: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f" };

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]|-|[\n\r\t\f]/g, (char) =>
    char === "-" ? "\\x2d" : (controls[char] ?? `\\${char}`),
  );
}

/** Splits the text of a Lark grammar into tokens. Pure. */

type LarkToken =
  | { readonly type: "name" | "operator" | "directive"; readonly text: string }
  | { readonly type: "string"; readonly text: string; readonly ignoresCase: boolean }
  | { readonly type: "regex"; readonly text: string; readonly flags: string }
  | { readonly type: "repeat"; readonly min: number; readonly max: number }
  | { readonly type: "line-end" };

interface TokenRule {
  readonly pattern: RegExp;
  /** Returns the token; null for what is not one. */
  readonly read: (groups: Readonly<Record<string, string | undefined>>) => LarkToken | null;
}

const rules: readonly TokenRule[] = [
  { pattern: /[ \t\r\f]+|(?:\/\/|#)[^\n]*/y, read: () => null },
  // Reads all empty lines and comments at once. A line that begins with `|` continues the rule before it.
  {
    pattern: /(?:\r?\n[ \t]*(?:(?:\/\/|#)[^\n]*)?)+(?:(?=(?<bar>\|))|)/y,
    read: ({ bar }) => (bar === undefined ? { type: "line-end" } : null),
  },
  {
    pattern: /"(?<text>(?:[^"\\\n]|\\.)*)"(?<flag>i?)/y,
    read: ({ text = "", flag }) => ({ type: "string", text: unescape(text), ignoresCase: flag === "i" }),
  },
  {
    pattern: /\/(?<text>(?:[^/\\\n]|\\.)+)\/(?<flags>[imslux]*)/y,
    read: ({ text = "", flags = "" }) => ({ type: "regex", text, flags }),
  },
  {
    pattern: /~\s*(?<min>\d{1,4})(?:\s*\.\.\s*(?<max>\d{1,4}))?/y,
    read: ({ min, max }) => ({ type: "repeat", min: Number(min), max: Number(max ?? min) }),
  },
  { pattern: /%(?<text>[a-z]+)/y, read: ({ text = "" }) => ({ type: "directive", text }) },
  { pattern: /(?<text>_?[A-Za-z][A-Za-z0-9_]*)/y, read: ({ text = "" }) => ({ type: "name", text }) },
  { pattern: /\.\d+(?=\s*:)/y, read: () => null },
  { pattern: /(?<text>->|\.\.|[:|()[\]?*+!.,])/y, read: ({ text = "" }) => ({ type: "operator", text }) },
];

/** Returns the tokens of a grammar; null if a part of it is not a token. */
function larkTokens(grammar: string): readonly LarkToken[] | null {
  const tokens: LarkToken[] = [];
  for (let at = 0; at < grammar.length;) {
    const match = matchAt(grammar, at);
    if (match === null) return null;
    if (match.token !== null) tokens.push(match.token);
    at = match.end;
  }
  return tokens;
}

function matchAt(
  text: string,
  at: number,
): { readonly token: LarkToken | null; readonly end: number } | null {
  for (const { pattern, read } of rules) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) return { token: read(match.groups ?? {}), end: pattern.lastIndex };
  }
  return null;
}

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", f: "\f", "0": "\0" };

function unescape(text: string): string {
  return text.replace(
    /\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))/g,
    (_, wide: string | undefined, narrow: string | undefined, char: string | undefined) =>
      wide !== undefined || narrow !== undefined
        ? String.fromCharCode(Number.parseInt(wide ?? narrow ?? "", 16))
        : (escapes[char ?? ""] ?? char ?? ""),
  );
}
