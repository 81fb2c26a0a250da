/**
 * GBNF, the grammar language of llama.cpp, as text: rules under construction, their names, their limits, and the quoting of
 * literals. It does not know what the rules are for: regular/ and lower/ write the right-hand sides.
 */

/** More rules or more text than a grammar may have. */
export class GrammarTooLarge extends Error {
  constructor(message: string) {
    super(message);
    this.name = "GrammarTooLarge";
  }
}

/** The rules of one grammar under construction. Equal right-hand sides share a name. */
export class RuleBook {
  readonly #prefix: string;
  readonly #rulesMax: number;
  readonly #bytesMax: number;
  readonly #rightSides = new Map<string, string>();
  readonly #names = new Map<string, string>();
  readonly #made = new WeakMap<object, Map<string, string>>();
  #reserved = 0;
  #bytes = 0;

  /** @param options.prefix begins every name; a lower-case letter, then letters, digits and dashes. */
  constructor(options: { readonly prefix: string; readonly rulesMax?: number; readonly bytesMax?: number }) {
    if (!/^[a-z][a-z0-9-]*$/.test(options.prefix)) throw new RangeError("a rule's name begins with a-z");
    this.#prefix = options.prefix;
    this.#rulesMax = options.rulesMax ?? 50_000;
    this.#bytesMax = options.bytesMax ?? 1_000_000;
  }

  /** @returns the name of the rule with this right side, an existing one where there is one. @throws GrammarTooLarge */
  add(rightSide: string): string {
    const known = this.#names.get(rightSide);
    if (known !== undefined) return known;
    const name = this.reserve();
    this.define(name, rightSide);
    return name;
  }

  /** A name to be defined later, for recursion. @throws GrammarTooLarge */
  reserve(): string {
    if (this.#reserved >= this.#rulesMax) throw new GrammarTooLarge(`more than ${this.#rulesMax} rules`);
    return `${this.#prefix}${this.#reserved++}`;
  }

  /** Gives a reserved name its right side, once. @throws GrammarTooLarge */
  define(name: string, rightSide: string): void {
    if (this.#rightSides.has(name)) throw new RangeError(`the rule ${name} is defined already`);
    this.#bytes += Buffer.byteLength(rightSide) + name.length + 6;
    if (this.#bytes > this.#bytesMax) throw new GrammarTooLarge(`more than ${this.#bytesMax} bytes of rules`);
    this.#rightSides.set(name, rightSide);
    if (!this.#names.has(rightSide)) this.#names.set(rightSide, name);
  }

  /** The name for a right side: itself where it is a rule's name already. @throws GrammarTooLarge */
  named(rightSide: string): string {
    return this.#rightSides.has(rightSide) ? rightSide : this.add(rightSide);
  }

  /** What `make` named for this thing in this form, which is asked for once. */
  once(thing: object, form: string, make: () => string): string {
    const forms = this.#made.get(thing) ?? new Map<string, string>();
    this.#made.set(thing, forms);
    const known = forms.get(form);
    if (known !== undefined) return known;
    const name = make();
    forms.set(form, name);
    return name;
  }

  /** The right side that a name stands for, or undefined while it is only reserved. */
  rightSide(name: string): string | undefined {
    return this.#rightSides.get(name);
  }

  /** GBNF text with `root ::= <root>` and the rules reachable from it. @throws RangeError where one is not defined */
  text(root: string): string {
    const lines = [`root ::= ${root}`];
    for (const [name, rightSide] of this.entries(root)) lines.push(`${name} ::= ${rightSide}`);
    return `${lines.join("\n")}\n`;
  }

  /** The rules reachable from `root`, all of them without it, to be put into another grammar. */
  entries(root?: string): ReadonlyMap<string, string> {
    if (root === undefined) return new Map(this.#rightSides);
    const reachable = new Map<string, string>();
    const pending = [root];
    const seen = new Set(pending);
    for (const name of pending) {
      const rightSide = this.#rightSides.get(name);
      if (rightSide === undefined) throw new RangeError(`the rule ${name} is not defined`);
      reachable.set(name, rightSide);
      for (const used of namesIn(rightSide)) {
        if (seen.has(used)) continue;
        seen.add(used);
        pending.push(used);
      }
    }
    return reachable;
  }
}

/** A quoted terminal of exactly this text. @throws RangeError for a lone surrogate, which UTF-8 cannot write */
export function literal(text: string): string {
  if (/[\ud800-\udfff]/u.test(text)) throw new RangeError("a literal holds no lone surrogate");
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  return `"${text.replace(/["\\\u0000-\u001f\u007f]/g, escaped)}"`;
}

function escaped(character: string): string {
  if (character === '"' || character === "\\") return `\\${character}`;
  if (character === "\n") return "\\n";
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
}

/** The rule names that a right side uses: its words outside quotes and classes. */
function namesIn(rightSide: string): string[] {
  const names: string[] = [];
  for (const token of rightSide.matchAll(/"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]|[a-z][a-z0-9-]*/gu)) {
    const [text] = token;
    if (!text.startsWith('"') && !text.startsWith("[")) names.push(text);
  }
  return names;
}
