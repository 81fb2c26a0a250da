/** Chooses the threads of each batch by its number of tokens. */
import type { LlamaContext } from "node-llama-cpp";

/** The methods of the addon's context that are used here; they are missing from the library's types. */
interface NativeContext {
  initBatch(size: number): void;
  addToBatch(sequence: number, first: number, tokens: Uint32Array, outputs: Uint32Array): Uint32Array;
  setThreads(threads: number): void;
  decodeBatch(): Promise<void>;
  disposeSequence(sequence: number): void;
}

export type BatchThreads = ReturnType<typeof chooseThreadsByBatch>;

/** Takes over the threads of a context. Until `use` is called, batches use the library's threads. */
export function chooseThreadsByBatch(context: LlamaContext) {
  const { _ctx: native } = context as unknown as { readonly _ctx: NativeContext };
  const initBatch = native.initBatch.bind(native);
  const setThreads = native.setThreads.bind(native);
  let chooseThreads: ((tokens: number) => number) | null = null;
  let batchTokens = 0;
  const wrapped: Pick<NativeContext, "initBatch" | "setThreads"> = {
    initBatch(size) {
      batchTokens = size;
      initBatch(size);
    },
    setThreads(threads) {
      setThreads(chooseThreads?.(batchTokens) ?? threads);
    },
  };
  // The addon's methods are read-only.
  for (const [name, value] of Object.entries(wrapped))
    Object.defineProperty(native, name, { value, configurable: true });
  return {
    /** From now on, batches use the threads that the function returns for their number of tokens. */
    use(choose: (tokens: number) => number): void {
      chooseThreads = choose;
    },
    /** Evaluates one batch of meaningless tokens in the first sequence, which is empty before and after. */
    async evaluate(tokens: number, threads: number): Promise<void> {
      initBatch(tokens);
      native.addToBatch(0, 0, new Uint32Array(tokens), Uint32Array.of(tokens - 1));
      setThreads(threads);
      try {
        await native.decodeBatch();
      } finally {
        native.disposeSequence(0);
      }
    },
  };
}
