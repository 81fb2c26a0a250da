/** What a scripted replica does: it remembers the latest prompts, and takes time for what it has not evaluated yet. */
import { blockTokens, type Turn } from "./conversations.js";

const cachedTokensMax = 400_000;
const promptTokensPerSecond = 8_000;
const answerTokensPerSecond = 60;

export class ReplicaModel {
  readonly #blocks = new Set<number>();
  readonly #blocksMax: number;
  running = 0;
  busyMs = 0;

  constructor(memory: number) {
    this.#blocksMax = (memory * cachedTokensMax) / blockTokens;
  }

  /** Begins a request. @returns how long it takes, and the blocks of its prompt that were there */
  begin({ blocks, answerTokens }: Turn): { readonly ms: number; readonly cached: number } {
    let cached = 0;
    while (cached < blocks.length && this.#blocks.has(blocks[cached] ?? -1)) cached += 1;
    // The end of a prompt is forgotten before its beginning.
    for (const block of blocks.toReversed()) {
      this.#blocks.delete(block);
      this.#blocks.add(block);
    }
    for (const block of this.#blocks) {
      if (this.#blocks.size <= this.#blocksMax) break;
      this.#blocks.delete(block);
    }
    this.running += 1;
    const evaluated = (blocks.length - cached) * blockTokens;
    const ms = (1_000 * evaluated) / promptTokensPerSecond + (1_000 * answerTokens) / answerTokensPerSecond;
    this.busyMs += ms;
    return { ms, cached };
  }
}
