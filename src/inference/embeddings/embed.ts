/**
 * Embedding and reranking: from an accepted request to its vectors or scores. A run is charged for the tokens that it evaluated and is
 * settled whether or not a client waits; the client's signal aborts it.
 */
import type { LoadedEmbeddingModel } from "../../core/embeddings/engine.js";
import type { EmbeddingRequest, RerankRequest } from "../../core/embeddings/request.js";
import { HearthError } from "../../core/errors.js";
import type { Model, ModelRegistry } from "../../core/model.js";
import type { LiveRuns } from "../run/live-runs.js";
import type { RunContext } from "../run/run-context.js";
import { timedLoads } from "../run/timed-loads.js";
import { usableModel } from "../usable-model.js";
import { EmbeddingRun, type EmbeddingServices, type Evaluated, type Evaluation } from "./embedding-run.js";

interface Ranking extends Evaluated {
  /** One for each document, in their order; from 0 to 1. */
  readonly scores: readonly number[];
}

export type Embedder = ReturnType<typeof createEmbedder>;

/** Builds the embedder. @param liveRuns runs of all kinds, which the embedder's are added to */
export function createEmbedder(liveRuns: LiveRuns, parts: Omit<EmbeddingServices, "load">) {
  const load = timedLoads({ ...parts, engine: parts.embeddingEngine });
  const services: EmbeddingServices = { ...parts, load };
  const { models } = services;
  const evaluate = async (
    model: Model,
    evaluation: Evaluation,
    context: RunContext,
    signal: AbortSignal,
  ): Promise<Evaluated> => {
    const run = new EmbeddingRun(services, model, evaluation, context);
    await liveRuns.runToEnd(run, signal, () => run.evaluate());
    return run.result();
  };
  return {
    /**
     * Embeds inputs and charges for them.
     * @throws HearthError `model_not_found`, `model_unavailable`, `overloaded`, `no_credits`, `context_length_exceeded`, `invalid_value`.
     * @param writes returns what is written together with the run's end.
     * @throws the signal's reason when it aborts; what is evaluated by then is charged.
     */
    async embed(
      { model: name, inputs, dimensions, truncates, labels }: EmbeddingRequest,
      context: RunContext,
      signal: AbortSignal,
      writes: Evaluation["writes"] = () => [],
    ): Promise<Evaluated> {
      const model = liveRuns.admit(context, () => usableModel(models, name, "embedding"));
      const toUnit = (result: Evaluated): Evaluated => withUnitVectors(result, dimensions);
      const evaluation: Evaluation = {
        model: name,
        labels,
        source: { type: "inputs", inputs, truncates },
        check: (loaded) => checkDimensions(loaded, dimensions),
        writes: (end, result) => writes(end, result === null ? null : toUnit(result)),
      };
      return toUnit(await evaluate(model, evaluation, context, signal));
    },
    /**
     * Scores documents for a query and charges for them: with a rerank model, or with an embedding model by the similarity of vectors if
     * its manifest allows it.
     * @throws as `embed` does.
     */
    async rerank(
      { model: name, query, documents }: RerankRequest,
      context: RunContext,
      signal: AbortSignal,
    ): Promise<Ranking> {
      const model = liveRuns.admit(context, () => findRankingModel(models, name));
      const bySimilarity = model.manifest.kind === "embedding";
      const evaluation: Evaluation = {
        model: name,
        source: { type: bySimilarity ? "separate" : "pairs", query, documents },
        check: () => undefined,
        writes: () => [],
      };
      const evaluated = await evaluate(model, evaluation, context, signal);
      const { vectors } = evaluated;
      return {
        ...evaluated,
        scores: bySimilarity ? similarities(vectors) : vectors.map((score) => score[0] ?? 0),
      };
    },
  };
}

/** Returns the same with vectors of length 1. @param dimensions how many numbers of each are kept; null = all */
function withUnitVectors(evaluated: Evaluated, dimensions: number | null): Evaluated {
  return { ...evaluated, vectors: evaluated.vectors.map((vector) => unitVector(vector, dimensions)) };
}

/** Returns a usable model that can rank. @throws HearthError as `usableModel` does. */
function findRankingModel(models: ModelRegistry, name: string): Model {
  const isAllowed = models.find(name)?.manifest.rerankBy === "similarity";
  return usableModel(models, name, isAllowed ? "embedding" : "rerank");
}

function checkDimensions({ dimensions: own }: LoadedEmbeddingModel, dimensions: number | null): void {
  if (dimensions === null || dimensions <= own) return;
  throw new HearthError(
    "invalid_value",
    `dimensions: must be at most ${own}, the length of this model's vectors`,
    {
      param: "dimensions",
    },
  );
}

/** Returns the similarity of the first vector with each other one, from 0 (opposite) to 1 (equal). */
function similarities(vectors: readonly Float32Array[]): readonly number[] {
  const [query = new Float32Array(), ...documents] = vectors.map((vector) => unitVector(vector, null));
  return documents.map((document) => (1 + similarity(query, document)) / 2);
}

/**
 * Returns the first `length` numbers of a vector, scaled to the Euclidean length 1: vectors of models that are trained for it keep their
 * meaning when their end is cut off. A vector of zeros stays as it is.
 * @param length null = all of it.
 */
function unitVector(vector: Float32Array, length: number | null): Float32Array {
  const kept = length === null ? vector : vector.subarray(0, length);
  const norm = Math.sqrt(kept.reduce((sum, value) => sum + value * value, 0));
  return norm === 0 ? kept : kept.map((value) => value / norm);
}

/** Returns the cosine of the angle between two vectors of length 1. */
function similarity(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}
