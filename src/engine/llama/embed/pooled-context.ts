/**
 * A context that turns one input at a time into one vector. The library's own embedding context adds marks around the tokens on its own,
 * differently from llama.cpp for some tokenizers, and its addon returns the vector of the first sequence only: a batch holds one input.
 */
import type { LlamaContext, LlamaModel } from "node-llama-cpp";
import { contextReason, withNativeReason } from "../load/native-reason.js";

interface PooledContextOptions {
  /** Maximum tokens of one input. */
  readonly contextTokens: number;
  /** Tokens that are evaluated at once; an input that must be read in one piece needs as many as the context has. */
  readonly batchTokens: number;
  readonly threads: number;
  readonly flashAttention: boolean | "auto";
  /** Whether the pooled value is a score. */
  readonly ranks: boolean;
}

/** Runs one piece of work when it may use the cores. @throws what the work throws, or what forbids it. */
export type RunPiece = (work: () => Promise<void>) => Promise<void>;

/** The methods of the addon's context that are used here; they are missing from the library's types. */
interface NativeContext {
  initBatch(size: number): void;
  addToBatch(sequence: number, first: number, tokens: Uint32Array, outputs: Uint32Array): Uint32Array;
  decodeBatch(): Promise<void>;
  getEmbedding(tokens: number): Float64Array;
  disposeSequence(sequence: number): void;
}

/** Creates the context and reserves its memory. One at a time. @throws Error with the library's reason, such as too little memory. */
export async function createPooledContext(
  weights: LlamaModel,
  { contextTokens, batchTokens, threads, flashAttention, ranks }: PooledContextOptions,
) {
  // The last two are missing from the library's types, too.
  const options = {
    contextSize: contextTokens,
    sequences: 1,
    batchSize: batchTokens,
    threads,
    flashAttention,
    failedCreationRemedy: false,
    _embeddings: true,
    _ranking: ranks,
  } as const;
  const create = (): Promise<LlamaContext> => weights.createContext(options);
  const context = await withNativeReason(weights.llama, contextReason, create);
  const { _ctx: native } = context as unknown as { readonly _ctx: NativeContext };
  return {
    /**
     * Evaluates one input from an empty state. One call at a time.
     * @param tokens at least one, at most `contextTokens`.
     * @param runPiece runs the evaluation of at most `batchTokens` tokens.
     */
    async evaluate(tokens: Uint32Array, runPiece: RunPiece): Promise<Float32Array> {
      try {
        for (let from = 0; from < tokens.length; from += batchTokens) {
          const piece = tokens.slice(from, from + batchTokens);
          await runPiece(async () => {
            native.initBatch(piece.length);
            native.addToBatch(0, from, piece, Uint32Array.from(piece.keys()));
            await native.decodeBatch();
          });
        }
        return Float32Array.from(native.getEmbedding(tokens.length));
      } finally {
        native.disposeSequence(0);
      }
    },
    dispose: () => context.dispose(),
  };
}
