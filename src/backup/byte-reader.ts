/** Reads exact numbers of bytes from a stream of chunks. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** Returns the next bytes. @throws Error if there are fewer. */
  async take(bytes: number): Promise<Buffer> {
    const taken: Buffer[] = [];
    for await (const chunk of this.chunks(bytes)) taken.push(chunk);
    return Buffer.concat(taken);
  }

  /** Iterates over the next bytes as they arrive. @throws Error if there are fewer. */
  async *chunks(bytes: number): AsyncGenerator<Buffer> {
    let left = bytes;
    while (left > 0) {
      if (await this.isAtEnd()) throw new Error("it is truncated");
      const chunk = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(chunk.length);
      left -= chunk.length;
      yield chunk;
    }
  }

  /** Whether no byte follows. */
  async isAtEnd(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const next = await this.#chunks.next();
      if (next.done === true) return true;
      this.#rest = next.value;
    }
    return false;
  }
}
