import type { Engine, LoadedModel, TextTokens } from "../../core/engine.js";
import type { GenerationRequest } from "../../core/generation.js";
import type { Model } from "../../core/model.js";
import { countPromptTokens } from "../../core/prompt/media.js";
import { hold, unlessAborted } from "../abortable.js";
import { tooManyRuns } from "../too-many-runs.js";
import type { PreparedConversation } from "./captioning.js";
import type { MediaPreparation } from "./media.js";
import { fittingPrompt } from "./fitting.js";

interface PromptCounterDeps {
  readonly engine: Engine;
  readonly load: (model: Model, signal: AbortSignal) => Promise<LoadedModel>;
  readonly media: MediaPreparation;
  /** Counts that may be active at a time. */
  readonly runsActiveMax: number;
}

/** Builds the counter. */
export function createPromptCounter(deps: PromptCounterDeps) {
  const { engine, load, media, runsActiveMax } = deps;
  let active = 0;
  /** Does the work within the bound on active counts. */
  const bounded = async <T>(work: () => Promise<T>): Promise<T> => {
    if (active >= runsActiveMax) throw tooManyRuns();
    active += 1;
    try {
      return await work();
    } finally {
      active -= 1;
    }
  };
  /** Does the work while the model is in memory. */
  const withModel = async <T>(
    model: Model,
    signal: AbortSignal,
    work: (loaded: LoadedModel) => Promise<T>,
  ): Promise<T> => {
    const loaded = await hold(load(model, signal), signal);
    try {
      return await unlessAborted(work(loaded), signal);
    } finally {
      loaded.release();
    }
  };
  return {
    /**
     * Counts the tokens of the prompt that the model's template makes of a request's conversation, as far as it is answered from.
     * @throws HearthError `context_length_exceeded`, naming both numbers, when it does not fit; `model_unavailable`, `overloaded`.
     */
    count: (
      model: Model,
      original: GenerationRequest,
      teamId: string,
      signal: AbortSignal,
    ): Promise<number> =>
      bounded(async () => {
        const withMessages = async (
          prepared: PreparedConversation | Promise<PreparedConversation>,
        ): Promise<GenerationRequest> => ({
          ...original,
          messages: (await unlessAborted(Promise.resolve(prepared), signal)).messages,
        });
        const early = media.prepareEarly(original.messages, model, teamId, signal);
        const readEarly = early === null ? null : await withMessages(early);
        const prompt = await withModel(model, signal, async (loaded) => {
          const request =
            readEarly ?? (await withMessages(media.prepare(original.messages, loaded.reads, teamId, signal)));
          return request.truncate === true
            ? (await fittingPrompt(engine, model, loaded, request)).prompt
            : engine.prompt(model, request);
        });
        return countPromptTokens(prompt);
      }),
    /** Returns the tokens of a text, none added. @throws HearthError `model_unavailable`, `overloaded`. */
    tokenize: (model: Model, text: string, signal: AbortSignal): Promise<TextTokens> =>
      bounded(() => withModel(model, signal, () => engine.tokenize(model, text))),
  };
}
