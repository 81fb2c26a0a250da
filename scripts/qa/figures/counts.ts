/** Counts things by name. */
export class Counts {
  readonly #counts = new Map<string, number>();

  add(name: string, count = 1): void {
    this.#counts.set(name, this.get(name) + count);
  }

  addAll(others: Counts): void {
    for (const [name, count] of others.#counts) this.add(name, count);
  }

  /** Returns 0 for what was never added. */
  get(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  get size(): number {
    return this.#counts.size;
  }

  /** By name. */
  get sorted(): readonly (readonly [name: string, count: number])[] {
    return [...this.#counts].sort(([one], [other]) => (one < other ? -1 : 1));
  }

  /** Returns such as `3 done, 1 failed`, in the order in which names came. */
  toString(): string {
    return [...this.#counts].map(([name, count]) => `${count} ${name}`).join(", ");
  }
}
