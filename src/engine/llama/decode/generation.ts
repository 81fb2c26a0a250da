/**
 * One generation in its slot: the rest of its prompt, the sampled tokens, and the stop conditions.
 *
 * Modes: prefill (prompt tokens left to evaluate) -> decode (one token per tick, or several that were drafted) -> finished. The tick loop
 * calls `prefill` or `step` once per tick and `cancel` between ticks. A failure finishes only this generation.
 */
import type { LlamaContextSequence, Token } from "node-llama-cpp";
import { toHearthError, type HearthError } from "../../../core/errors.js";
import type { FinishReason, GenerationEvent } from "../../../core/generation.js";
import type { Answer } from "../answer/answer.js";
import { answerOf } from "./answer-of.js";
import { evaluatePart, tokensToEvaluate } from "./checkpoints.js";
import { Drafter, type DraftLimits } from "./draft/drafter.js";
import { createConstraint, type Constraint } from "./constraint.js";
import { logprobOf } from "./logprobs.js";
import type { SeededJob } from "../protocol.js";
import type { Resident } from "../load/resident.js";
import { openingTokens, repeatingTokens } from "./suppressed-tokens.js";
import { parsedCalls } from "../answer/parsed-calls.js";
import { reasoningClosing } from "./reasoning-closing.js";
import { startSampler, type Sampled, type TokenSource } from "./sampler.js";

export interface GenerationStart {
  readonly job: number;
  readonly decode: SeededJob;
  /** Prompt tokens that the sequence already holds. */
  readonly cachedTokens: number;
}

/** A generation on a sequence; its first event is `generation-start`. */
export class Generation {
  readonly job: number;
  readonly #resident: Resident;
  readonly #sequence: LlamaContextSequence;
  readonly #decode: SeededJob;
  readonly #answer: Answer;
  readonly #constraint: Constraint | null;
  readonly #promptLeft: Token[];
  /** Tokens that begin a call that must not be written. */
  readonly #hiddenMarks: readonly Token[];
  readonly #sampled: Token[] = [];
  readonly #candidates: Sampled["candidates"][] = [];
  /** How many of the sampled tokens were converted to text. */
  #processed = 0;
  #source: TokenSource | null = null;
  readonly #drafter: Drafter;
  /** Tokens that are evaluated together with the last one. */
  #draft: readonly Token[] = [];
  /** Tokens to evaluate in place of the last token, to end a reasoning block at its limit. */
  #replacement: readonly Token[] | null = null;
  /** Sampled tokens that were emitted as reasoning. */
  #reasoningDeltaTokens = 0;
  #shareAt: number | null = null;
  /** Set when finishing starts, so that it runs once; `#ended` is set when it is complete. */
  #finishing = false;
  #ended = false;
  #error: HearthError | null = null;
  #events: GenerationEvent[];

  constructor(
    resident: Resident,
    sequence: LlamaContextSequence,
    { job, decode, cachedTokens }: GenerationStart,
  ) {
    this.job = job;
    this.#resident = resident;
    this.#sequence = sequence;
    this.#decode = decode;
    const { prompt } = decode;
    const calls = parsedCalls(decode);
    this.#answer = answerOf(resident, decode, calls);
    this.#constraint = createConstraint(resident, decode, this.#answer.mode);
    this.#drafter = new Drafter(resident, decode);
    this.#hiddenMarks = calls.hidden ? openingTokens(resident) : [];
    this.#promptLeft = Array.from(prompt.tokens.subarray(cachedTokens)) as Token[];
    this.#events = [{ type: "generation-start", promptTokens: prompt.tokens.length, cachedTokens }];
  }

