/**
 * The incremental input of a parser. A parser is a generator that yields when it needs more text, so that it reads each character once
 * and does not depend on where the text was split. Text that was read goes to the record of the current call and to a tap for its
 * arguments.
 */

/** A parser, or a part of one. It yields when it needs more text. */
export type Reading<T> = Generator<void, T, void>;

export class AnswerSource {
  /** The text that is not fully read; text that was read is dropped when more arrives. */
  text = "";
  at = 0;
  ended = false;
  /** Whether a limit has ended the answer, and not the model. */
  isCut = false;
  /** Whether a reader needed more text than the answer has. */
  ranOut = false;
  #reported = 0;
  /** How much text was dropped. */
  #dropped = 0;
  /** Places of the whole answer from which the text may be read again. */
  readonly #kept: number[] = [];
  /** The text from the first of these places on that is dropped. */
  #keptText: string[] = [];
  #record: string[] | null = null;
  #tap: ((piece: string) => void) | null = null;

  feed(text: string): void {
    this.flush();
    const [kept] = this.#kept;
    if (kept !== undefined) this.#keptText.push(this.text.slice(Math.max(0, kept - this.#dropped), this.at));
    this.text = this.text.slice(this.at) + text;
    this.#dropped += this.at;
    this.at = 0;
    this.#reported = 0;
  }

  /** The place of the next character in the whole answer. */
  get place(): number {
    return this.#dropped + this.at;
  }

  /** Keeps the text from here on, so that it can be read again, until `release`. Returns the place. */
  keep(): number {
    this.#kept.push(this.place);
    return this.place;
  }

  /** Ends the last `keep`. */
  release(): void {
    this.#kept.pop();
    if (this.#kept.length === 0) this.#keptText = [];
  }

  /** Goes to a place of the text that is kept. Where that is back, what was read is recorded no longer. */
  moveTo(place: number): void {
    this.flush();
    if (place > this.place) {
      this.at = place - this.#dropped;
      return;
    }
    const before = this.#keptText.join("");
    this.#keptText = [];
    this.text = before + this.text;
    this.#dropped -= before.length;
    this.at = place - this.#dropped;
    this.#reported = this.at;
    this.ranOut = false;
    if (this.#record !== null) this.#record = [];
  }

  /** Returns the current UTF-16 code unit, or -1 when it has not arrived yet. */
  code(): number {
    return this.at < this.text.length ? this.text.charCodeAt(this.at) : -1;
  }

  /** Starts a record of the text that is read. */
  record(): void {
    this.flush();
    this.#record = [];
  }

  /** Returns the recorded text and ends the record. */
  takeRecord(): string {
    this.flush();
    const pieces = this.#record ?? [];
    this.#record = null;
    return pieces.join("");
  }

  /** Passes the text that is read to `tap` until `untap`. */
  tap(tap: (piece: string) => void): void {
    this.flush();
    this.#tap = tap;
  }

  untap(): void {
    this.flush();
    this.#tap = null;
  }

  /** Passes the text read so far to record and tap. */
  flush(): void {
    if (this.at === this.#reported) return;
    const piece = this.text.slice(this.#reported, this.at);
    this.#reported = this.at;
    this.#record?.push(piece);
    this.#tap?.(piece);
  }
}

/** Waits for the current UTF-16 code unit and returns it, or -1 at the end of the answer. */
export function* peek(source: AnswerSource): Reading<number> {
  while (source.at >= source.text.length) {
    if (source.ended) {
      source.ranOut = true;
      return -1;
    }
    yield;
  }
  return source.text.charCodeAt(source.at);
}

export function isJsonSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

export function* skipSpace(source: AnswerSource): Reading<void> {
  for (;;) {
    const code = source.code();
    if (code === -1) {
      if ((yield* peek(source)) === -1) return;
    } else if (isJsonSpace(code)) source.at += 1;
    else return;
  }
}

/** Reads the first of these texts that is present, or nothing. @returns the text, or null */
export function* readOne(source: AnswerSource, texts: readonly string[]): Reading<string | null> {
  for (;;) {
    // The longest of several.
    const found = texts
      .filter((text) => source.text.startsWith(text, source.at))
      .reduce<string | undefined>(
        (best, text) => (best !== undefined && best.length >= text.length ? best : text),
        undefined,
      );
    const left = source.text.length - source.at;
    const mayCome = texts.some((text) => text.length > left && text.startsWith(source.text.slice(source.at)));
    if (found !== undefined && (!mayCome || source.ended)) {
      source.at += found.length;
      return found;
    }
    if (!mayCome) return null;
    source.ranOut = source.ended;
    if (source.ended) return null;
    yield;
  }
}

/** Reads pieces with any white space before each. @returns whether all were present; pieces before a missing one stay consumed. */
export function* readPieces(source: AnswerSource, list: readonly string[]): Reading<boolean> {
  for (const piece of list) {
    yield* skipSpace(source);
    if ((yield* readOne(source, [piece])) === null) return false;
  }
  return true;
}

/**
 * Reads up to `end`, and `end` itself.
 * @returns the text before it, or null when it does not occur within `lengthMax` characters or before the end of the answer.
 */
export function* readUntil(source: AnswerSource, end: string, lengthMax: number): Reading<string | null> {
  const text = yield* readUntilAny(source, [end], lengthMax);
  if (text !== null) source.at += end.length;
  return text;
}

/** Reads up to the first of these texts, as `readUntil` does, but not the text itself. */
export function* readUntilAny(
  source: AnswerSource,
  ends: readonly string[],
  lengthMax: number,
): Reading<string | null> {
  const longest = Math.max(...ends.map((end) => end.length));
  const parts: string[] = [];
  let left = lengthMax;
  for (;;) {
    const places = ends.map((end) => source.text.indexOf(end, source.at)).filter((at) => at >= 0);
    // Where another end may still begin.
    const open = Math.max(source.at, source.text.length - (source.ended ? 0 : longest - 1));
    const found = Math.min(...places);
    const isFound = found <= open;
    const stop = isFound ? found : open;
    const isTooFar = stop - source.at > left;
    const to = isTooFar ? source.at + left : stop;
    left -= to - source.at;
    parts.push(source.text.slice(source.at, to));
    source.at = to;
    if (isTooFar) return null;
    if (isFound) return parts.join("");
    source.ranOut = source.ended;
    if (source.ended) return null;
    yield;
  }
}
