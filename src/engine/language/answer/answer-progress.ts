/**
 * What one answer consists of so far: its sampled tokens, their text and events, the grammar of the next token, and why it ends. It does
 * not sample: engines give it the tokens, one after the other.
 */
import type { Token } from "node-llama-cpp";
import type { DecodeJob } from "../../../core/engine.js";
import type { HearthError } from "../../../core/errors.js";
import type { FinishReason, EngineEvent } from "../../../core/generation.js";
import type { AnswerBuilder } from "./answer.js";
import { createAnswer, parsedCalls } from "./create-answer.js";
import type { ModelLanguage } from "../language.js";
import { findOpenPlace } from "../../../core/json/open-place.js";
import { countPromptTokens } from "../../../core/prompt/media.js";
import { createConstraint, type ConstrainedModel, type Constraint, type TextFollower } from "./constraint.js";
import { createBoundError, GrammarTooWide, isBeyondBound } from "./grammar-bounds.js";
import { reportLogprob, type SampledToken } from "./sampled-token.js";
import { openingTokens, repeatingItemTokens, repeatingTokens } from "./suppressed-tokens.js";

const noTokens: readonly Token[] = [];

/** What an answer depends on, besides its job. */
interface ProgressModel<S, F extends TextFollower> {
  readonly language: ModelLanguage;
  readonly grammars: ConstrainedModel<S, F>;
  /** Tokens of prompt and answer together. */
  readonly contextTokens: number;
}

export class AnswerProgress<S, F extends TextFollower> {
  readonly #language: ModelLanguage;
  /** Tokens that the context has beside the prompt. */
  readonly #room: number;
  readonly #decode: DecodeJob;
  readonly #answer: AnswerBuilder;
  readonly constraint: Constraint<S, F> | null;
  /** Tokens that begin a call that must not be written. */
  readonly #hiddenMarks: readonly Token[];
  readonly #sampled: Token[] = [];
  readonly #candidates: SampledToken["candidates"][] = [];
  /** How many of the sampled tokens were converted to text. */
  #processed = 0;
  /** How many tokens were sampled before the grammar applied. */
  #free = 0;
  /** Tokens that stand in place of the last one, to end a reasoning block at its limit. */
  #replacement: readonly Token[] | null = null;
  /** Sampled tokens that were emitted as reasoning. */
  #reasoningDeltaTokens = 0;
  #events: EngineEvent[] = [];

  /** @throws HearthError `invalid_value` when the rules of the job are too large for one grammar. */
  constructor({ language, grammars, contextTokens }: ProgressModel<S, F>, decode: DecodeJob) {
    this.#language = language;
    this.#room = contextTokens - countPromptTokens(decode.prompt);
    this.#decode = decode;
    const calls = parsedCalls(decode);
    this.#answer = createAnswer(language, decode, calls);
    this.constraint = createConstraint(
      { ...grammars, answerMarks: language.answerMarks },
      decode,
      this.#answer.mode,
    );
    this.#hiddenMarks = calls.hidden ? openingTokens(language) : [];
  }

  /** All tokens of the answer, those included that ended its reasoning at the limit. */
  get sampled(): readonly Token[] {
    return this.#sampled;
  }

