/**
 * Builds GBNF text, the grammar language of llama.cpp: rules, their names and limits, and quoted literals.
 * regular/ and lower/ write the right-hand sides.
 */

import { spend } from "./work.js";

/** Thrown when a grammar exceeds its limit of rules or bytes. */
export class GrammarTooLarge extends Error {
  constructor(message: string) {
    super(message);
    this.name = "GrammarTooLarge";
  }
}

/** Ends the name of a mark; the names of other rules end with a digit. */
const uniqueMark = "unique";

/** Returns whether a rule marks the beginning of an array whose items differ. */
export function marksUniqueItems(ruleName: string): boolean {
  return ruleName.endsWith(uniqueMark);
}

/** What defining a rule costs, and handling its text. */
const stepsOfRule = 5;
const charactersPerStep = 16;

/** The rules of one grammar under construction. Rules with equal right-hand sides share one name. */
export class RuleSet {
  readonly #prefix: string;
  readonly #rulesMax: number;
  readonly #bytesMax: number;
  readonly #rightHandSides = new Map<string, string>();
  readonly #names = new Map<string, string>();
  readonly #namesByKey = new WeakMap<object, Map<string, string>>();
  #reserved = 0;
  #bytes = 0;

  /**
   * @param options.prefix the prefix of every rule name: a lower-case letter, then letters, digits and dashes
   */
  constructor(options: { readonly prefix: string; readonly rulesMax?: number; readonly bytesMax?: number }) {
    if (!/^[a-z][a-z0-9-]*$/.test(options.prefix))
      throw new RangeError("the name of a rule must begin with a-z");
    this.#prefix = options.prefix;
    this.#rulesMax = options.rulesMax ?? 50_000;
    this.#bytesMax = options.bytesMax ?? 1_000_000;
  }

  /**
   * Adds a rule and returns its name. If a rule with this right-hand side exists, returns that rule's name.
   * @throws GrammarTooLarge
   */
  add(rightSide: string): string {
    spend(1 + rightSide.length / charactersPerStep);
    const known = this.#names.get(rightSide);
    if (known !== undefined) return known;
    const name = this.reserve();
    this.define(name, rightSide);
    return name;
  }

  /** Reserves a name that is defined later, as recursive rules need. @throws GrammarTooLarge */
  reserve(): string {
    if (this.#reserved >= this.#rulesMax) throw new GrammarTooLarge(`more than ${this.#rulesMax} rules`);
    return `${this.#prefix}${this.#reserved++}`;
  }

  /** Defines a reserved name. A name can be defined once. @throws GrammarTooLarge */
  define(name: string, rightSide: string): void {
    if (this.#rightHandSides.has(name)) throw new RangeError(`the rule ${name} is already defined`);
    spend(stepsOfRule + rightSide.length / charactersPerStep);
    this.#bytes += Buffer.byteLength(rightSide) + name.length + 6;
    if (this.#bytes > this.#bytesMax) throw new GrammarTooLarge(`more than ${this.#bytesMax} bytes of rules`);
    this.#rightHandSides.set(name, rightSide);
    if (!this.#names.has(rightSide) && !marksUniqueItems(name)) this.#names.set(rightSide, name);
  }

  /** Returns the rule for the opening bracket of an array whose items differ, so that who follows a text can hold it to that. */
  uniqueItemsOpening(): string {
    const name = `${this.#prefix}${uniqueMark}`;
    if (!this.#rightHandSides.has(name)) this.define(name, literal("["));
    return name;
  }

  /**
   * Returns the right-hand side itself if it is already the name of a rule, otherwise adds a rule for it.
   * @throws GrammarTooLarge
   */
  toName(rightSide: string): string {
    return this.#rightHandSides.has(rightSide) ? rightSide : this.add(rightSide);
  }

  /**
   * Returns the rule name that `make` returned for this object and form, and calls `make` only the first
   * time.
   */
  memoized(thing: object, form: string, make: () => string): string {
    const forms = this.#namesByKey.get(thing) ?? new Map<string, string>();
    this.#namesByKey.set(thing, forms);
    const known = forms.get(form);
    if (known !== undefined) return known;
    const name = make();
    forms.set(form, name);
    return name;
  }

  /** The bytes of all rules. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the right-hand side of a rule, or undefined while the name is only reserved. */
  rightSide(name: string): string | undefined {
    return this.#rightHandSides.get(name);
  }

  /**
   * Returns GBNF text with `root ::= <root>` and all rules reachable from it. @throws RangeError if one is
   * not defined
   */
  text(root: string): string {
    const lines = [`root ::= ${root}`];
    for (const [name, rightSide] of this.entries(root)) lines.push(`${name} ::= ${rightSide}`);
    return `${lines.join("\n")}\n`;
  }

  /** Returns the rules reachable from `root`, or all rules if no root is given. */
  entries(root?: string): ReadonlyMap<string, string> {
    if (root === undefined) return new Map(this.#rightHandSides);
    const reachable = new Map<string, string>();
    const pending = [root];
    const seen = new Set(pending);
    for (const name of pending) {
      const rightSide = this.#rightHandSides.get(name);
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

/**
 * Returns a quoted terminal that matches exactly this text. @throws RangeError for a lone surrogate, which
 * has no UTF-8 encoding
 */
export function literal(text: string): string {
  if (/[\ud800-\udfff]/u.test(text)) throw new RangeError("a literal must not contain a lone surrogate");
  // oxlint-disable-next-line no-control-regex -- the expression matches control characters
  return `"${text.replace(/["\\\u0000-\u001f\u007f]/g, escaped)}"`;
}

function escaped(character: string): string {
  if (character === '"' || character === "\\") return `\\${character}`;
  if (character === "\n") return "\\n";
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
}

/** Returns the rule names that a right-hand side uses: the words outside quotes and character classes. */
function namesIn(rightSide: string): string[] {
  const names: string[] = [];
  for (const token of rightSide.matchAll(/"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]|[a-z][a-z0-9-]*/gu)) {
    const [text] = token;
    if (!text.startsWith('"') && !text.startsWith("[")) names.push(text);
  }
  return names;
}
