/**
 * Ensures that a batch's logits are in order before several samplers read them. When prompts of different lengths share a batch,
 * llama.cpp leaves the rows in the order of computation and reorders them at the first read. The library reads from several threads at
 * once, and a read during the reordering would sample from another sequence's row.
 */
import type { LlamaContext } from "node-llama-cpp";

/** The methods of the addon's context that are wrapped here; they are missing from the library's types. */
interface NativeContext {
  initBatch(size: number): void;
  addToBatch(sequence: number, first: number, tokens: Uint32Array, logits: Uint32Array): Uint32Array;
  sampleToken(...args: readonly unknown[]): Promise<unknown>;
}

/** Makes the first sampler of a batch run alone when the batch holds more than one token of a sequence. */
export function serialiseFirstSample(context: LlamaContext): void {
  const { _ctx: native } = context as unknown as { readonly _ctx: NativeContext };
  const original = {
    initBatch: native.initBatch.bind(native),
    addToBatch: native.addToBatch.bind(native),
    sampleToken: native.sampleToken.bind(native),
  };
  let mayReorder = false;
  let firstSample: Promise<unknown> | null = null;
  const ordered: NativeContext = {
    initBatch(size) {
      mayReorder = false;
      firstSample = null;
      original.initBatch(size);
    },
    addToBatch(sequence, first, tokens, logits) {
      mayReorder ||= tokens.length > 1;
      return original.addToBatch(sequence, first, tokens, logits);
    },
    sampleToken(...args) {
      const sample = (): Promise<unknown> => original.sampleToken(...args);
      if (!mayReorder) return sample();
      if (firstSample !== null) return firstSample.then(sample, sample);
      return (firstSample = sample());
    },
  };
  // The addon's methods are read-only.
  for (const [name, value] of Object.entries(ordered))
    Object.defineProperty(native, name, { value, configurable: true });
}