  /** What is written while the answer may still begin with reasoning: its constraint has not seen that yet. */
  get undecided(): string {
    if (this.#answer.mode !== "opening") return "";
    return Buffer.concat(this.#sampled.map((token) => this.#language.tokenBytes.of(token))).toString();
  }

  /** Tokens that are to be sampled before the model may end the answer. */
  get tokensBeforeEnd(): number {
    return Math.max(0, (this.#decode.minTokens ?? 0) - this.#sampled.length);
  }

  /** Whether some tokens may be suppressed. */
  get maySuppress(): boolean {
    return this.constraint !== null || this.#hiddenMarks.length > 0 || this.#decode.minTokens !== undefined;
  }

  /** Returns the tokens that are sampled next only where nothing else is allowed. */
  suppressed(): readonly Token[] {
    const ofText = this.#suppressedInText();
    if (this.tokensBeforeEnd === 0) return ofText;
    const ends = this.#language.endTokens();
    return ofText.length === 0 ? ends : [...ofText, ...ends];
  }

  #suppressedInText(): readonly Token[] {
    // Arguments that are not written as JSON can look like anything.
    const isJson = this.#decode.tools.length === 0 || this.#language.tools.exact;
    if (this.constraint?.state === undefined) return this.#hiddenMarks;
    const controls = this.#language.controls();
    if (!isJson) return controls.silent;
    const { keys, follower } = this.constraint;
    const ofItems = repeatingItemTokens(this.#language.tokenBytes, follower?.itemRepeats ?? null);
    const ofKeys = repeatingTokens(this.#language.tokenBytes, keys);
    const inString = keys.isInString ? controls.all : noTokens;
    return ofItems.length + ofKeys.length === 0 ? inString : [...ofKeys, ...ofItems, ...inString];
  }

  /** Whether tokens were inserted after the last one that was sampled. */
  get hasReplacement(): boolean {
    return this.#replacement !== null;
  }

  /** Returns the tokens to evaluate in place of the last one, once; null: nothing replaces it. */
  takeReplacement(): readonly Token[] | null {
    const replacement = this.#replacement;
    this.#replacement = null;
    return replacement;
  }

  emit(event: EngineEvent): void {
    this.#events.push(event);
  }

  /** Returns the events since the last call. */
  takeEvents(): readonly EngineEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Adds a sampled token. @returns why the answer ends with it; null when it goes on */
  take(next: SampledToken): FinishReason | null {
    if (this.#decode.stopTokens?.includes(next.token) === true) return "stop";
    if (this.#language.isEnd(next.token)) {
      if (this.constraint?.needsAnswer !== true || this.#answer.mode !== "reasoning") return "stop";
      this.#closeReasoning([]);
    } else {
      this.#sampled.push(next.token);
      this.#candidates.push(next.candidates);
      this.#applyConstraints();
    }
    return this.#reasonToEnd();
  }

  /** Converts sampled tokens to text and events. Separate from sampling, so that it runs while the next token is computed. */
  processSampled(): void {
    const { tokenBytes } = this.#language;
    for (; this.#processed < this.#sampled.length; this.#processed += 1) {
      const token = this.#sampled[this.#processed] as Token;
      const candidates = this.#candidates[this.#processed] ?? null;
      const logprob = reportLogprob(tokenBytes, token, candidates, this.#decode.topLogprobs);
      for (const event of this.#answer.push(tokenBytes.of(token), logprob)) {
        this.#events.push(event);
        if (event.type === "reasoning-delta") this.#reasoningDeltaTokens += event.tokens;
      }
    }
  }

  /** Ends the answer. @param reason null: without `generation-end` */
  finish(reason: FinishReason | null): void {
    this.processSampled();
    this.#events.push(...this.#answer.finish(reason === "length"));
    if (reason === null) return;
    const { stoppedBy, calls } = this.#answer;
    const ending = reason === "stop" && calls > 0 ? "tool_calls" : reason;
    const finishReason = stoppedBy === null ? ending : "stop_sequence";
    this.#events.push({ type: "generation-end", choice: 0, finishReason, stopSequence: stoppedBy });
  }

  /** Updates the grammar and the reasoning limit, both of which depend on the text so far. */
  #applyConstraints(): void {
    const { reasoningTokensMax } = this.#decode;
    // After the reasoning its limit needs no text, so that tokens are converted while the next one is computed. An answer of several
    // messages may reason again.
    const hasReasoned =
      reasoningTokensMax === null ||
      (this.#answer.mode === "answer" && this.#language.tools.reasoningClosing === null);
    if (this.constraint === null && hasReasoned) return;
    this.processSampled();
    const last = this.#sampled.at(-1);
    const { isReasoning, reasoningTokens } = this.#answer;
    if (reasoningTokensMax !== null && isReasoning && reasoningTokens >= reasoningTokensMax)
      this.#closeReasoning(last === undefined ? [] : [last]);
    else this.#observe();
  }

  #observe(): void {
    this.constraint?.observe(this.#answer.mode, this.#answer.takeRawAnswer());
    const isConstrained = this.constraint?.state !== undefined;
    this.#answer.callsAreGuaranteed = isConstrained;
    if (!isConstrained) this.#free = this.#sampled.length;
    if (this.constraint?.follower?.isTooWide === true) throw new GrammarTooWide();
  }

  /** Returns the public error of a grammar that exceeds its bounds here; null for another failure. */
  boundError(thrown: unknown): HearthError | null {
    if (!isBeyondBound(thrown)) return null;
    const pieces = this.#sampled.slice(this.#free).map((token) => this.#language.tokenBytes.of(token));
    const place = findOpenPlace(Buffer.concat(pieces).toString());
    return createBoundError(place, this.#decode.rules.text === null);
  }

  /** Inserts the end of the reasoning after `before`; the model then continues with its answer. */
  #closeReasoning(before: readonly Token[]): void {
    const closing = tokenizeReasoningEnd(this.#language);
    if (closing === null) return;
    this.#replacement = [...before, ...closing];
    for (const token of closing) {
      this.#sampled.push(token);
      this.#candidates.push(null);
    }
    this.processSampled();
    this.#observe();
  }

  #reasonToEnd(): FinishReason | null {
    const { maxTokens, maxTokensExcludesReasoning, stop } = this.#decode;
    const sampledEnough = maxTokens !== null && this.#sampled.length >= maxTokens;
    if (stop.length > 0 || (sampledEnough && maxTokensExcludesReasoning)) this.processSampled();
    if (this.#answer.stoppedBy !== null) return "stop_sequence";
    if (sampledEnough && (!maxTokensExcludesReasoning || this.#visible >= maxTokens)) return "length";
    return this.#sampled.length >= this.#room ? "length" : null;
  }

  /** Sampled tokens that count towards `maxTokens` where it excludes reasoning: all after the reasoning block and its end marker. */
  get #visible(): number {
    return this.#answer.mode === "reasoning" ? 0 : this.#sampled.length - this.#reasoningDeltaTokens;
  }
}

/** Returns the tokens that end a reasoning block, so that the answer follows; null where the model's format has none. */
function tokenizeReasoningEnd({ reasoning, tools, controlTokens }: ModelLanguage): readonly Token[] | null {
  const text = reasoning === null ? tools.reasoningClosing : `\n${reasoning.close}\n\n`;
  return text === null ? null : controlTokens(text);
}
