/** Splits the text of a Lark grammar into tokens. Pure. */

export type LarkToken =
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
export function larkTokens(grammar: string): readonly LarkToken[] | null {
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
