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
import { countContextTokens, createLongForm } from "./long-context.js";
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
  dispose(): Promise<void>;
}

interface ResidentDeps {
  readonly openRenderer: OpenRenderer;
  /** Finds the threads of a new context by trial; null leaves them to the rule. */
  readonly chooseThreads: ChooseThreads | null;
  readonly loadPlainly: LoadPlainly;
  /** Watches the native steps of all models. */
  readonly steps: StepWatch;
}

/** A grammar as the library has it, and the positions in it that answers have reached. */
interface CompiledGrammar {
  readonly grammar: LlamaGrammar;
  readonly stacks: GrammarStacks;
}

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
  { openRenderer, chooseThreads, loadPlainly, steps }: ResidentDeps,
): Promise<Resident> {
  const settings = withLoadSettings(serverSettings, model.load);
  try {
    const weights = await loadWeights(llama, model, loadPlainly);
    const renderer = openRenderer(chooseTemplate(weights, model));
    try {
      return await createResident({ weights, model, settings, renderer, chooseThreads, steps });
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
  readonly steps: StepWatch;
}

async function createResident({
  weights,
  model,
  settings,
  renderer,
  chooseThreads,
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
  const reading = await trial;
  const longest =
    createLongForm(model, settings) === null ? contextTokens : countContextTokens(model, settings);
  const { id } = model.manifest;
  const language = readLanguage(weights, { modelId: id, contextTokens: longest, reading });
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
    ...language,
    async dispose() {
      await renderer.close();
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
