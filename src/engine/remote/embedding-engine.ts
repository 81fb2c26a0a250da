/** Embedding models that run in other servers: tokens are cut here, and vectors are computed there. */
import { z } from "zod";
import type { Clock } from "../../core/clock.js";
import type { EmbeddingEngine, LoadedEmbeddingModel } from "../../core/embeddings/engine.js";
import { toHearthError, type HearthError } from "../../core/errors.js";
import type { Model } from "../../core/model.js";
import type { LanguageWorker } from "../language/language-worker.js";
import { isUnreachable, mayBeTriedElsewhere, engineFailed } from "./errors.js";
import type { RemotePool } from "./pool.js";
import type { Replica } from "./replica.js";
import { SilenceWatch } from "./calls/silence.js";
import { traceCall, type CallTracing } from "./calls/traced-call.js";
import { postJson, type Server } from "./http.js";
import type { RemoteKind } from "./protocol.js";

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

// Asks servers for vectors through the `/v1/embeddings` that all kinds have, with token ids in.

/** Inputs of one request: its answer stays within what is read of one. */
const inputsMax = 64;

/** Where vectors are computed. */
interface VectorTarget {
  readonly server: Server;
  readonly kind: RemoteKind;
  readonly modelName: string;
}

const answerSchema = z.object({
  data: z.array(
    z.object({ index: z.number().int().min(0), embedding: z.union([z.string(), z.array(z.number())]) }),
  ),
  usage: z.object({ prompt_tokens: z.number().int() }),
});

/**
 * Returns the vector of each input, in their order.
 * @throws HearthError `model_unavailable`, also where the server has read another number of tokens than were sent.
 */
async function fetchVectors(
  target: VectorTarget,
  inputs: readonly Uint32Array[],
  { signal, heard }: { readonly signal: AbortSignal; readonly heard: () => void },
): Promise<readonly Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (let at = 0; at < inputs.length; at += inputsMax) {
    vectors.push(...(await fetchSome(target, inputs.slice(at, at + inputsMax), signal)));
    heard();
  }
  return vectors;
}

async function fetchSome(
  target: VectorTarget,
  inputs: readonly Uint32Array[],
  signal: AbortSignal,
): Promise<readonly Float32Array[]> {
  const { server, kind, modelName } = target;
  const { url } = server;
  const body = {
    model: modelName,
    input: inputs.map((tokens) => [...tokens]),
    // SGLang knows numbers only.
    encoding_format: kind === "sglang" ? "float" : "base64",
  };
  const { data: answer } = answerSchema.safeParse(await postJson(server, "/v1/embeddings", body, signal));
  if (answer === undefined) throw engineFailed(url, "its answer to /v1/embeddings has no vectors");
  const sent = inputs.reduce((sum, tokens) => sum + tokens.length, 0);
  const { prompt_tokens: read } = answer.usage;
  if (read !== sent) throw engineFailed(url, `it has read ${read} prompt tokens, and ${sent} were sent`);
  const byIndex = new Map(answer.data.map(({ index, embedding }) => [index, readNumbers(embedding)]));
  const vectors = inputs.map((_, index) => byIndex.get(index) ?? new Float32Array());
  const [{ length } = new Float32Array()] = vectors;
  const areVectors = vectors.every((vector) => vector.length === length && vector.every(Number.isFinite));
  if (length === 0 || !areVectors) throw engineFailed(url, "its vectors are not one for each input");
  return vectors;
}

/** Reads numbers, or the base64 of 32-bit numbers, least significant byte first. */
function readNumbers(embedding: string | readonly number[]): Float32Array {
  if (typeof embedding !== "string") return Float32Array.from(embedding);
  const bytes = Buffer.from(embedding, "base64");
  return Float32Array.from({ length: Math.floor(bytes.length / 4) }, (_, at) => bytes.readFloatLE(4 * at));
}
