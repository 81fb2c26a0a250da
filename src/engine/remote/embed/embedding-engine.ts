/** Embedding models that run in other servers: tokens are cut here, and vectors are computed there. */
import type { Clock } from "../../../core/clock.js";
import type { EmbeddingEngine, LoadedEmbeddingModel } from "../../../core/embeddings/engine.js";
import { toHearthError, type HearthError } from "../../../core/errors.js";
import type { Model } from "../../../core/model.js";
import type { LanguageWorker } from "../../language/language-worker.js";
import { isUnreachable, mayBeTriedElsewhere } from "../errors.js";
import type { RemotePool } from "../pool.js";
import type { Replica } from "../replica.js";
import { SilenceWatch } from "../calls/silence.js";
import { traceCall, type CallTracing } from "../calls/traced-call.js";
import { fetchVectors } from "./vectors.js";

type LeasedVocabulary = Omit<LoadedEmbeddingModel, "dimensions"> & { readonly sample: readonly number[] };

interface CallDeps {
  readonly tracing: CallTracing;
  readonly clock: Clock;
}

interface RemoteEmbeddingDeps extends CallDeps {
  readonly language: LanguageWorker;
  readonly findPool: (model: Model) => RemotePool;
  /** Loads the vocabulary of a model; `sample` is the same array until it is loaded again. */
  readonly lease: (model: Model, signal?: AbortSignal) => Promise<LeasedVocabulary>;
}

export function createRemoteEmbeddings({
  language,
  findPool,
  lease,
  ...deps
}: RemoteEmbeddingDeps): Omit<EmbeddingEngine, "residents"> {
  const known = new WeakMap<LeasedVocabulary["sample"], Promise<number>>();
  /** Asks how long the vectors are, once for each load of the vocabulary, until an answer has come. */
  const findDimensions = (pool: RemotePool, { sample }: LeasedVocabulary): Promise<number> => {
    const asked = known.get(sample) ?? askDimensions(pool, deps);
    known.set(sample, asked);
    asked.catch(() => known.delete(sample));
    return asked;
  };
  return {
    async load(model, signal) {
      const pool = findPool(model);
      await pool.ready();
      const leased = await lease(model, signal);
      try {
        const dimensions = await findDimensions(pool, leased);
        return { ...leased, dimensions, slots: pool.slots, sharedAs: pool.sharedAs(model) };
      } catch (thrown) {
        leased.release();
        throw thrown;
      }
    },
    tokenizeInputs: (model, source, signal) => language.tokenizeInputs(model, source, signal),
    embed: (model, inputs, signal) => embedOn(findPool(model), deps, inputs, signal),
  };
}

/** Returns the length of the vectors that its servers compute. */
async function askDimensions(pool: RemotePool, deps: CallDeps): Promise<number> {
  const [vector] = await embedOn(pool, deps, [Uint32Array.of(0)], new AbortController().signal);
  return vector?.length ?? 0;
}

/** Asks one server after the other until one answers: a vector is the same on each. */
async function embedOn(
  pool: RemotePool,
  { tracing, clock }: CallDeps,
  inputs: readonly Uint32Array[],
  signal: AbortSignal,
): Promise<readonly Float32Array[]> {
  const tried = new Set<Replica>();
  let failure: HearthError | null = null;
  for (;;) {
    const place = enter(pool, tried, failure);
    const { server, modelName } = place;
    const { kind } = pool.settings;
    const call = traceCall(tracing, "embeddings", { kind, modelName, url: server.url });
    const silence = new SilenceWatch({ clock, server: place.replica, signal });
    try {
      const target = { kind, modelName, server: { ...server, headers: call.headers } };
      const vectors = await fetchVectors(target, inputs, {
        signal: silence.signal,
        heard: () => silence.heard(),
      });
      call.end();
      return vectors;
    } catch (failed) {
      const thrown = silence.failure ?? failed;
      call.end(signal.aborted ? undefined : thrown);
      signal.throwIfAborted();
      if (!mayBeTriedElsewhere(thrown)) throw thrown;
      if (isUnreachable(thrown)) place.replica.fail(thrown);
      tried.add(place.replica);
      failure ??= toHearthError(thrown);
    } finally {
      silence.stop();
      place.leave();
    }
  }
}

/** Where no other server is left, the first reason says more. */
function enter(pool: RemotePool, tried: ReadonlySet<Replica>, failure: HearthError | null) {
  try {
    return pool.enterServer(tried);
  } catch (thrown) {
    throw failure ?? thrown;
  }
}