  get mode(): "prefill" | "decode" | "finished" {
    if (this.#ended) return "finished";
    return this.#source === null ? "prefill" : "decode";
  }

  get error(): HearthError | null {
    return this.#error;
  }

  /** All tokens of the prompt. */
  get prompt(): Uint32Array {
    return this.#decode.prompt.tokens;
  }

  get teamId(): string {
    return this.#decode.teamId;
  }

  get deterministic(): boolean {
    return this.#decode.deterministic;
  }

  /** Whether its tokens are never written to disk. */
  get ephemeral(): boolean {
    return this.#decode.ephemeral === true;
  }

  /** Prompt tokens that the sequence already holds. */
  get evaluated(): number {
    return this.prompt.length - this.#promptLeft.length;
  }

  /** Requests that the sequence's state is stored once `tokens` tokens of the prompt are evaluated. */
  shareWhenEvaluated(tokens: number): void {
    this.#shareAt = Math.max(this.#shareAt ?? 0, tokens);
  }

  /** Returns true once, when that point is reached. */
  takeShareRequest(): boolean {
    if (this.#shareAt === null || this.#finishing || this.evaluated < this.#shareAt) return false;
    this.#shareAt = null;
    return true;
  }

  /** Converts sampled tokens to text and events. Separate from sampling, so that it runs while the next token is computed. */
  processSampled(): void {
    for (; this.#processed < this.#sampled.length; this.#processed += 1) {
      const token = this.#sampled[this.#processed] as Token;
      const bytes = this.#resident.tokenBytes.of(token);
      const candidates = this.#candidates[this.#processed] ?? null;
      const logprob = logprobOf(this.#resident.tokenBytes, token, candidates, this.#decode.topLogprobs);
      for (const event of this.#answer.push(bytes, logprob)) {
        this.#events.push(event);
        if (event.type === "reasoning-delta") this.#reasoningDeltaTokens += event.tokens;
      }
    }
  }

  /** Returns the events since the last call. */
  takeEvents(): readonly GenerationEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Evaluates up to `budget` prompt tokens; the last chunk also samples the first token. @returns how many it took. */
  prefill(budget: number): { readonly taken: number; readonly done: Promise<void> } {
    const count = tokensToEvaluate(this.#sequence, this.#promptLeft.length, budget);
    const chunk = this.#promptLeft.splice(0, count);
    return { taken: chunk.length, done: this.#catchFailure(() => this.#evaluate(chunk, budget - count)) };
  }

  /**
   * Drafts how the answer is likely to go on; the next evaluation verifies it.
   * @returns the number of tokens that it has
   */
  draft(limits: DraftLimits): number {
    this.#draft = this.#drafter.draft(this.#constraint?.follower ?? null, this.#sampled, limits);
    return this.#draft.length;
  }

  /** Samples one more token, and as many more as the draft has right. */
  step(): Promise<void> {
    return this.#catchFailure(() => this.#sample());
  }

  /** Finishes without a `generation-end`; events so far can still be taken. */
  cancel(): Promise<void> {
    return this.#catchFailure(() => this.#finish(null));
  }

  /** Records a failure of the action as this generation's error, and clears the sequence, whose state may be incomplete. */
  async #catchFailure(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (thrown) {
      this.#error ??= toHearthError(thrown);
      this.#source?.end();
      this.#finishing = true;
      await this.#sequence.clearHistory().catch(() => undefined);
      this.#ended = true;
    }
  }

  async #evaluate(chunk: Token[], draftTokensMax: number): Promise<void> {
    const left = this.#promptLeft.length;
    if (left > 0) return evaluatePart(this.#sequence, chunk, left);
    const { sampling, seed, topLogprobs } = this.#decode;
    this.#source = startSampler(this.#resident, this.#sequence, chunk, {
      sampling,
      seed,
      withCandidates: topLogprobs !== null,
      sampled: () => this.#sampled,
      grammar: () => this.#constraint?.state,
      suppressed:
        this.#constraint === null && this.#hiddenMarks.length === 0 ? null : () => this.#suppressed(),
    });
    this.draft({ tokensMax: draftTokensMax, isAlone: false });
    await this.#sample();
    return this.#sequence.takeCheckpoint();
  }

  #suppressed(): readonly Token[] {
    // Arguments that are not written as JSON can look like anything.
    const isJson = this.#decode.tools.length === 0 || this.#resident.tools.exact;
    if (this.#constraint?.state === undefined || !isJson) return this.#hiddenMarks;
    return repeatingTokens(this.#resident, this.#constraint.keys);
  }

  async #sample(): Promise<void> {
    const [replacement, draft] = [this.#replacement, this.#draft];
    this.#replacement = null;
    let reason: FinishReason | null = null;
    const take = (sampled: Sampled): boolean => {
      reason = this.#take(sampled);
      return reason === null && this.#replacement === null;
    };
    const confirmed = await this.#source?.next({ replacement, draft, take });
    this.#drafter.record(draft.length, confirmed ?? 0);
    if (reason !== null) await this.#finish(reason);
  }

  /** Adds a sampled token to the answer. @returns why the answer ends with it; null when it goes on */
  #take(next: Sampled): FinishReason | null {
    if (this.#resident.weights.isEogToken(next.token)) {
      if (this.#constraint?.needsAnswer !== true || this.#answer.mode !== "reasoning") return "stop";
      this.#closeReasoning([]);
    } else {
      this.#sampled.push(next.token);
      this.#candidates.push(next.candidates);
      this.#applyConstraints();
    }
    return this.#reasonToEnd();
  }

  /** Updates the grammar and the reasoning limit, both of which depend on the text so far. */
  #applyConstraints(): void {
    const { reasoningTokensMax } = this.#decode;
    // After the reasoning its limit needs no text, so that tokens are converted while the next one is computed. An answer of several
    // messages may reason again.
    const hasReasoned =
      reasoningTokensMax === null ||
      (this.#answer.mode === "answer" && this.#resident.tools.reasoningClosing === null);
    if (this.#constraint === null && hasReasoned) return;
    this.processSampled();
    const last = this.#sampled.at(-1);
    const { isReasoning, reasoningTokens } = this.#answer;
    if (reasoningTokensMax !== null && isReasoning && reasoningTokens >= reasoningTokensMax)
      this.#closeReasoning(last === undefined ? [] : [last]);
    else this.#observe();
  }

  #observe(): void {
    this.#constraint?.observe(this.#answer.mode, this.#answer.takeRawAnswer());
    this.#answer.callsAreGuaranteed = this.#constraint?.state !== undefined;
  }

  /** Inserts the end of the reasoning after `before`; the model then continues with its answer. */
  #closeReasoning(before: readonly Token[]): void {
    const closing = reasoningClosing(this.#resident);
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
    const { maxTokens, maxTokensExcludesReasoning, prompt, stop } = this.#decode;
    const sampledEnough = maxTokens !== null && this.#sampled.length >= maxTokens;
    if (stop.length > 0 || (sampledEnough && maxTokensExcludesReasoning)) this.processSampled();
    if (this.#answer.stoppedBy !== null) return "stop_sequence";
    if (sampledEnough && (!maxTokensExcludesReasoning || this.#visible >= maxTokens)) return "length";
    return prompt.tokens.length + this.#sampled.length >= this.#resident.contextTokens ? "length" : null;
  }

  /** Sampled tokens that count towards `maxTokens` where it excludes reasoning: all after the reasoning block and its end marker. */
  get #visible(): number {
    return this.#answer.mode === "reasoning" ? 0 : this.#sampled.length - this.#reasoningDeltaTokens;
  }

  async #finish(reason: FinishReason | null): Promise<void> {
    if (this.#finishing) return;
    this.#finishing = true;
    this.#source?.end();
    this.processSampled();
    this.#events.push(...this.#answer.finish());
    this.#ended = true;
    if (reason === null) return;
    const { stoppedBy, calls } = this.#answer;
    const ending = reason === "stop" && calls > 0 ? "tool_calls" : reason;
    const finishReason = stoppedBy === null ? ending : "stop_sequence";
    this.#events.push({ type: "generation-end", choice: 0, finishReason, stopSequence: stoppedBy });
  }
}
