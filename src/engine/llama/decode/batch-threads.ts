/** Lets batches with much work use more threads than single tokens, for which the threads of a small model would mostly wait. */
import type { LlamaContext } from "node-llama-cpp";

/** The methods of the addon's context that are wrapped here; they are missing from the library's types. */
interface NativeContext {
  initBatch(size: number): void;
  setThreads(threads: number): void;
}

/** Makes batches use at least as many threads as `threadsForBatch` returns for their number of tokens. */
export function useThreadsByBatch(context: LlamaContext, threadsForBatch: (tokens: number) => number): void {
  const { _ctx: native } = context as unknown as { readonly _ctx: NativeContext };
  const original = { initBatch: native.initBatch.bind(native), setThreads: native.setThreads.bind(native) };
  let batchTokens = 0;
  const wrapped: NativeContext = {
    initBatch(size) {
      batchTokens = size;
      original.initBatch(size);
    },
    setThreads(threads) {
      original.setThreads(Math.max(threads, threadsForBatch(batchTokens)));
    },
  };
  // The addon's methods are read-only.
  for (const [name, value] of Object.entries(wrapped))
    Object.defineProperty(native, name, { value, configurable: true });
}
