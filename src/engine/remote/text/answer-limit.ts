/**
 * Bounds an answer by the tokens that it may have, where the tokens are not known. No tokenizer in use has tokens that span words, so that
 * a text has as many tokens as words, or more. Text without spaces is bounded by its bytes, generously: an answer of a server that keeps
 * the limit is never cut.
 */

/** UTF-8 bytes of a token, on average over an answer: English text has 4 to 5. */
const bytesPerTokenMax = 8;
/** More bytes of an answer, since a few tokens may be long. */
const bytesMore = 128;

export class AnswerLimit {
  #wordsLeft: number;
  #bytesLeft: number;
  #countedLeft: number;
  #isInWord = false;
  #isReached = false;

  /** @param tokensMax the most tokens that the answer may have */
  constructor(tokensMax: number) {
    this.#wordsLeft = tokensMax;
    this.#countedLeft = tokensMax;
    this.#bytesLeft = tokensMax * bytesPerTokenMax + bytesMore;
  }

  /** Whether a text was cut. */
  get isReached(): boolean {
    return this.#isReached;
  }

  /** Counts a text. @returns as much of it as the answer may have */
  admit(text: string): string {
    if (this.#isReached) return "";
    const words = this.#admitWords(text);
    const bytes = Buffer.byteLength(words);
    const admitted = bytes <= this.#bytesLeft ? words : cutBytes(words, this.#bytesLeft);
    this.#bytesLeft -= Buffer.byteLength(admitted);
    this.#isReached = admitted.length < text.length;
    return admitted;
  }

  /** Counts estimated tokens. @returns as many of them as the answer may have */
  count(tokens: number): number {
    const counted = Math.min(tokens, this.#countedLeft);
    this.#countedLeft -= counted;
    return counted;
  }

  #admitWords(text: string): string {
    for (const { index } of text.matchAll(/\S+/gu)) {
      if (index === 0 && this.#isInWord) continue;
      if (this.#wordsLeft === 0) return text.slice(0, index).trimEnd();
      this.#wordsLeft -= 1;
    }
    if (text !== "") this.#isInWord = /\S$/u.test(text);
    return text;
  }
}

/** Returns the longest beginning of a text with this number of UTF-8 bytes that ends with a whole character. */
function cutBytes(text: string, bytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
}
