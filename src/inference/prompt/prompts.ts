/** The prompts that a run answers: of a conversation of text only, or raw texts. */
import type { Engine, LoadedModel, Prompt } from "../../core/engine.js";
import { HearthError } from "../../core/errors.js";
import type { GenerationRequest, Message } from "../../core/generation.js";
import type { Model } from "../../core/model.js";
import { countMediaTokens, countPromptTokens } from "../../core/prompt/media.js";
import { fittingPrompt } from "./fitting.js";
import type { PreparedConversation } from "./captioning.js";

export interface Prompts {
  readonly prompts: readonly Prompt[];
  /** Tokens of the first one that are images, or that describe them. */
  readonly imageTokens: number;
  /** Tokens of the first one that are sound. */
  readonly audioTokens: number;
}

const noMedia = { imageTokens: 0, audioTokens: 0 };

/**
 * Builds the prompts of a request: of its conversation, or the raw ones.
 * @param conversation the request's, with images replaced by texts or media.
 * @throws HearthError as the engine does, when a prompt does not fit; `invalid_value` for token ids outside the vocabulary.
 */
export async function buildPrompts(
  engine: Engine,
  model: Model,
  loaded: LoadedModel,
  original: GenerationRequest,
  conversation: PreparedConversation,
): Promise<Prompts> {
  const request = { ...original, messages: conversation.messages };
  checkTokenIds(request, loaded);
  if (request.raw !== undefined) {
    const prompts = await Promise.all(request.raw.prompts.map((source) => engine.prompt(model, source)));
    return { prompts, ...noMedia };
  }
  const { prompt, messages } =
    request.truncate === true
      ? await fittingPrompt(engine, model, loaded, request)
      : { prompt: await engine.prompt(model, request), messages: request.messages };
  // A server that is sent texts does not say which tokens belong to images.
  if (prompt.conversation !== undefined) return { prompts: [prompt], ...noMedia };
  const captionTokens = await countCaptionTokens(engine, model, messages, conversation);
  const imageTokens = captionTokens + countMediaTokens(prompt, "image");
  return {
    prompts: [prompt],
    imageTokens: Math.min(imageTokens, countPromptTokens(prompt)),
    audioTokens: countMediaTokens(prompt, "sound"),
  };
}

/** Returns prompts that are being built; null when they do not fit into the context. */
export async function nullIfTooLong(building: Promise<Prompts>): Promise<Prompts | null> {
  try {
    return await building;
  } catch (thrown) {
    if (thrown instanceof HearthError && thrown.kind === "context_length_exceeded") return null;
    throw thrown;
  }
}

/** Counts only messages that are in the prompt: the oldest may have been left out. */
async function countCaptionTokens(
  engine: Engine,
  model: Model,
  messages: readonly Message[],
  { imageTexts }: PreparedConversation,
): Promise<number> {
  const texts = messages.flatMap((message) => imageTexts.get(message) ?? []);
  const tokens = await Promise.all(texts.map((text) => engine.tokenize(model, text)));
  return tokens.reduce((sum, each) => sum + each.length, 0);
}

/** Does nothing where the vocabulary is not known. @throws HearthError that names the field of the first id outside the vocabulary. */
function checkTokenIds(
  { raw, sampling, stopTokens = [] }: GenerationRequest,
  { vocabularyTokens }: LoadedModel,
): void {
  if (vocabularyTokens === undefined) return;
  const isOutside = (id: number): boolean => !Number.isInteger(id) || id < 0 || id >= vocabularyTokens;
  const tokens = `one of the ${vocabularyTokens} tokens of this model's vocabulary`;
  const biased = Object.keys(sampling.logitBias ?? {}).find((id) => isOutside(Number(id)));
  if (biased !== undefined) throw outside(`logit_bias.${biased}`, `the key is not ${tokens}`);
  const stop = stopTokens.findIndex(isOutside);
  if (stop >= 0) throw outside(`stop_token_ids.${stop}`, `it is not ${tokens}`);
  const prompts = raw?.prompts ?? [];
  for (const [index, { prompt }] of prompts.entries()) {
    if (typeof prompt === "string") continue;
    const at = prompt.findIndex(isOutside);
    const field = prompts.length === 1 ? "prompt" : `prompt.${index}`;
    if (at >= 0) throw outside(field, `the token ${String(prompt[at])} at position ${at} is not ${tokens}`);
  }
}

function outside(param: string, problem: string): HearthError {
  return new HearthError("invalid_value", `${param}: ${problem}`, { param });
}
