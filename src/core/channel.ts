/**
 * A bounded queue between a run, which never waits for its reader, and one reader. When the reader falls behind, `merge`
 * joins what it can; past `capacity` items that do not merge, `push` says false and the run gives up.
 */
export class Channel<T> implements AsyncIterable<T> {
  readonly #capacity: number;
  readonly #merge: (last: T, next: T) => T | null;
  #items: T[] = [];
  #ended = false;
  #failure: Error | null = null;
  #wake: (() => void) | null = null;

  constructor(capacity: number, merge: (last: T, next: T) => T | null) {
    this.#capacity = capacity;
    this.#merge = merge;
  }

  /** Adds an item. @returns false when the channel is full or has ended: the item was not taken. */
  push(item: T): boolean {
    if (this.#ended) return false;
    const last = this.#items.at(-1);
    const merged = last === undefined ? null : this.#merge(last, item);
    if (merged !== null) {
      this.#items[this.#items.length - 1] = merged;
      return true;
    }
    if (this.#items.length >= this.#capacity) return false;
    this.#items.push(item);
    this.#signal();
    return true;
  }

  /** No more items will come; what is queued can still be read. */
  end(): void {
    this.#ended = true;
    this.#signal();
  }

  /** Like end(), but the reader meets `error` after the items that are queued. */
  fail(error: Error): void {
    if (this.#ended) return;
    this.#failure = error;
    this.end();
  }

  /** Written out instead of as a generator, which costs several turns of the event loop an item. */
  [Symbol.asyncIterator](): AsyncIterator<T, undefined> {
    return { next: () => this.#next() };
  }

  #next(): Promise<IteratorResult<T, undefined>> {
    const item = this.#items.shift();
    if (item !== undefined) return Promise.resolve({ value: item, done: false });
    if (this.#failure !== null) return Promise.reject(this.#failure);
    if (this.#ended) return Promise.resolve({ value: undefined, done: true });
    return new Promise<void>((resolve) => (this.#wake = resolve)).then(() => this.#next());
  }

  #signal(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }
}
