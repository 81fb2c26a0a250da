/**
 * A log of events for any number of readers, each of which starts at an index of its choice. It has no limit of its own: the writer
 * limits what it appends.
 */
export class EventLog<T> {
  readonly #items: T[] = [];
  #ended = false;
  readonly #wakes = new Set<() => void>();

  get length(): number {
    return this.#items.length;
  }

  append(...items: readonly T[]): void {
    if (this.#ended) return;
    this.#items.push(...items);
    this.#wake();
  }

  /** Ends the log: nothing is appended any more. */
  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** Returns the items so far. */
  items(): readonly T[] {
    return this.#items;
  }

  /** Reads from the item of that index on, until the end or until the signal aborts. */
  async *from(index: number, signal: AbortSignal): AsyncGenerator<T, void, undefined> {
    for (let at = index; !signal.aborted;) {
      const item = this.#items[at];
      if (item !== undefined) {
        at += 1;
        yield item;
      } else if (this.#ended) return;
      else await this.#more(signal);
    }
  }

  #more(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#wakes.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.#wakes.add(wake);
      signal.addEventListener("abort", wake, { once: true });
    });
  }

  #wake(): void {
    for (const wake of this.#wakes) wake();
  }
}
