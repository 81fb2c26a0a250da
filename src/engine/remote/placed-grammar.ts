import { GrammarStacks, type ReadyStacks } from "../../grammar/follow/stacks.js";
import { CannotFollow } from "../../grammar/follow/expression.js";
import { remainingGrammar } from "../../grammar/follow/remaining.js";
import type { RuleSet } from "../../grammar/gbnf.js";

/** A grammar and how far an answer has come in it, so that a request can go on from there. */
export class PlacedGrammar {
  readonly #book: RuleSet;
  readonly #root: string;
  readonly #stacks: GrammarStacks;
  /** null where the grammar is too wide to be followed, or does not allow the text. */
  #place: ReadyStacks | null | undefined;

  /** @param root the name of a rule */
  constructor(book: RuleSet, root: string) {
    this.#book = book;
    this.#root = root;
    this.#stacks = new GrammarStacks(root, (name) => book.rightSide(name));
  }

  /** Reads what the answer has next. */
  push(text: string): void {
    for (const character of text) {
      const point = character.codePointAt(0) ?? 0;
      this.#place = this.#attempt(() => {
        const place = this.#place === undefined ? this.#stacks.atStart() : this.#place;
        return place === null ? null : this.#stacks.after(place, point);
      });
    }
  }

  /** Whether the answer can be continued under it. */
  get isFollowed(): boolean {
    return this.#place !== null;
  }

  /** GBNF of what may follow. @throws Error where the grammar is not followed */
  get text(): string {
    if (this.#place === undefined) return this.#book.text(this.#root);
    if (this.#place === null) throw new Error("the answer does not match its grammar, or it is too wide");
    return remainingGrammar(this.#place, this.#book.entries(this.#root));
  }

  #attempt(placeOf: () => ReadyStacks | null): ReadyStacks | null {
    try {
      const place = placeOf();
      return place === null || place.length === 0 ? null : place;
    } catch (thrown) {
      if (thrown instanceof CannotFollow) return null;
      throw thrown;
    }
  }
}
