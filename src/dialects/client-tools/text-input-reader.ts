const opening = /^\s*\{\s*"input"\s*:\s*"/;
const hexDigits = 4;
const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

/** Reads the text from the arguments of a call with a text input while they arrive. */
export class TextInputReader {
  /** JSON that is not read yet. */
  #rest = "";
  #isOpen = false;
  #isDone = false;
  /** The first half of a pair of surrogates whose second half has not arrived. */
  #half = "";

  /** Returns the text that the next part of the JSON adds. */
  push(json: string): string {
    this.#rest += json;
    if (!this.#isOpen) {
      const start = opening.exec(this.#rest);
      if (start === null) return "";
      this.#isOpen = true;
      this.#rest = this.#rest.slice(start[0].length);
    }
    let text = this.#half;
    for (let piece = this.#next(); piece !== null; piece = this.#next()) text += piece;
    this.#half = /[\uD800-\uDBFF]$/.test(text) ? text.slice(-1) : "";
    return this.#half === "" ? text : text.slice(0, -1);
  }

  /** Returns the next run of characters, or the next escape; null if it is not complete. */
  #next(): string | null {
    if (this.#isDone) return null;
    const plain = /^[^"\\]+/.exec(this.#rest)?.[0];
    if (plain !== undefined) return this.#take(plain.length, plain);
    const [first, second] = this.#rest;
    if (first === '"') {
      this.#isDone = true;
      return null;
    }
    if (second === undefined) return null;
    if (second !== "u") return this.#take(2, escapes[second] ?? second);
    const digits = this.#rest.slice(2, 2 + hexDigits);
    if (digits.length < hexDigits) return null;
    return this.#take(2 + hexDigits, String.fromCharCode(Number.parseInt(digits, 16)));
  }

  #take(length: number, text: string): string {
    this.#rest = this.#rest.slice(length);
    return text;
  }
}

/** Returns the text of complete arguments; of other JSON, what can be read. */
export function readTextInput(json: string): string {
  return new TextInputReader().push(json);
}
