/** Loads an embedding or rerank model into memory: its weights, a context that pools, and its tokenizer. */
import type { Llama, LlamaModel } from "node-llama-cpp";
import { isEncoder } from "../../../core/embeddings/encoders.js";
import type { InputSource } from "../../../core/embeddings/request.js";
import { HearthError } from "../../../core/errors.js";
import type { Model } from "../../../core/model.js";
import { loadWeights, type LoadingHelp } from "../load/load-weights.js";
import { threadsFor } from "../../worker/machine.js";
import { loadingError } from "../../language/load/loading-error.js";
import type { LlamaSettings } from "../protocol.js";
import { readInputModel, inputTokens } from "../../language/inputs/input-tokens.js";
import { createPooledContext, type RunPiece } from "./pooled-context.js";

export type LoadedEmbedder = Awaited<ReturnType<typeof createEmbedder>>;

/** Tokens that are evaluated at once where an input need not be read in one piece. */
const chunkTokens = 128;
/** llama.cpp's number for the pooling type `last`. */
const lastTokenPooling = 3;

/**
 * Loads a model and creates its context.
 * @throws HearthError `model_unavailable` with one public sentence.
 */
export async function loadEmbedder(
  llama: Llama,
  model: Model,
  settings: LlamaSettings,
  help: LoadingHelp,
): Promise<LoadedEmbedder> {
  try {
    const weights = await loadWeights(llama, model, help);
    try {
      return await createEmbedder(weights, model, settings);
    } catch (thrown) {
      await weights.dispose();
      throw thrown;
    }
  } catch (thrown) {
    throw loadingError(model, thrown);
  }
}

async function createEmbedder(weights: LlamaModel, { manifest }: Model, settings: LlamaSettings) {
  const ranks = manifest.kind === "rerank";
  const contextTokens = Math.min(manifest.contextTokens, settings.contextTokensMax, weights.trainContextSize);
  const { architecture, pooling } = readPooling(weights);
  const inPieces = pooling === lastTokenPooling && !isEncoder(architecture);
  const context = await createPooledContext(weights, {
    contextTokens,
    batchTokens: inPieces ? Math.min(chunkTokens, contextTokens) : contextTokens,
    threads: settings.threads ?? threadsFor(manifest.bytes, settings.cores),
    flashAttention: settings.flashAttention === "auto" ? "auto" : settings.flashAttention === "on",
    ranks,
  });
  // Some models end with a layer that changes the length.
  const { length: dimensions } = await context.evaluate(Uint32Array.of(0), (work) => work());
  const inputModel = readInputModel(weights, contextTokens);
  const oneAtATime = createQueue();
  return {
    contextTokens,
    /** Length of a vector; 1 for a rerank model. */
    dimensions: ranks ? 1 : dimensions,
    /** `cpu`, or the GPU's kind when any layer is there. */
    device: weights.gpuLayers > 0 ? String(weights.llama.gpu) : "cpu",
    tokenizeInputs: (source: InputSource, signal: AbortSignal): Promise<readonly Uint32Array[]> =>
      inputTokens(inputModel, source, signal),
    /**
     * Evaluates one input, after the inputs of earlier calls.
     * @param runPiece runs a part of the evaluation; other work may run between two parts.
     * @returns its vector, or one score from 0 to 1.
     */
    evaluate: async (tokens: Uint32Array, runPiece: RunPiece): Promise<Float32Array> => {
      const vector = await oneAtATime(() => context.evaluate(tokens, runPiece));
      if (!vector.every(Number.isFinite)) throw notFinite(manifest.id);
      return ranks ? Float32Array.of(toProbability(vector[0] ?? 0, architecture)) : vector;
    },
    async dispose(): Promise<void> {
      await context.dispose();
      await weights.dispose();
    },
  };
}

/** Returns a function that runs asynchronous work, each after the one before has ended. */
function createQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work, work);
    last = result.catch(() => undefined);
    return result;
  };
}

function readPooling({ fileInfo }: LlamaModel): { readonly architecture: string; readonly pooling: unknown } {
  const { architecture } = fileInfo.metadata.general;
  const own: Readonly<Record<string, unknown>> = { ...fileInfo.architectureMetadata };
  return { architecture, pooling: own["pooling_type"] };
}

/** Returns the probability that a document is relevant. Classifiers return a logit, except Qwen's, after which llama.cpp has a softmax. */
function toProbability(score: number, architecture: string): number {
  return architecture.startsWith("qwen3") ? score : 1 / (1 + Math.exp(-score));
}

function notFinite(id: string): HearthError {
  return new HearthError(
    "model_unavailable",
    `The model '${id}' returned a vector with values that are not numbers.`,
    {
      param: "model",
    },
  );
}
