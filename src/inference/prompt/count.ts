import type { LoadedModel, TextToken } from "../../core/engine.js";
import { HearthError } from "../../core/errors.js";
import type { GenerationRequest } from "../../core/generation.js";
import type { Model } from "../../core/model.js";
import { fittingPrompt } from "./fitting.js";
import type { Street } from "../run/run-deps.js";
import { hold, unlessAborted } from "../run/abortable.js";

/** Counts prompts, and tells the tokens of texts, without answering anything. */
export interface PromptCounter {
  /**
   * The tokens of the prompt that the model's own template makes of a request's conversation, as far as it is answered from.
   * @throws HearthError `context_length_exceeded`, naming both numbers, where it does not fit; `model_unavailable`,
   * `overloaded`.
   */
  count(model: Model, request: GenerationRequest, teamId: string, signal: AbortSignal): Promise<number>;
  /** The tokens of a text, none added. @throws HearthError `model_unavailable`, `overloaded`. */
  tokenize(model: Model, text: string, signal: AbortSignal): Promise<readonly TextToken[]>;
}

/** Builds the counter; as many counts as runs may be in hand at a time. */
export function createPromptCounter({ engine, load, grounding, runsActiveMax }: Street): PromptCounter {
  let active = 0;
  /** One of so many at a time. */
  const inHand = async <T>(work: () => Promise<T>): Promise<T> => {
    if (active >= runsActiveMax) throw tooManyInHand();
    active += 1;
    try {
      return await work();
    } finally {
      active -= 1;
    }
  };
  /** Does something with a model in memory. */
  const borrow = async <T>(
    model: Model,
    signal: AbortSignal,
    work: (loaded: LoadedModel) => Promise<T>,
  ): Promise<T> => {
    const loaded = await hold(load(model), signal);
    try {
      return await unlessAborted(work(loaded), signal);
    } finally {
      loaded.release();
    }
  };
  return {
    count: (model, asked, teamId, signal) =>
      inHand(async () => {
        const grounded = Promise.resolve(grounding.ground(asked.messages, teamId, signal));
        const { messages } = await unlessAborted(grounded, signal);
        const request = { ...asked, messages };
        const { tokens } = await borrow(model, signal, async (loaded) =>
          request.truncates === true
            ? (await fittingPrompt(engine, model, loaded, request)).prompt
            : engine.prompt(model, request),
        );
        return tokens.length;
      }),
    tokenize: (model, text, signal) =>
      inHand(() => borrow(model, signal, () => engine.tokenize(model, text))),
  };
}

/** The server has as much in hand as it takes. */
export function tooManyInHand(): HearthError {
  return new HearthError("overloaded", "The server has too many requests in hand. Please try again later.", {
    retryAfterSeconds: 1,
  });
}
