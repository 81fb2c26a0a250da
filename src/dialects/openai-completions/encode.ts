/**
 * The answer of POST /v1/completions, from the house's events to the wire. One encoder turns events into chunks; the JSON
 * answer is a fold of the very same chunks, of which the likeliest choices are told where more were drawn. Pure.
 */
import type { FinishReason, GenerationEvent } from "../../core/generation.js";
import type { Model } from "../../core/model.js";
import { addEvent, noUsage, type Usage } from "../../core/usage.js";
import { encodeUsage } from "../openai-usage.js";
import { createLogprobEncoder, type LogprobEncoder } from "./logprobs.js";
import type { Completion, CompletionChoice, CompletionFinishReason, CompletionLogprobs } from "./wire.js";

/** What every part of one answer repeats, and what is told of it. */
export interface CompletionIdentity {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly model: Model;
  /** Choices that are drawn, those of all prompts together. */
  readonly choices: number;
  /** See CompletionRequest. */
  readonly tellsLogprobs: boolean;
  readonly choicesToldEach: number;
  readonly choicesDrawnEach: number;
}

/** Gives the chunks that an event makes due: none, one, or several. */
export type CompletionEncoder = (event: GenerationEvent) => readonly Completion[];

/** Encodes one answer; `includeUsage` adds the usage chunk at its end. */
export function createCompletionEncoder(
  identity: CompletionIdentity,
  includeUsage: boolean,
): CompletionEncoder {
  const logprobs = Array.from({ length: identity.choices }, createLogprobEncoder);
  let usage: Usage = noUsage;
  let open = identity.choices;
  return (event) => {
    usage = addEvent(usage, event);
    if (event.type === "generation-start") return [];
    const choice = choiceOf(event, identity.tellsLogprobs ? logprobs[event.choice] : undefined);
    const chunks = choice === null ? [] : [completion(identity, [choice])];
    if (event.type !== "generation-end") return chunks;
    open -= 1;
    if (open > 0 || !includeUsage) return chunks;
    return [...chunks, { ...completion(identity, []), usage: encodeUsage(usage, identity.model) }];
  };
}

/** The JSON answer of the events put into it; `result` is whole once every choice has its `generation-end`. */
export interface CompletionFold {
  add(event: GenerationEvent): void;
  result(): Completion;
}

/** Folds one answer into its JSON form. */
export function foldCompletion(identity: CompletionIdentity): CompletionFold {
  const encode = createCompletionEncoder(identity, true);
  const folded = Array.from({ length: identity.choices }, () => new FoldedChoice());
  let usage = encodeUsage(noUsage, identity.model);
  return {
    add(event) {
      if (event.type === "text-delta")
        for (const { logprob } of event.logprobs ?? []) folded[event.choice]?.weigh(logprob);
      for (const chunk of encode(event)) {
        for (const choice of chunk.choices) folded[choice.index]?.add(choice);
        usage = chunk.usage ?? usage;
      }
    },
    result() {
      const told = likeliest(folded, identity).map((whole, index) => whole.told(index));
      return { ...completion(identity, told), usage };
    },
  };
}

class FoldedChoice {
  #text = "";
  #logprobs: CompletionLogprobs | null = null;
  #finish: CompletionFinishReason | null = null;
  #logprobSum = 0;
  #tokens = 0;

  /** Counts a token's log probability. */
  weigh(logprob: number): void {
    this.#logprobSum += logprob;
    this.#tokens += 1;
  }

  /** Log probability per token; a choice without any is the last that is told. */
  get likelihood(): number {
    return this.#tokens === 0 ? -Number.MAX_VALUE : this.#logprobSum / this.#tokens;
  }

  add({ text, logprobs, finish_reason: finish }: CompletionChoice): void {
    this.#text += text;
    this.#finish = finish ?? this.#finish;
    if (logprobs !== null) this.#logprobs = joined(this.#logprobs, logprobs);
  }

  told(index: number): CompletionChoice {
    return { index, text: this.#text, logprobs: this.#logprobs, finish_reason: this.#finish };
  }
}

/** Of each prompt the choices that are told: all in their order, or the likeliest first. */
function likeliest(
  folded: readonly FoldedChoice[],
  { choices, choicesToldEach, choicesDrawnEach }: CompletionIdentity,
): readonly FoldedChoice[] {
  if (choicesToldEach === choicesDrawnEach) return folded;
  return Array.from({ length: choices / choicesDrawnEach }, (_, prompt) =>
    folded
      .slice(prompt * choicesDrawnEach, (prompt + 1) * choicesDrawnEach)
      .sort((a, b) => b.likelihood - a.likelihood)
      .slice(0, choicesToldEach),
  ).flat();
}

function choiceOf(
  event: Exclude<GenerationEvent, { type: "generation-start" }>,
  encodeLogprobs: LogprobEncoder | undefined,
): CompletionChoice | null {
  const part = { index: event.choice, text: "", logprobs: null, finish_reason: null };
  if (event.type === "generation-end") return { ...part, finish_reason: finishReasons[event.finishReason] };
  // Raw prompts are answered by text alone.
  if (event.type !== "text-delta") return null;
  const { text, logprobs } = event;
  const told = logprobs === undefined ? null : (encodeLogprobs?.(logprobs) ?? null);
  return text === "" && told === null ? null : { ...part, text, logprobs: told };
}

function joined(before: CompletionLogprobs | null, next: CompletionLogprobs): CompletionLogprobs {
  if (before === null) return next;
  return {
    tokens: [...before.tokens, ...next.tokens],
    token_logprobs: [...before.token_logprobs, ...next.token_logprobs],
    top_logprobs: [...before.top_logprobs, ...next.top_logprobs],
    text_offset: [...before.text_offset, ...next.text_offset],
  };
}

function completion(identity: CompletionIdentity, choices: readonly CompletionChoice[]): Completion {
  return {
    id: `cmpl-${identity.id}`,
    object: "text_completion",
    created: identity.created,
    model: identity.model.manifest.id,
    choices,
    system_fingerprint: identity.model.fingerprint,
  };
}

const finishReasons: Readonly<Record<FinishReason, CompletionFinishReason>> = {
  stop: "stop",
  stop_sequence: "stop",
  length: "length",
  tool_calls: "stop",
};
