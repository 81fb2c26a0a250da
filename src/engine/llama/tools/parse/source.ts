/**
 * The text that a parser reads, as it comes: the parser is a generator that yields when it needs more, so that it never looks
 * at a character twice and never knows where pieces were cut. Read text goes to whoever listens: the record of the call at
 * hand, and the tap of its arguments.
 */

/** A parser, or a part of one: yields for more text. */
export type Reading<T> = Generator<void, T, void>;

export class Source {
  /** What was given and is not all read; short, since whatever is read is cut off when more comes. */
  text = "";
  at = 0;
  ended = false;
  /** A reader wanted more than there is at the end: what it read is cut. */
  ranOut = false;
  #heard = 0;
  #record: string[] | null = null;
  #tap: ((piece: string) => void) | null = null;

  feed(text: string): void {
    this.flush();
    this.text = this.text.slice(this.at) + text;
    this.at = 0;
    this.#heard = 0;
  }

  /** The character unit at hand, or -1 when it is not there yet. */
  code(): number {
    return this.at < this.text.length ? this.text.charCodeAt(this.at) : -1;
  }

  /** Keeps all that is read from here on. */
  record(): void {
    this.flush();
    this.#record = [];
  }

  /** What was read since, which is then forgotten. */
  takeRecord(): string {
    this.flush();
    const pieces = this.#record ?? [];
    this.#record = null;
    return pieces.join("");
  }

  /** Tells all that is read from here on to `tap`. */
  tap(tap: (piece: string) => void): void {
    this.flush();
    this.#tap = tap;
  }

  untap(): void {
    this.flush();
    this.#tap = null;
  }

  /** Tells the listeners what was read by now. */
  flush(): void {
    if (this.at === this.#heard) return;
    const piece = this.text.slice(this.#heard, this.at);
    this.#heard = this.at;
    this.#record?.push(piece);
    this.#tap?.(piece);
  }
}

/** The character unit at hand, or -1 at the very end. */
export function* peek(source: Source): Reading<number> {
  while (source.at >= source.text.length) {
    if (source.ended) {
      source.ranOut = true;
      return -1;
    }
    yield;
  }
  return source.text.charCodeAt(source.at);
}

export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

export function* skipSpace(source: Source): Reading<void> {
  for (;;) {
    const code = source.code();
    if (code === -1) {
      if ((yield* peek(source)) === -1) return;
    } else if (isSpace(code)) source.at += 1;
    else return;
  }
}

/** Reads one of these texts, the first that stands here, or nothing. @returns which, or null */
export function* oneOf(source: Source, texts: readonly string[]): Reading<string | null> {
  for (;;) {
    const found = texts.find((text) => source.text.startsWith(text, source.at));
    const left = source.text.length - source.at;
    const mayCome = texts.some((text) => text.length > left && text.startsWith(source.text.slice(source.at)));
    if (found !== undefined) {
      source.at += found.length;
      return found;
    }
    if (!mayCome) return null;
    source.ranOut = source.ended;
    if (source.ended) return null;
    yield;
  }
}

/** Reads pieces with any white space before each. @returns whether all stood here; what was read before a miss stays read. */
export function* pieces(source: Source, list: readonly string[]): Reading<boolean> {
  for (const piece of list) {
    yield* skipSpace(source);
    if ((yield* oneOf(source, [piece])) === null) return false;
  }
  return true;
}

/**
 * Reads up to `end`, and `end` itself.
 * @returns the text before it, or null when it does not come within `lengthMax` characters or before the end.
 */
export function* until(source: Source, end: string, lengthMax: number): Reading<string | null> {
  const parts: string[] = [];
  let length = 0;
  for (;;) {
    const found = source.text.indexOf(end, source.at);
    const stop =
      found >= 0 ? found : Math.max(source.at, source.text.length - (source.ended ? 0 : end.length - 1));
    length += stop - source.at;
    parts.push(source.text.slice(source.at, stop));
    source.at = stop;
    if (length > lengthMax) return null;
    if (found >= 0) {
      source.at += end.length;
      return parts.join("");
    }
    source.ranOut = source.ended;
    if (source.ended) return null;
    yield;
  }
}
