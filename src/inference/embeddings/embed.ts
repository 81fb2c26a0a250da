/**
 * Embedding and reranking: from an accepted request to its vectors or scores. A run (execute.ts) is charged for the tokens that it
 * evaluated and is settled whether or not a client waits; the client's signal aborts it.
 *
 * States of a run: loading -> queued -> evaluating -> settled; it can fail or be aborted in any of the first three.
 */
import type { EmbeddingEngine, LoadedEmbeddingModel } from "../../core/embeddings/engine.js";
import type { EmbeddingRequest, InputSource, RerankRequest } from "../../core/embeddings/request.js";
import { HearthError } from "../../core/errors.js";
import { atPercent, type Model, type ModelRegistry } from "../../core/model.js";
import type { Ticks } from "../../core/money.js";
import type { Random } from "../../core/random.js";
import { noUsage } from "../../core/usage.js";
import { createRunExecutor, type RunExecutor } from "../run/execute.js";
import { labelsText, withLabels } from "../run/labels.js";
import type { BillableRun, ExecutorDeps, RunContext } from "../run/run-deps.js";
import { timedLoads } from "../run/timed-loads.js";
import { usableModel } from "../usable-model.js";
import type { Write } from "../../store/writes.js";
import type { RunEnd } from "../run/recorder.js";
import { EmbeddingWork, type EmbeddingWorkDeps } from "./embedding-work.js";
import { similarity, unitVector } from "./vectors.js";

export interface EmbedderDeps extends ExecutorDeps {
  readonly models: ModelRegistry;
  readonly embeddingEngine: EmbeddingEngine;
  readonly random: Random;
}

/** What a run has evaluated. */
export interface Evaluated {
  readonly model: Model;
  /** One for each input, of length 1 where they are the answer. */
  readonly vectors: readonly Float32Array[];
  /** Tokens that the model read, its marks included. */
  readonly promptTokens: number;
  /** Milliseconds it waited for the model to be in memory. */
  readonly loadMs: number;
  readonly costTicks: Ticks;
}

/** Turns what a run has evaluated into rows that are written in the same transaction as the run's end. */
export interface EmbeddingRecorder {
  /** @param evaluated null for a run that failed or was aborted. @returns null when the work will be done again. */
  writes(end: RunEnd, evaluated: Evaluated | null): readonly Write[] | null;
}

export interface Ranking extends Evaluated {
  /** One for each document, in their order; from 0 to 1. */
  readonly scores: readonly number[];
}

export type Embedder = ReturnType<typeof createEmbedder>;

/** Without a check, and nothing written in addition. */
const plain = { check: () => undefined, writes: () => [] };

/** Builds the embedder; no run is active yet. */
export function createEmbedder(deps: EmbedderDeps) {
  const executor = createRunExecutor(deps);
  const { clock, embeddingEngine: engine } = deps;
  const load = timedLoads({ ...deps, engine });
  const evaluate = async (
    run: RunOf,
    source: InputSource,
    { check, signal, writes }: Evaluation,
  ): Promise<Evaluated> => {
    const work = new EmbeddingWork({ engine, clock, load, check, writes }, run.model, source);
    const active = executor.execute({ id: deps.random.id(), ...run }, work);
    const onAbort = (): void => active.abort(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    await active.finished;
    signal.removeEventListener("abort", onAbort);
    return { model: run.model, ...work.result() };
  };
  return {
    /**
     * Embeds inputs and charges for them.
     * @throws HearthError `model_not_found`, `model_unavailable`, `overloaded`, `no_credits`, `context_length_exceeded`, `invalid_value`.
     * @param recorder returns what is written together with the run's end.
     * @throws the signal's reason when it aborts; what is evaluated by then is charged.
     */
    async embed(
      request: EmbeddingRequest,
      unlabelled: RunContext,
      signal: AbortSignal,
      recorder?: EmbeddingRecorder,
    ): Promise<Evaluated> {
      const { model: name, inputs, dimensions } = request;
      const context = withLabels(unlabelled, request, deps.withoutSecrets);
      const model = admit(executor, context, () => usableModel(deps.models, name, "embedding"));
      const check = (loaded: LoadedEmbeddingModel): void => checkDimensions(loaded, dimensions);
      const labels = labelsText(request, deps.withoutSecrets);
      const run = { model, requestedModel: name, context, labels };
      const unitOf = (result: Evaluated): Evaluated => ofUnitLength(result, dimensions);
      const writes: Evaluation["writes"] = (end, result) => {
        const evaluated = result === null ? null : unitOf({ model, ...result });
        return recorder === undefined ? [] : recorder.writes(end, evaluated);
      };
      return unitOf(await evaluate(run, { type: "inputs", inputs }, { check, signal, writes }));
    },
    /**
     * Scores documents for a query and charges for them: with a rerank model, or with an embedding model by the similarity of vectors if
     * its manifest allows it.
     * @throws as `embed` does.
     */
    async rerank(
      { model: name, query, documents }: RerankRequest,
      unlabelled: RunContext,
      signal: AbortSignal,
    ): Promise<Ranking> {
      const context = withLabels(unlabelled, {}, deps.withoutSecrets);
      const model = admit(executor, context, () => rankingModel(deps.models, name));
      const bySimilarity = model.manifest.kind === "embedding";
      const source: InputSource = { type: bySimilarity ? "separate" : "pairs", query, documents };
      const run = { model, requestedModel: name, context };
      const evaluated = await evaluate(run, source, { ...plain, signal });
      const { vectors } = evaluated;
      return {
        ...evaluated,
        scores: bySimilarity ? similarities(vectors) : vectors.map((score) => score[0] ?? 0),
      };
    },
    /** Aborts every run; resolves when the end of each is written, or was given up because it cannot be written. */
    close: (): Promise<void> => executor.close(),
  };
}

/** Returns the same with vectors of length 1. @param dimensions how many numbers of each are kept; null = all */
function ofUnitLength(evaluated: Evaluated, dimensions: number | null): Evaluated {
  return { ...evaluated, vectors: evaluated.vectors.map((vector) => unitVector(vector, dimensions)) };
}

type RunOf = Pick<BillableRun, "model" | "requestedModel" | "context" | "labels">;

interface Evaluation {
  /** @throws HearthError when the loaded model cannot do what is requested. */
  readonly check: (loaded: LoadedEmbeddingModel) => void;
  readonly signal: AbortSignal;
  readonly writes: EmbeddingWorkDeps["writes"];
}

/** Chooses the model of a run; a run that is refused counts no tokens. */
function admit(
  executor: RunExecutor,
  { tokenReservation, pricePercent = 100 }: RunContext,
  choose: () => Model,
): Model {
  try {
    executor.refuseWhenFull();
    return atPercent(choose(), pricePercent);
  } catch (thrown) {
    tokenReservation?.reconcile(noUsage);
    throw thrown;
  }
}

/** Returns a usable model that can rank. @throws HearthError as `usableModel` does. */
function rankingModel(models: ModelRegistry, name: string): Model {
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
