import type { FileHandle } from "node:fs/promises";
import { GgufRefusal, grouped } from "./refusal.js";

const chunkBytes = 256 * 1024;

/**
 * A cursor over a file that buffers one chunk and reads more as the cursor moves. Reading past the end is a
 * GgufRefusal. A length claimed in the file is compared with the remaining bytes before anything is
 * allocated. `fill` makes bytes available; the number readers consume available bytes.
 */
export class Source {
  /** Size of the file when it was opened. */
  readonly bytes: number;
  readonly #file: FileHandle;
  readonly #chunk: Buffer;
  #chunkStart = 0;
  #cursor = 0;
  #end = 0;

  constructor(file: FileHandle, bytes: number) {
    this.#file = file;
    this.bytes = bytes;
    this.#chunk = Buffer.allocUnsafe(Math.min(chunkBytes, Math.max(bytes, 64)));
  }

  /** Offset of the next byte in the file. */
  get position(): number {
    return this.#chunkStart + this.#cursor;
  }

  get remaining(): number {
    return this.bytes - this.position;
  }

  /** Returns whether `count` bytes are available without another read. */
  has(count: number): boolean {
    return this.#end - this.#cursor >= count;
  }

  /** Makes `count` bytes available, at most one chunk. @throws GgufRefusal if the file ends before */
  async fill(count: number): Promise<void> {
    if (this.has(count)) return;
    if (count > this.remaining || count > this.#chunk.length) throw this.#endsEarly();
    this.#chunk.copyWithin(0, this.#cursor, this.#end);
    this.#chunkStart += this.#cursor;
    this.#end -= this.#cursor;
    this.#cursor = 0;
    while (this.#end < count) {
      const at = this.#chunkStart + this.#end;
      const { bytesRead } = await this.#file.read(this.#chunk, this.#end, this.#chunk.length - this.#end, at);
      if (bytesRead === 0) throw this.#endsEarly();
      this.#end += bytesRead;
    }
  }

  /** Skips `count` bytes without reading them. @throws GgufRefusal if the file ends before */
  skip(count: number): void {
    if (count > this.remaining) throw this.#endsEarly();
    if (this.has(count)) {
      this.#cursor += count;
      return;
    }
    this.#chunkStart = this.position + count;
    this.#cursor = 0;
    this.#end = 0;
  }

  /** Returns the next `count` bytes, decoded as UTF-8. @throws GgufRefusal if the file ends before */
  async text(count: number): Promise<string> {
    if (count > this.remaining) throw this.#endsEarly();
    const pieces: Buffer[] = [];
    for (let left = count; left > 0;) {
      const size = Math.min(left, this.#chunk.length);
      await this.fill(size);
      pieces.push(Buffer.from(this.view(size)));
      left -= size;
    }
    return Buffer.concat(pieces).toString("utf8");
  }

  /** Returns the next `count` available bytes; the view is valid until the next call. */
  view(count: number): Uint8Array {
    this.#cursor += count;
    return this.#chunk.subarray(this.#cursor - count, this.#cursor);
  }

  u8(): number {
    this.#cursor += 1;
    return this.#chunk.readUInt8(this.#cursor - 1);
  }

  i8(): number {
    this.#cursor += 1;
    return this.#chunk.readInt8(this.#cursor - 1);
  }

  u16(): number {
    this.#cursor += 2;
    return this.#chunk.readUInt16LE(this.#cursor - 2);
  }

  i16(): number {
    this.#cursor += 2;
    return this.#chunk.readInt16LE(this.#cursor - 2);
  }

  u32(): number {
    this.#cursor += 4;
    return this.#chunk.readUInt32LE(this.#cursor - 4);
  }

  i32(): number {
    this.#cursor += 4;
    return this.#chunk.readInt32LE(this.#cursor - 4);
  }

  f32(): number {
    this.#cursor += 4;
    return this.#chunk.readFloatLE(this.#cursor - 4);
  }

  f64(): number {
    this.#cursor += 8;
    return this.#chunk.readDoubleLE(this.#cursor - 8);
  }

  /** Exact up to 2^53 and rounded above, where every length and offset exceeds its limit anyway. */
  u64(): number {
    const low = this.u32();
    return this.u32() * 2 ** 32 + low;
  }

  i64(): number {
    const low = this.u32();
    return this.i32() * 2 ** 32 + low;
  }

  #endsEarly(): GgufRefusal {
    return new GgufRefusal(
      `the file ends at byte ${grouped(this.bytes)}, inside its header: it is truncated.`,
    );
  }
}
