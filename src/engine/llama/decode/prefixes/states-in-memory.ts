/** The states of the stored prefixes that were used last, in memory as well: one is written back in a fraction of the time of a file. */
export class StatesInMemory {
  readonly #bytesMax: number;
  /** By the id of the entry, in the order of use. */
  readonly #states = new Map<string, ArrayBuffer>();
  #bytes = 0;

  /** @param bytesMax of all states together; 0 keeps none */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Total bytes of all states. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether a state of this size would be kept. */
  hasRoomFor(bytes: number): boolean {
    return bytes <= this.#bytesMax;
  }

  has(id: string): boolean {
    return this.#states.has(id);
  }

  /** Keeps a state, in place of those that were used longest ago. */
  keep(id: string, state: ArrayBuffer): void {
    this.remove(id);
    if (!this.hasRoomFor(state.byteLength)) return;
    for (const oldest of this.#states.keys()) {
      if (this.#bytes + state.byteLength <= this.#bytesMax) break;
      this.remove(oldest);
    }
    this.#states.set(id, state);
    this.#bytes += state.byteLength;
  }

  /** Returns a state, which counts as used; null when it is not kept. */
  take(id: string): ArrayBuffer | null {
    const state = this.#states.get(id);
    if (state === undefined) return null;
    this.#states.delete(id);
    this.#states.set(id, state);
    return state;
  }

  remove(id: string): void {
    this.#bytes -= this.#states.get(id)?.byteLength ?? 0;
    this.#states.delete(id);
  }
}
