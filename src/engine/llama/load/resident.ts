/** Loads a model into memory: its weights, one context with a sequence per slot, its chat template and its vocabulary. */
import { LRUCache } from "lru-cache";
import {
  getModuleVersion,
  type Llama,
  type LlamaContextSequence,
  type LlamaGrammar,
  type LlamaModel,
} from "node-llama-cpp";
import type { Model } from "../../../core/model.js";
import type { GrammarStacks } from "../../../grammar/follow/stacks.js";
import type { StepWatch } from "../step-watch.js";
import { createModelContext, type PromptChunks } from "./context.js";
import { cacheBytesPerToken } from "./memory-estimate.js";
import { withLoadSettings } from "./load-settings.js";
import type { LoadPlainly } from "../../native/plain-weights.js";
import { loadWeights } from "./load-weights.js";
import { loadingError } from "../../language/load/loading-error.js";
import { NativeContext } from "../../native/native-context.js";
import { countContextTokens, createLongForm } from "./long-context.js";
import { threadsForBatch } from "../../worker/machine.js";
import { openProjector, type MediaSupport } from "../media/open-projector.js";
import type { Projector } from "../media/projector.js";
import { tryTemplate } from "../../language/load/try-template.js";
import type { OpenRenderer, TemplateRenderer } from "../../language/renderer/renderer.js";
import { readLanguage, chooseTemplate, type ModelLanguage } from "../../language/language.js";
import type { LlamaSettings } from "../protocol.js";
import type { ChooseThreads } from "../threads/choose-threads.js";

export interface Resident extends ModelLanguage {
  readonly model: Model;
  readonly weights: LlamaModel;
  readonly contextTokens: number;
  readonly promptChunks: PromptChunks;
  /** Estimated bytes of the KV cache of one token. */
  readonly stateBytesPerToken: number;
  /** Identifies everything that a saved KV cache depends on: a saved state is loaded only under the same key. */
  readonly stateKey: string;
  /** `cpu`, or the GPU's kind when any layer is there. */
  readonly device: string;
  /** One for each slot, ordered by id. */
  readonly sequences: readonly LlamaContextSequence[];
  /** Compiled grammars by their text: compiling one takes milliseconds. */
  readonly grammars: LRUCache<string, CompiledGrammar>;
  /** What is drafted. Nothing, where the state of a sequence cannot be truncated. */
  readonly drafts: { readonly forced: boolean; readonly lookup: boolean };
  readonly steps: StepWatch;
  /** Works on its context beside the engine's addon; null where no library is there for it. */
  readonly native: NativeContext | null;
  /** Reads images and sound; null: the model reads text alone. */
  readonly projector: Projector | null;
  /** Why the model's projector is not used; null: it is, or there is none. */
  readonly projectorProblem: string | null;
  dispose(): Promise<void>;
}

interface ResidentDeps {
  readonly openRenderer: OpenRenderer;
  /** Finds the threads of a new context by trial; null leaves them to the rule. */
  readonly chooseThreads: ChooseThreads | null;
  readonly loadPlainly: LoadPlainly;
  readonly media: MediaSupport;
  /** Watches the native steps of all models. */
  readonly steps: StepWatch;
}

/** A grammar as the library has it, and the positions in it that answers have reached. */
interface CompiledGrammar {
  readonly grammar: LlamaGrammar;
  readonly stacks: GrammarStacks;
}

/** Tokens of an image: seconds of one core for a small model, tenths of a second of a GPU. */
const imageTokensOnCpu = 512;
const imageTokensOnGpu = 2048;

/** Compiled grammars that are cached for later requests with the same schema. */
const grammarsMax = 64;

/**
 * Loads a model and creates its context.
 * @throws HearthError `model_unavailable` with one public sentence.
 */
export async function loadResident(
  llama: Llama,
  model: Model,
  serverSettings: LlamaSettings,
  { openRenderer, chooseThreads, loadPlainly, media, steps }: ResidentDeps,
): Promise<Resident> {
  const settings = withLoadSettings(serverSettings, model.load);
  try {
    const weights = await loadWeights(llama, model, { loadPlainly, hooks: media.hooks });
    const renderer = openRenderer(chooseTemplate(weights, model));
    try {
      return await createResident({ weights, model, settings, renderer, chooseThreads, media, steps });
    } catch (thrown) {
      await renderer.close();
      await weights.dispose();
      throw thrown;
    }
  } catch (thrown) {
    throw loadingError(model, thrown);
  }
}

interface ResidentParts {
  readonly weights: LlamaModel;
  readonly model: Model;
  readonly settings: LlamaSettings;
  readonly renderer: TemplateRenderer;
  readonly chooseThreads: ChooseThreads | null;
  readonly media: MediaSupport;
  readonly steps: StepWatch;
}

async function createResident({
  weights,
  model,
  settings,
  renderer,
  chooseThreads,
  media,
  steps,
}: ResidentParts): Promise<Resident> {
  const trial = tryTemplate(weights, model, renderer);
  // Awaited when the context is ready.
  trial.catch(() => undefined);
  const contextTokens = Math.min(
    model.manifest.contextTokens,
    settings.contextTokensMax,
    weights.trainContextSize,
  );
  const { context, sequences, promptChunks, device, threads } = await createModelContext(
    weights,
    { contextTokens, weightsBytes: model.manifest.bytes, adapters: model.load?.adapters ?? [] },
    settings,
  );
  if (threads !== null && device === "cpu") await chooseThreads?.(model, threads, promptChunks.fixed);
  const native = NativeContext.find(media.hooks, context);
  const { projector, problem } = await openProjector(media, model, {
    native,
    threads: settings.threads ?? threadsForBatch(model.manifest.bytes, promptChunks.idleMax, settings.cores),
    onGpu: device !== "cpu",
    batchTokensMax: promptChunks.idleMax,
    imageTokensMax: settings.imageTokensMax ?? (device === "cpu" ? imageTokensOnCpu : imageTokensOnGpu),
  });
  const reading = await trial;
  const longest =
    createLongForm(model, settings) === null ? contextTokens : countContextTokens(model, settings);
  const { id } = model.manifest;
  const language = readLanguage(weights, {
    modelId: id,
    contextTokens: longest,
    reading,
    media: projector,
  });
  return {
    model,
    weights,
    contextTokens,
    stateKey: [model.fingerprint, settings.kvCacheType, contextTokens, await getModuleVersion()].join(" "),
    promptChunks,
    stateBytesPerToken: cacheBytesPerToken(model.kvBytesPerToken, settings),
    device,
    sequences,
    grammars: new LRUCache({ max: grammarsMax }),
    drafts: chooseDrafts(sequences, settings),
    steps,
    native,
    projector,
    projectorProblem: problem,
    ...language,
    async dispose() {
      await renderer.close();
      projector?.close();
      await context.dispose();
      await weights.dispose();
    },
  };
}

/** Returns which tokens are drafted: a draft that is not taken is removed again, for which a sequence must be able to go back. */
function chooseDrafts(
  sequences: readonly LlamaContextSequence[],
  { forcedTokens, promptLookup }: LlamaSettings,
): Resident["drafts"] {
  const canGoBack = sequences.every((sequence) => !sequence.needsCheckpoints);
  return { forced: canGoBack && forcedTokens === "on", lookup: canGoBack && promptLookup === "auto" };
}
