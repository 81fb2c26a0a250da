/**
 * The special tokens of a vocabulary: tokens that llama.cpp finds in a text as a whole, before it tokenizes the rest. User-defined
 * tokens, such as runs of newlines, belong to any text. Control tokens, such as the end of a turn, belong to templates alone.
 */

export interface SpecialToken {
  readonly id: number;
  readonly text: string;
  /** Whether messages must not contain it; true for the unknown token, too. */
  readonly templateOnly: boolean;
  /** Whether it represents unknown characters, and so may result from any text. */
  readonly isUnknown: boolean;
  /** Whether white space before it is dropped. */
  readonly stripsBefore: boolean;
  /** Whether white space after it is dropped. */
  readonly stripsAfter: boolean;
}

/** A text and where it was found. */
interface Occurrence {
  readonly text: string;
  readonly start: number;
}

interface Node {
  readonly next: Map<string, Node>;
  /** The text that ends here; null for none. */
  text: string | null;
}

/** Finds any of many texts; its time per character does not depend on their number. */
export class TextFinder {
  readonly #root: Node = { next: new Map(), text: null };
  /** 1 for the character codes that a text begins with. */
  readonly #begins = new Uint8Array(0x1_0000);
  #longest = 0;

  constructor(texts: Iterable<string>) {
    for (const text of texts) this.#add(text);
  }

  /** Returns all occurrences, also those that overlap, ordered by start and then by length. */
  *all(text: string): Generator<Occurrence, void, undefined> {
    for (let start = 0; start < text.length; start += 1) {
      if (this.#begins[text.charCodeAt(start)] === 0) continue;
      for (const found of this.#from(text, start)) if (found !== null) yield { text: found, start };
    }
  }

  /** Returns occurrences that do not overlap: the first, and the longest of those with the same start. */
  *separate(text: string): Generator<Occurrence, void, undefined> {
    for (let start = 0; start < text.length; start += 1) {
      if (this.#begins[text.charCodeAt(start)] === 0) continue;
      let longest: string | null = null;
      for (const found of this.#from(text, start)) longest = found ?? longest;
      if (longest === null) continue;
      yield { text: longest, start };
      start += longest.length - 1;
    }
  }

  /** Returns whether the end of `text` is the beginning of one of the texts that begin with a sign, but not the whole of it. */
  endsInside(text: string): boolean {
    for (let start = Math.max(0, text.length - this.#longest + 1); start < text.length; start += 1) {
      const steps = [...this.#from(text, start)].length;
      if (steps === text.length - start && !/[\p{L}\p{N}]/u.test(text.charAt(start))) return true;
    }
    return false;
  }

  /** Yields, for each character that some longer or equal text has in common with `text` from `start` on, the text that ends there. */
  *#from(text: string, start: number): Generator<string | null, void, undefined> {
    let node = this.#root.next.get(text.charAt(start));
    for (let at = start + 1; node !== undefined; at += 1) {
      yield node.text;
      node = node.next.get(text.charAt(at));
    }
  }

  #add(text: string): void {
    if (text === "") return;
    this.#longest = Math.max(this.#longest, text.length);
    this.#begins[text.charCodeAt(0)] = 1;
    let node = this.#root;
    for (let at = 0; at < text.length; at += 1) {
      const known = node.next.get(text.charAt(at));
      const next = known ?? { next: new Map<string, Node>(), text: null };
      node.next.set(text.charAt(at), next);
      node = next;
    }
    node.text = text;
  }
}
