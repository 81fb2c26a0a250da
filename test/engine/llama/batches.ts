import type { Resident } from "../../../src/engine/llama/load/resident.js";

/** The addon's context, which is missing from the library's types; the tests check the calls it receives. */
interface NativeContext {
  initBatch(size: number): void;
  addToBatch(sequence: number, first: number, tokens: Uint32Array, logits: Uint32Array): unknown;
}

export interface BatchItem {
  readonly sequence: number;
  readonly tokens: number;
  /** Rows of logits that are read. */
  readonly rows: number;
}

/** Records every batch that llama.cpp receives. */
export function recordBatches(resident: Resident): BatchItem[][] {
  const context = resident.sequences[0]?.context as unknown as { _ctx: NativeContext };
  const native = context._ctx;
  const batches: BatchItem[][] = [];
  const watched: Partial<NativeContext> = {
    initBatch(size) {
      batches.push([]);
      native.initBatch(size);
    },
    addToBatch(sequence, first, tokens, logits) {
      batches.at(-1)?.push({ sequence, tokens: tokens.length, rows: logits.length });
      return native.addToBatch(sequence, first, tokens, logits);
    },
  };
  context._ctx = new Proxy(native, {
    get(target, name) {
      const member: unknown = Reflect.get(watched, name) ?? Reflect.get(target, name);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
  return batches;
}
