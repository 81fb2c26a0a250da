/** Finds and writes values of a JSON text as they are written, for numbers that JSON.parse would round. */

/** 16 digits or more, or an exponent: a number that a double may not keep. Also matches inside of strings. */
const longNumber = /\d[\d.]{15}|\d[eE]/;

/** Returns whether a JSON text may have numbers that JSON.parse rounds. */
export function mayRoundNumbers(text: string): boolean {
  return longNumber.test(text);
}

/**
 * Returns the texts of the values at dotted paths such as `tools.0.parameters`; undefined when there is no value. When there are several members
 * with one name the last counts, as for JSON.parse.
 * @param text valid JSON.
 */
export function memberTexts(text: string, paths: readonly string[]): readonly (string | undefined)[] {
  const root: Wanted = { inner: new Map(), text: undefined };
  const targets = paths.map((path) => {
    let target = root;
    for (const name of path.split(".")) {
      const next: Wanted = target.inner.get(name) ?? { inner: new Map(), text: undefined };
      target.inner.set(name, next);
      target = next;
    }
    return target;
  });
  new Finder(text).visit(root);
  return targets.map((target) => target.text);
}

/** Returns the JSON text of a value, in which these objects have the given texts. */
export function writeJson(value: unknown, texts: ReadonlyMap<object, string>): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const text = texts.get(value);
  if (text !== undefined) return text;
  if (Array.isArray(value)) return `[${value.map((item) => writeJson(item, texts)).join(",")}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeJson(member, texts)}`).join(",")}}`;
}

/** A value to find, and the members to find in it. */
interface Wanted {
  readonly inner: Map<string, Wanted>;
  text: string | undefined;
}

class Finder {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads the value at the current position. Recurses as deep as the paths are. */
  visit(wanted: Wanted): void {
    const open = this.#next();
    const start = this.#at;
    forget(wanted);
    if (wanted.inner.size === 0 || (open !== "{" && open !== "[")) this.#skip();
    else this.#members(open === "{", wanted.inner);
    wanted.text = this.#text.slice(start, this.#at);
  }

  #members(isObject: boolean, inner: Wanted["inner"]): void {
    this.#at += 1;
    for (let index = 0; !"}]".includes(this.#next()); index += 1) {
      if (this.#next() === ",") this.#at += 1;
      const member = inner.get(isObject ? this.#key() : String(index));
      if (member === undefined) this.#skip();
      else this.visit(member);
    }
    this.#at += 1;
  }

  #key(): string {
    this.#next();
    const start = this.#at;
    this.#skip();
    const key = JSON.parse(this.#text.slice(start, this.#at)) as string;
    this.#next();
    this.#at += 1;
    return key;
  }

  /** Moves to the next character that is not white space. Returns it. */
  #next(): string {
    while (" \t\n\r".includes(this.#text[this.#at] ?? "x")) this.#at += 1;
    return this.#text[this.#at] ?? "}";
  }

  /** Moves behind the value at the current position. */
  #skip(): void {
    const mark = /["{}[\]]/g;
    let depth = 0;
    if (!'"{['.includes(this.#next())) return this.#skipScalar();
    do {
      mark.lastIndex = this.#at;
      const found = mark.exec(this.#text);
      if (found === null) return;
      const isString = found[0] === '"';
      this.#at = isString ? endOfString(this.#text, found.index) : mark.lastIndex;
      if (!isString) depth += found[0] === "{" || found[0] === "[" ? 1 : -1;
    } while (depth > 0);
  }

  #skipScalar(): void {
    const scalar = /[^,}\]\s]*/y;
    scalar.lastIndex = this.#at;
    scalar.exec(this.#text);
    this.#at = scalar.lastIndex;
  }
}

function forget(wanted: Wanted): void {
  wanted.text = undefined;
  for (const member of wanted.inner.values()) forget(member);
}

/** Returns the position behind the closing quote of the string that begins here. */
function endOfString(text: string, start: number): number {
  let at = start;
  do {
    at = text.indexOf('"', at + 1);
    if (at === -1) return text.length;
  } while (isEscaped(text, at));
  return at + 1;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === "\\") backslashes += 1;
  return backslashes % 2 === 1;
}
