/**
 * The llama engine as the HTTP thread uses it: implements the engine port with the thread of text models, in which all models, contexts,
 * tokenization and templates are.
 */
import { Channel } from "../../core/channel.js";
import type { Clock } from "../../core/clock.js";
import type { EmbeddingEngine } from "../../core/embeddings/engine.js";
import type { Engine } from "../../core/engine.js";
import { notRead, toHearthError } from "../../core/errors.js";
import type { EngineEvent } from "../../core/generation.js";
import { eventMerging, waitingEventsMax } from "../../core/requests/event-merging.js";
import { dropProjector, loadKey, type Model } from "../../core/model.js";
import type { Random } from "../../core/random.js";
import type { LanguageWorker } from "../language/language-worker.js";
import type { TextModelInfo } from "../language/protocol.js";
import { seedJob, type SeededJob } from "../language/seeded-job.js";
import type { ModelMemory } from "../memory/model-memory.js";
import { ResidentModels } from "../memory/resident-models.js";
import type { WorkerClient } from "../worker/client.js";
import { memoryEstimate } from "./load/memory-estimate.js";
import type { GgufTrials } from "./smoke-load.js";
import type { LlamaReplies, LlamaRequest, LlamaSettings } from "./protocol.js";

type LlamaWorker = Pick<
  WorkerClient<LlamaRequest, LlamaReplies, readonly EngineEvent[]>,
  "call" | "close" | "isBlocked"
>;

interface LlamaEngineDeps {
  readonly settings: LlamaSettings;
  /** The thread; it is closed with the engine. */
  readonly worker: LlamaWorker;
  readonly language: LanguageWorker;
  readonly random: Random;
  readonly clock: Clock;
  /** Shared with the other engines. */
  readonly memory: ModelMemory;
  /** How long an idle model stays in memory. */
  readonly keepAliveMs: number;
  /** Returns one public sentence when the weights do not match their manifest, else null. */
  readonly verify: (model: Model) => Promise<string | null>;
  /** Try files in child processes. */
  readonly trials: GgufTrials;
  /** Takes why a projector cannot be used; its model is loaded without it. */
  readonly onProjectorProblem: (model: Model, reason: string) => void;
}

/** The engine of all GGUF models. */
export interface LlamaEngine extends Engine {
  /** The same engine, for models that embed or score. */
  readonly embeddings: EmbeddingEngine;
}

export function createLlamaEngine(deps: LlamaEngineDeps): LlamaEngine {
  const { worker, language, settings, random } = deps;
  const models = new ResidentModels<TextModelInfo>({
    ...deps,
    estimate: (model) => memoryEstimate(model, settings),
    check: async (model) => (await deps.verify(model)) ?? (await deps.trials.model(model)),
    load: (model) => load(deps, model),
    unload: (model) => language.unload(model),
  });
  language.onLost(() => models.dropAll());
  return {
    embeddings: {
      load: (model, signal) => models.lease(model, signal),
      tokenizeInputs: (model, source, signal) => language.tokenizeInputs(model, source, signal),
      embed: (model, inputs, signal) =>
        worker.call({ type: "embed", key: loadKey(model), inputs }, { signal }),
      residents: () => models.list(),
    },
    load: (model, signal) => models.lease(model, signal),
    prompt: (model, source) => language.prompt(model, source),
    tokenize: (model, text) => language.tokenize(model, text),
    generate: (model, job, signal) => generate(worker, model, seedJob(job, random), signal),
    residents: () => models.list(),
    problem: () => (worker.isBlocked ? "the chat engine does not answer" : null),
    async close() {
      const closed = worker.close();
      models.dropAll();
      await closed;
    },
  };
}

/** Loads a model, without its projector where that cannot be used. */
async function load(
  { language, trials, onProjectorProblem }: LlamaEngineDeps,
  model: Model,
): Promise<TextModelInfo> {
  const tried = await trials.projector(model);
  const info = await language.load(tried === null ? model : dropProjector(model));
  const problem = tried ?? info.projectorProblem ?? null;
  if (problem !== null) onProjectorProblem(model, problem);
  return info;
}

/** Starts a job. @returns its events; the stream of an aborted job ends without `generation-end`. */
function generate(
  worker: LlamaWorker,
  model: Model,
  decode: SeededJob,
  signal: AbortSignal,
): AsyncIterable<EngineEvent> {
  const channel = new Channel<EngineEvent>(waitingEventsMax, eventMerging);
  const onNews = (events: readonly EngineEvent[]): void => {
    for (const event of events) if (!channel.push(event)) channel.fail(notRead());
  };
  worker.call({ type: "generate", key: loadKey(model), decode }, { signal, onNews }).then(
    () => channel.end(),
    (thrown: unknown) => (signal.aborted ? channel.end() : channel.fail(toHearthError(thrown))),
  );
  return channel;
}
