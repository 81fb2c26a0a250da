/**
 * Sees to it that a batch's logits are in order before several samplers read them. Where prompts of different lengths share a
 * batch, llama.cpp leaves the rows in the order they were computed and swaps them at the first look; the library looks from
 * several threads at a time, and one that reads amid the swapping draws its token from a neighbour's row.
 */
import type { LlamaContext } from "node-llama-cpp";

/** The addon's context, as far as it is stepped between here; it is not in the library's types. */
interface NativeContext {
  initBatch(size: number): void;
  addToBatch(sequence: number, first: number, tokens: Uint32Array, logits: Uint32Array): Uint32Array;
  sampleToken(...asked: readonly unknown[]): Promise<unknown>;
}

/** Lets one sampler look first, alone, wherever a batch holds more than one token of a sequence. */
export function orderSampling(context: LlamaContext): void {
  const { _ctx: native } = context as unknown as { readonly _ctx: NativeContext };
  const own = {
    initBatch: native.initBatch.bind(native),
    addToBatch: native.addToBatch.bind(native),
    sampleToken: native.sampleToken.bind(native),
  };
  let mayBeSwapped = false;
  let firstLook: Promise<unknown> | null = null;
  const ordered: NativeContext = {
    initBatch(size) {
      mayBeSwapped = false;
      firstLook = null;
      own.initBatch(size);
    },
    addToBatch(sequence, first, tokens, logits) {
      mayBeSwapped ||= tokens.length > 1;
      return own.addToBatch(sequence, first, tokens, logits);
    },
    sampleToken(...asked) {
      const look = (): Promise<unknown> => own.sampleToken(...asked);
      if (!mayBeSwapped) return look();
      if (firstLook !== null) return firstLook.then(look, look);
      return (firstLook = look());
    },
  };
  // The addon's own methods cannot be assigned to.
  for (const [name, value] of Object.entries(ordered))
    Object.defineProperty(native, name, { value, configurable: true });
}
