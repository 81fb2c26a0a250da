import { type AST } from "@eslint-community/regexpp";
import { characterSet } from "./character-sets.js";
import { type Nfa } from "../nfa.js";
import { everyCodePoint } from "../ranges.js";

/**
 * Puts regular expressions into an automaton. What has none, a lookaround or a reference to what a group read, is put in as
 * more than it is: nothing asked, or whatever the group may read.
 */
export class PatternNfa {
  readonly #nfa: Nfa;
  /** False once something was put in as more than it is. */
  exact = true;

  constructor(nfa: Nfa) {
    this.#nfa = nfa;
  }

  /** @returns the node behind the alternatives */
  alternatives(alternatives: readonly AST.Alternative[], from: number): number {
    const [only, second] = alternatives;
    if (only !== undefined && second === undefined) return this.sequence(only.elements, from);
    const end = this.#nfa.node();
    for (const alternative of alternatives) this.#nfa.jump(this.sequence(alternative.elements, from), end);
    return end;
  }

  /** @returns the node behind the elements */
  sequence(elements: readonly AST.Element[], from: number): number {
    return elements.reduce((node, element) => this.#element(element, node), from);
  }

  #element(element: AST.Element, from: number): number {
    switch (element.type) {
      case "Character":
      case "CharacterSet":
      case "CharacterClass": {
        const end = this.#nfa.node();
        this.#nfa.step(from, characterSet(element), end);
        return end;
      }
      case "Group":
        if (element.modifiers !== null) throw new RangeError("flags inside a group");
        return this.alternatives(element.alternatives, from);
      case "CapturingGroup":
        return this.alternatives(element.alternatives, from);
      case "Quantifier":
        return this.#quantifier(element, from);
      case "Assertion":
        return this.#assertion(element, from);
      case "Backreference":
        return this.#backreference(element, from);
      case "ExpressionCharacterClass":
        throw new RangeError("a class of the flag v");
    }
  }

  #quantifier({ element, min, max }: AST.Quantifier, from: number): number {
    let node = from;
    for (let i = 0; i < min; i++) {
      const before = node;
      node = this.#element(element, before);
      // What reads nothing may stand there a billion times.
      if (node === before) break;
    }
    const end = this.#nfa.node();
    if (max === Infinity) {
      const loop = this.#nfa.node();
      this.#nfa.jump(node, loop);
      this.#nfa.jump(this.#element(element, loop), loop);
      this.#nfa.jump(loop, end);
      return end;
    }
    for (let i = min; i < max; i++) {
      this.#nfa.jump(node, end);
      const before = node;
      node = this.#element(element, before);
      if (node === before) break;
    }
    this.#nfa.jump(node, end);
    return end;
  }

  #assertion(assertion: AST.Assertion, from: number): number {
    const end = this.#nfa.node();
    switch (assertion.kind) {
      case "start":
      case "end":
        this.#nfa.jump(from, end, assertion.kind);
        return end;
      case "word":
        this.#nfa.jump(from, end, assertion.negate ? "noWordBoundary" : "wordBoundary");
        return end;
      default:
        this.exact = false;
        this.#nfa.jump(from, end);
        return end;
    }
  }

  /** What the group may read, or nothing, as before the group was met. */
  #backreference({ resolved }: AST.Backreference, from: number): number {
    this.exact = false;
    const end = this.#nfa.node();
    this.#nfa.jump(from, end);
    for (const group of [resolved].flat()) {
      const inside = someElement(group, (part) => part.type === "Backreference");
      const behind = inside ? this.#anything(from) : this.alternatives(group.alternatives, from);
      this.#nfa.jump(behind, end);
    }
    return end;
  }

  #anything(from: number): number {
    const loop = this.#nfa.node();
    this.#nfa.jump(from, loop);
    this.#nfa.step(loop, everyCodePoint, loop);
    return loop;
  }
}

/** Whether some part of these alternatives is what is asked for. */
export function someElement(
  { alternatives }: { readonly alternatives: readonly AST.Alternative[] },
  isIt: (element: AST.Element) => boolean,
): boolean {
  return alternatives.some(({ elements }) => elements.some((element) => holdsElement(element, isIt)));
}

function holdsElement(element: AST.Element, isIt: (element: AST.Element) => boolean): boolean {
  if (isIt(element)) return true;
  if (element.type === "Quantifier") return holdsElement(element.element, isIt);
  return "alternatives" in element && someElement(element, isIt);
}
