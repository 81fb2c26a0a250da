/** Prompts of conversations that have grown too long, where the request allows the oldest turns to be left out. */
import type { Engine, LoadedModel, Prompt } from "../../core/engine.js";
import { HearthError } from "../../core/errors.js";
import type { GenerationRequest, Message } from "../../core/generation.js";
import type { Model } from "../../core/model.js";

/** Room that a shortened prompt leaves for the answer, where the request names no bound of its own. */
const answerTokens = 1024;

/** A prompt, and the messages that it was made from. */
export interface Fitted {
  readonly prompt: Prompt;
  readonly messages: readonly Message[];
}

/**
 * The prompt of a conversation without as many of its oldest turns as have to go; its leading system messages stay, and so
 * does everything from the last user message on.
 * @throws HearthError `context_length_exceeded` when even that does not fit.
 */
export async function fittingPrompt(
  engine: Engine,
  model: Model,
  loaded: LoadedModel,
  request: GenerationRequest,
): Promise<Fitted> {
  const { contextTokens } = loaded;
  const room = Math.min(request.maxTokens ?? answerTokens, contextTokens >> 2);
  const without = async (cut: number): Promise<Fitted> => {
    const messages = cutAt(request.messages, cut);
    return { messages, prompt: await engine.prompt(model, { ...request, messages }) };
  };
  const fits = async (cut: number): Promise<Fitted | null> => {
    const fitted = await unlessTooLong(without(cut));
    return fitted !== null && fitted.prompt.tokens.length + room <= contextTokens ? fitted : null;
  };
  const whole = await fits(0);
  if (whole !== null) return whole;
  const cuts = cutsOf(request.messages);
  // The first cut that fits, by halves: a later one never makes a longer prompt.
  let [low, high] = [0, cuts.length];
  let best: Fitted | null = null;
  while (low < high) {
    const middle = (low + high) >> 1;
    const fitted = await fits(cuts[middle] ?? 0);
    if (fitted === null) low = middle + 1;
    else [best, high] = [fitted, middle];
  }
  return best ?? without(cuts.at(-1) ?? 0);
}

/** Where a conversation can be cut: before each user message but the very first, unless results follow of calls before it. */
function cutsOf(messages: readonly Message[]): readonly number[] {
  const first = leadingSystem(messages);
  const results = lastResults(messages);
  let awaitedUpTo = first;
  return messages.flatMap(({ role, toolCalls = [] }, index) => {
    const cuts = role === "user" && index > awaitedUpTo ? [index] : [];
    for (const { id } of toolCalls) awaitedUpTo = Math.max(awaitedUpTo, results.get(id) ?? 0);
    return cuts;
  });
}

/** Where the last result of each call is. */
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

async function unlessTooLong(fitting: Promise<Fitted>): Promise<Fitted | null> {
  try {
    return await fitting;
  } catch (thrown) {
    if (thrown instanceof HearthError && thrown.kind === "context_length_exceeded") return null;
    throw thrown;
  }
}
