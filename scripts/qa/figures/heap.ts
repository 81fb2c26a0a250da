/** A binary heap. */
export class Heap<Item> {
  readonly #items: Item[] = [];
  readonly #isBefore: (one: Item, other: Item) => boolean;

  constructor(isBefore: (one: Item, other: Item) => boolean) {
    this.#isBefore = isBefore;
  }

  /** The item that is before all others. */
  get first(): Item | undefined {
    return this.#items[0];
  }

  add(item: Item): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = items[parent];
      if (above === undefined || !this.#isBefore(item, above)) break;
      items[at] = above;
      at = parent;
    }
    items[at] = item;
  }

  /** Takes the first item. */
  take(): Item | undefined {
    const items = this.#items;
    const [first] = items;
    const last = items.pop();
    if (last !== undefined && items.length > 0) this.#sink(last);
    return first;
  }

  /** Puts an item at the top, and down to its place. */
  #sink(item: Item): void {
    const items = this.#items;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const [one, other] = [items[left], items[left + 1]];
      if (one === undefined) break;
      const [least, index] =
        other !== undefined && this.#isBefore(other, one) ? [other, left + 1] : ([one, left] as const);
      if (!this.#isBefore(least, item)) break;
      items[at] = least;
      at = index;
    }
    items[at] = item;
  }
}
