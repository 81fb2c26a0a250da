/** The prompts that a run answers, of a conversation in words alone or of raw texts. */
import type { Engine, LoadedModel, Prompt } from "../../core/engine.js";
import type { GenerationRequest, Message } from "../../core/generation.js";
import type { Model } from "../../core/model.js";
import { fittingPrompt } from "./fitting.js";
import type { Grounded } from "./captioning.js";

export interface Prompts {
  readonly prompts: readonly Prompt[];
  /** Tokens of the first one that tell what is on images. */
  readonly imageTokens: number;
}

/**
 * Makes the prompts of a request: of its conversation, or the raw ones.
 * @param grounded the conversation, with words where images were.
 * @throws HearthError as the engine does, when a prompt does not fit.
 */
export async function promptsOf(
  engine: Engine,
  model: Model,
  loaded: LoadedModel,
  asked: GenerationRequest,
  grounded: Grounded,
): Promise<Prompts> {
  const request = { ...asked, messages: grounded.messages };
  if (request.raw !== undefined) {
    const prompts = await Promise.all(request.raw.prompts.map((source) => engine.prompt(model, source)));
    return { prompts, imageTokens: 0 };
  }
  const { prompt, messages } =
    request.truncates === true
      ? await fittingPrompt(engine, model, loaded, request)
      : { prompt: await engine.prompt(model, request), messages: request.messages };
  const imageTokens = await imageTokensOf(engine, model, messages, grounded);
  return { prompts: [prompt], imageTokens: Math.min(imageTokens, prompt.tokens.length) };
}

/** Of the messages that the prompt was made from: the oldest may have been left out. */
async function imageTokensOf(
  engine: Engine,
  model: Model,
  messages: readonly Message[],
  { imageTexts }: Grounded,
): Promise<number> {
  const texts = messages.flatMap((message) => imageTexts.get(message) ?? []);
  const tokens = await Promise.all(texts.map((text) => engine.tokenize(model, text)));
  return tokens.reduce((sum, each) => sum + each.length, 0);
}
