/** How queued items are merged when the reader falls behind. */
export interface Merging<T> {
  /** Returns the group of an item; merging may change the order between groups. null = the item is never merged. */
  findGroup(item: T): number | null;
  /** Returns both items as one, or null when they cannot be merged. */
  merge(last: T, next: T): T | null;
}

/**
 * A bounded queue between a run, which never waits, and one reader. When the reader falls behind, an item is merged into the
 * last queued item of its group if possible; beyond `capacity` items `push` returns false, and the run ends.
 */
export class Channel<T> implements AsyncIterable<T> {
  readonly #capacity: number;
  readonly #merging: Merging<T>;
  readonly #items: { item: T }[] = [];
  readonly #lastOfGroup = new Map<number, { item: T }>();
  #ended = false;
  #failure: Error | null = null;
  #wake: (() => void) | null = null;

  constructor(capacity: number, merging: Merging<T>) {
    this.#capacity = capacity;
    this.#merging = merging;
  }

  /** Adds an item. @returns false when the channel is full or has ended; the item is discarded then. */
  push(item: T): boolean {
    if (this.#ended) return false;
    const group = this.#merging.findGroup(item);
    const last = group === null ? undefined : this.#lastOfGroup.get(group);
    const merged = last === undefined ? null : this.#merging.merge(last.item, item);
    if (last !== undefined && merged !== null) {
      last.item = merged;
      return true;
    }
    if (this.#items.length >= this.#capacity) return false;
    const queued = { item };
    this.#items.push(queued);
    if (group !== null) this.#lastOfGroup.set(group, queued);
    this.#signal();
    return true;
  }

  /** Ends the channel; queued items can still be read. */
  end(): void {
    this.#ended = true;
    this.#signal();
  }

  /** Like end(), but the reader receives `error` after the queued items. */
  fail(error: Error): void {
    if (this.#ended) return;
    this.#failure = error;
    this.end();
  }

  /** Not a generator, which would cost several turns of the event loop for each item. */
  [Symbol.asyncIterator](): AsyncIterator<T, undefined> {
    return { next: () => this.#next() };
  }

  #next(): Promise<IteratorResult<T, undefined>> {
    const queued = this.#items.shift();
    if (queued !== undefined) {
      // Nothing may be merged into an item that was read.
      if (this.#items.length === 0) this.#lastOfGroup.clear();
      else this.#closeGroup(queued);
      return Promise.resolve({ value: queued.item, done: false });
    }
    if (this.#failure !== null) return Promise.reject(this.#failure);
    if (this.#ended) return Promise.resolve({ value: undefined, done: true });
    return new Promise<void>((resolve) => (this.#wake = resolve)).then(() => this.#next());
  }

  #closeGroup(read: { item: T }): void {
    const group = this.#merging.findGroup(read.item);
    if (group !== null && this.#lastOfGroup.get(group) === read) this.#lastOfGroup.delete(group);
  }

  #signal(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }
}
