/** How a reader that falls behind is spared. */
export interface Merging<T> {
  /** Which items come one after another; the order between strands may change. null: the item stands alone. */
  strandOf(item: T): number | null;
  /** Both in one, or null when they have to stay apart. */
  merge(last: T, next: T): T | null;
}

/**
 * A bounded queue between a run, which never waits for its reader, and one reader. When the reader falls behind, an item is
 * joined to the last one of its strand where that can be; past `capacity` items, `push` says false and the run gives up.
 */
export class Channel<T> implements AsyncIterable<T> {
  readonly #capacity: number;
  readonly #merging: Merging<T>;
  readonly #items: { item: T }[] = [];
  readonly #lastOfStrand = new Map<number, { item: T }>();
  #ended = false;
  #failure: Error | null = null;
  #wake: (() => void) | null = null;

  constructor(capacity: number, merging: Merging<T>) {
    this.#capacity = capacity;
    this.#merging = merging;
  }

  /** Adds an item. @returns false when the channel is full or has ended: the item was not taken. */
  push(item: T): boolean {
    if (this.#ended) return false;
    const strand = this.#merging.strandOf(item);
    const last = strand === null ? undefined : this.#lastOfStrand.get(strand);
    const merged = last === undefined ? null : this.#merging.merge(last.item, item);
    if (last !== undefined && merged !== null) {
      last.item = merged;
      return true;
    }
    if (this.#items.length >= this.#capacity) return false;
    const place = { item };
    this.#items.push(place);
    if (strand !== null) this.#lastOfStrand.set(strand, place);
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
    const place = this.#items.shift();
    if (place !== undefined) {
      // Nobody may add to what was read.
      if (this.#items.length === 0) this.#lastOfStrand.clear();
      else this.#forget(place);
      return Promise.resolve({ value: place.item, done: false });
    }
    if (this.#failure !== null) return Promise.reject(this.#failure);
    if (this.#ended) return Promise.resolve({ value: undefined, done: true });
    return new Promise<void>((resolve) => (this.#wake = resolve)).then(() => this.#next());
  }

  #forget(place: { item: T }): void {
    const strand = this.#merging.strandOf(place.item);
    if (strand !== null && this.#lastOfStrand.get(strand) === place) this.#lastOfStrand.delete(strand);
  }

  #signal(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }
}
