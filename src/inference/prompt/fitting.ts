/** Prompts of conversations that are too long, when the request allows the oldest turns to be left out. */
import type { Engine, LoadedModel, Prompt } from "../../core/engine.js";
import { HearthError } from "../../core/errors.js";
import type { GenerationRequest, Message } from "../../core/generation.js";
import type { Model } from "../../core/model.js";
import { countPromptTokens } from "../../core/prompt/media.js";

/** Tokens that a shortened prompt leaves for the answer when the request sets no limit. */
const answerTokens = 1024;

/** A prompt, and the messages that it was built from. */
interface FittedPrompt {
  readonly prompt: Prompt;
  readonly messages: readonly Message[];
}

/**
 * Builds the prompt of a conversation without as many of its oldest turns as necessary. The leading system messages stay, and so does
 * everything from the last user message on.
 * @throws HearthError `context_length_exceeded` when even that does not fit.
 */
export async function fittingPrompt(
  engine: Engine,
  model: Model,
  loaded: LoadedModel,
  request: GenerationRequest,
): Promise<FittedPrompt> {
  const { contextTokens } = loaded;
  const reserved = Math.min(request.maxTokens ?? answerTokens, contextTokens >> 2);
  const without = async (cut: number): Promise<FittedPrompt> => {
    const messages = cutAt(request.messages, cut);
    return { messages, prompt: await engine.prompt(model, { ...request, messages }) };
  };
  const fits = async (cut: number): Promise<FittedPrompt | null> => {
    const fitted = await unlessTooLong(without(cut));
    return fitted !== null && countPromptTokens(fitted.prompt) + reserved <= contextTokens ? fitted : null;
  };
  const whole = await fits(0);
  if (whole !== null) return whole;
  const cuts = findCuts(request.messages);
  // Binary search for the first cut that fits: a later cut never gives a longer prompt.
  let [low, high] = [0, cuts.length];
  let best: FittedPrompt | null = null;
  while (low < high) {
    const middle = (low + high) >> 1;
    const fitted = await fits(cuts[middle] ?? 0);
    if (fitted === null) low = middle + 1;
    else [best, high] = [fitted, middle];
  }
  return best ?? without(cuts.at(-1) ?? 0);
}

/**
 * Returns where a conversation can be cut: before each user message but the first, unless results follow of calls that precede it.
 */
function findCuts(messages: readonly Message[]): readonly number[] {
  const first = leadingSystem(messages);
  const results = lastResults(messages);
  let awaitedUpTo = first;
  return messages.flatMap(({ role, toolCalls = [] }, index) => {
    const cuts = role === "user" && index > awaitedUpTo ? [index] : [];
    for (const { id } of toolCalls) awaitedUpTo = Math.max(awaitedUpTo, results.get(id) ?? 0);
    return cuts;
  });
}

/** Returns the index of the last result of each call. */
function lastResults(messages: readonly Message[]): ReadonlyMap<string, number> {
  return new Map(
    messages.flatMap(({ toolCallId }, index) => (toolCallId === undefined ? [] : [[toolCallId, index]])),
  );
}

function cutAt(messages: readonly Message[], cut: number): readonly Message[] {
  const first = leadingSystem(messages);
  return cut <= first ? messages : [...messages.slice(0, first), ...messages.slice(cut)];
}

function leadingSystem(messages: readonly Message[]): number {
  const first = messages.findIndex(({ role }) => role !== "system");
  return first === -1 ? messages.length : first;
}

async function unlessTooLong(fitting: Promise<FittedPrompt>): Promise<FittedPrompt | null> {
  try {
    return await fitting;
  } catch (thrown) {
    if (thrown instanceof HearthError && thrown.kind === "context_length_exceeded") return null;
    throw thrown;
  }
}
