/**
 * Encodes generation events as the response of POST /v1/completions. One encoder turns events into stream chunks; the JSON
 * response is a fold of the same chunks. If more choices were sampled than requested, it contains the most likely ones. Pure.
 */
import type { FinishReason, GenerationEvent, SampledLogprob, TokenLogprob } from "../../core/generation.js";
import type { RunEvent } from "../../core/run-event.js";
import { isServerEvent } from "../../core/tools/server-call.js";
import { noUsage, type Usage } from "../../core/usage.js";
import { encodeUsage, type AnswerName } from "../openai-answer.js";
import type {
  Completion,
  CompletionChoice,
  CompletionFinishReason,
  CompletionLogprobs,
} from "./response-schema.js";

/** The values that every chunk of one answer repeats, and what the response includes. */
export interface CompletionIdentity extends AnswerName {
  /** Number of sampled choices over all prompts. */
  readonly choices: number;
  /** This and the following are described at CompletionRequest. */
  readonly includesLogprobs: boolean;
  readonly choicesReturnedPerPrompt: number;
  readonly choicesSampledPerPrompt: number;
}

/** Returns the chunks of an event: none, one, or several. */
type CompletionEncoder = (event: RunEvent) => readonly Completion[];

/** Encodes one answer; `includeUsage` adds a usage chunk at the end. */
export function createCompletionEncoder(
  identity: CompletionIdentity,
  includeUsage: boolean,
): CompletionEncoder {
  const logprobs = Array.from({ length: identity.choices }, createLogprobEncoder);
  let usage: Usage = noUsage;
  let open = identity.choices;
  return (event) => {
    usage = event.usage;
    if (event.type === "generation-start" || isServerEvent(event)) return [];
    const choice = toChoice(event, identity.includesLogprobs ? logprobs[event.choice] : undefined);
    const chunks = choice === null ? [] : [completion(identity, [choice])];
    if (event.type !== "generation-end") return chunks;
    open -= 1;
    if (open > 0 || !includeUsage) return chunks;
    return [...chunks, { ...completion(identity, []), usage: encodeUsage(usage, identity.model) }];
  };
}

/** Folds the events of one answer into the JSON response. */
export function foldCompletion(identity: CompletionIdentity) {
  const encode = createCompletionEncoder(identity, true);
  const folded = Array.from({ length: identity.choices }, () => new FoldedChoice());
  let usage = encodeUsage(noUsage, identity.model);
  return {
    add(event: RunEvent): void {
      if (event.type === "text-delta")
        for (const { logprob } of event.logprobs ?? []) folded[event.choice]?.addLogprob(logprob);
      for (const chunk of encode(event)) {
        for (const choice of chunk.choices) folded[choice.index]?.add(choice);
        usage = chunk.usage ?? usage;
      }
    },
    result(): Completion {
      const choices = selectChoices(folded, identity).map((choice, index) => choice.result(index));
      return { ...completion(identity, choices), usage };
    },
  };
}

class FoldedChoice {
  #text = "";
  #logprobs: CompletionLogprobs | null = null;
  #finish: CompletionFinishReason | null = null;
  #logprobSum = 0;
  #tokens = 0;

  addLogprob(logprob: number): void {
    this.#logprobSum += logprob;
    this.#tokens += 1;
  }

  /** Mean log probability per token. A choice without tokens is the least likely. */
  get likelihood(): number {
    return this.#tokens === 0 ? -Number.MAX_VALUE : this.#logprobSum / this.#tokens;
  }

  add({ text, logprobs, finish_reason: finish }: CompletionChoice): void {
    this.#text += text;
    this.#finish = finish ?? this.#finish;
    if (logprobs !== null) this.#logprobs = joinLogprobs(this.#logprobs, logprobs);
  }

  result(index: number): CompletionChoice {
    return { index, text: this.#text, logprobs: this.#logprobs, finish_reason: this.#finish };
  }
}

/** Returns the choices of each prompt that the response contains: all in order, or the most likely ones first. */
function selectChoices(
  folded: readonly FoldedChoice[],
  { choices, choicesReturnedPerPrompt, choicesSampledPerPrompt }: CompletionIdentity,
): readonly FoldedChoice[] {
  if (choicesReturnedPerPrompt === choicesSampledPerPrompt) return folded;
  return Array.from({ length: choices / choicesSampledPerPrompt }, (_, prompt) =>
    folded
      .slice(prompt * choicesSampledPerPrompt, (prompt + 1) * choicesSampledPerPrompt)
      .sort((a, b) => b.likelihood - a.likelihood)
      .slice(0, choicesReturnedPerPrompt),
  ).flat();
}

function toChoice(
  event: Exclude<GenerationEvent, { type: "generation-start" }>,
  encodeLogprobs: LogprobEncoder | undefined,
): CompletionChoice | null {
  const part = { index: event.choice, text: "", logprobs: null, finish_reason: null };
  if (event.type === "generation-end") return { ...part, finish_reason: finishReasons[event.finishReason] };
  // The answer to a raw prompt contains only text.
  if (event.type !== "text-delta") return null;
  const { text, logprobs } = event;
  const encoded = logprobs === undefined ? null : (encodeLogprobs?.(logprobs) ?? null);
  return text === "" && encoded === null ? null : { ...part, text, logprobs: encoded };
}

function joinLogprobs(before: CompletionLogprobs | null, next: CompletionLogprobs): CompletionLogprobs {
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
    model: identity.modelName,
    choices,
    system_fingerprint: identity.model.fingerprint,
  };
}

const finishReasons: Readonly<Record<FinishReason, CompletionFinishReason>> = {
  stop: "stop",
  stop_sequence: "stop",
  length: "length",
  tool_calls: "stop",
  content_filter: "content_filter",
};

/** Encodes the next tokens of one choice. Offsets continue from one call to the next. */
type LogprobEncoder = (tokens: readonly SampledLogprob[]) => CompletionLogprobs;

/** Creates an encoder that starts at offset 0. */
function createLogprobEncoder(): LogprobEncoder {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let offset = 0;
  return (tokens) => ({
    tokens: tokens.map(nameToken),
    token_logprobs: tokens.map(({ logprob }) => logprob),
    top_logprobs: tokens.map((token) => toTop(token)),
    text_offset: tokens.map(({ bytes }) => {
      const start = offset;
      offset += [...decoder.decode(Uint8Array.from(bytes), { stream: true })].length;
      return start;
    }),
  });
}

/** Maps the most likely tokens, and the sampled token if it is not among them, to their log probabilities. */
function toTop(sampled: SampledLogprob): Record<string, number> {
  const top = new Map<string, number>();
  for (const token of [...sampled.top, sampled]) {
    const name = nameToken(token);
    if (!top.has(name)) top.set(name, token.logprob);
  }
  return Object.fromEntries(top);
}

/** Returns a token's text, or its bytes in OpenAI's notation if they are not valid UTF-8. */
function nameToken({ text, bytes }: TokenLogprob): string {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes));
    return text;
  } catch {
    return `bytes:${bytes.map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("")}`;
  }
}
