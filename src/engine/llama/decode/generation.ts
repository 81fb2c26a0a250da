/**
 * One generation in its slot: what is left of its prompt, what was sampled, and when to stop.
 *
 * Modes: prefill (prompt tokens left to evaluate) -> decode (a token a tick) -> finished. The tick loop calls `prefill` or
 * `step` once a tick and `cancel` between ticks; a failure finishes this generation and no other.
 */
import type { LlamaContextSequence, Token } from "node-llama-cpp";
import { asHearthError, type HearthError } from "../../../core/errors.js";
import type { FinishReason, GenerationEvent } from "../../../core/generation.js";
import { Answer } from "../answer/answer.js";
import { createConstraint, type Constraint } from "./constraint.js";
import { logprobOf } from "./logprobs.js";
import type { SeededJob } from "../protocol.js";
import type { Resident } from "../load/resident.js";
import { startSampler, type Sampled, type TokenSource } from "./sampler.js";

export interface GenerationStart {
  readonly job: number;
  readonly decode: SeededJob;
  /** How many tokens of the prompt the sequence holds already. */
  readonly cachedTokens: number;
}

/** Begins a generation on a sequence; its first event is `generation-start`. */
export function beginGeneration(
  resident: Resident,
  sequence: LlamaContextSequence,
  start: GenerationStart,
): Generation {
  return new Generation(resident, sequence, start);
}

export class Generation {
  readonly job: number;
  readonly #resident: Resident;
  readonly #sequence: LlamaContextSequence;
  readonly #decode: SeededJob;
  readonly #answer: Answer;
  readonly #constraint: Constraint | null;
  readonly #left: Token[];
  readonly #sampled: Token[] = [];
  readonly #candidates: Sampled["candidates"][] = [];
  /** How many of the sampled tokens are text already. */
  #digested = 0;
  #source: TokenSource | null = null;
  /** Evaluated in place of the last token: it ends a reasoning block that is long enough. */
  #instead: readonly Token[] | null = null;
  /** Sampled tokens that were told as reasoning. */
  #reasoned = 0;
  #shareAt: number | null = null;
  /** Set when the end begins, so that it is met once; `#ended` when nothing more will happen. */
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
    const { prompt, tools } = decode;
    const isRaw = prompt.rawText !== undefined;
    this.#answer = new Answer({
      marks: isRaw ? null : resident.reasoning,
      startsInReasoning: prompt.startsInReasoning,
      stop: decode.stop,
      parser:
        !isRaw && (tools.length > 0 || resident.tools.readsReasoning) ? resident.tools.parser(tools) : null,
      callIdPrefix: decode.callIdPrefix,
      onlyCalls: decode.toolChoice.mode === "required",
    });
    this.#constraint = createConstraint(resident, decode, this.#answer.mode);
    this.#left = Array.from(prompt.tokens.subarray(cachedTokens)) as Token[];
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

  /** Prompt tokens that are in the sequence by now. */
  get evaluated(): number {
    return this.prompt.length - this.#left.length;
  }

  /** Asks for the sequence's state to be stored as soon as `tokens` of the prompt are evaluated. */
  shareWhenEvaluated(tokens: number): void {
    this.#shareAt = Math.max(this.#shareAt ?? 0, tokens);
  }

  /** true once, when that point is reached. */
  takeShareWish(): boolean {
    if (this.#shareAt === null || this.#finishing || this.evaluated < this.#shareAt) return false;
    this.#shareAt = null;
    return true;
  }

  /**
   * Makes text of what was sampled. Apart from sampling, so that it can be done while the cores are at work on the next token.
   */
  digest(): void {
    for (; this.#digested < this.#sampled.length; this.#digested += 1) {
      const token = this.#sampled[this.#digested] as Token;
      const bytes = this.#resident.tokenBytes.of(token);
      const { topLogprobs } = this.#decode;
      const candidates = this.#candidates[this.#digested] ?? null;
      const logprob =
        topLogprobs === null || candidates === null
          ? null
          : logprobOf(this.#resident.tokenBytes, token, candidates, topLogprobs);
      for (const event of this.#answer.push(bytes, logprob)) {
        this.#events.push(event);
        if (event.type === "reasoning-delta") this.#reasoned += event.tokens;
      }
    }
  }

  /** What happened since the last call. */
  takeEvents(): readonly GenerationEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Evaluates up to `budget` prompt tokens; the last part also samples the first token. @returns how many it took. */
  prefill(budget: number): { readonly taken: number; readonly done: Promise<void> } {
    const chunk = this.#left.splice(0, budget);
    return { taken: chunk.length, done: this.#guarded(() => this.#evaluate(chunk)) };
  }

  /** Samples one more token. */
  step(): Promise<void> {
    return this.#guarded(() => this.#sample());
  }

  /** What was produced is still told, but there will be no `generation-end`. */
  cancel(): Promise<void> {
    return this.#guarded(() => this.#finish(null));
  }

  /** A failure is this generation's own: it is kept, and the sequence cleared of whatever half-done state it has. */
  async #guarded(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (thrown) {
      this.#error ??= asHearthError(thrown);
      this.#finishing = true;
      await this.#sequence.clearHistory().catch(() => undefined);
      this.#ended = true;
    }
  }

  async #evaluate(chunk: Token[]): Promise<void> {
    if (this.#left.length > 0) return this.#sequence.evaluateWithoutGeneratingNewTokens(chunk);
    const { sampling, seed, topLogprobs } = this.#decode;
    this.#source = startSampler(this.#resident, this.#sequence, chunk, {
      sampling,
      seed,
      withCandidates: topLogprobs !== null,
      sampled: () => this.#sampled,
      grammar: () => this.#constraint?.state,
    });
    return this.#sample();
  }

  async #sample(): Promise<void> {
    const instead = this.#instead;
    this.#instead = null;
    const next = await (instead === null ? this.#source?.next() : this.#source?.next(instead));
    if (next == null) return this.#finish("stop");
    if (this.#resident.weights.isEogToken(next.token)) {
      if (this.#constraint?.needsAnswer !== true || this.#answer.mode !== "reasoning")
        return this.#finish("stop");
      this.#closeReasoning([]);
      return this.#endOrGoOn();
    }
    this.#sampled.push(next.token);
    this.#candidates.push(next.candidates);
    this.#hold();
    return this.#endOrGoOn();
  }

  async #endOrGoOn(): Promise<void> {
    const reason = this.#reasonToEnd();
    if (reason !== null) await this.#finish(reason);
  }

  /** What the next token is held to depends on the text so far, and so does whether the model has reasoned long enough. */
  #hold(): void {
    const { reasoningTokensMax } = this.#decode;
    if (this.#constraint === null && reasoningTokensMax === null) return;
    this.digest();
    const last = this.#sampled.at(-1);
    const { mode, reasoningTokens } = this.#answer;
    if (reasoningTokensMax !== null && mode === "reasoning" && reasoningTokens >= reasoningTokensMax)
      this.#closeReasoning(last === undefined ? [] : [last]);
    else this.#observe();
  }

  #observe(): void {
    this.#constraint?.saw(this.#answer.mode, this.#answer.takeWritten());
    this.#answer.callsAreSure = this.#constraint?.state !== undefined;
  }

  /** Writes the mark that ends the reasoning for the model, behind `before`; it goes on with its answer. */
  #closeReasoning(before: readonly Token[]): void {
    const { reasoning, weights } = this.#resident;
    if (reasoning === null) return;
    const closing = weights.tokenize(`\n${reasoning.close}\n\n`, true);
    this.#instead = [...before, ...closing];
    for (const token of closing) {
      this.#sampled.push(token);
      this.#candidates.push(null);
    }
    this.digest();
    this.#observe();
  }

  #reasonToEnd(): FinishReason | null {
    const { maxTokens, maxTokensExcludesReasoning, prompt, stop } = this.#decode;
    const sampledEnough = maxTokens !== null && this.#sampled.length >= maxTokens;
    if (stop.length > 0 || (sampledEnough && maxTokensExcludesReasoning)) this.digest();
    if (this.#answer.stoppedBy !== null) return "stop_sequence";
    if (sampledEnough && (!maxTokensExcludesReasoning || this.#visible >= maxTokens)) return "length";
    return prompt.tokens.length + this.#sampled.length >= this.#resident.contextTokens ? "length" : null;
  }

  /** Sampled tokens that `maxTokens` bounds where it excludes reasoning: all behind the block, its marks being part of it. */
  get #visible(): number {
    return this.#answer.mode === "reasoning" ? 0 : this.#sampled.length - this.#reasoned;
  }

  async #finish(reason: FinishReason | null): Promise<void> {
    if (this.#finishing) return;
    this.#finishing = true;
    await this.#source?.end();
    this.digest();
    this.#events.push(...this.#answer.finish());
    this.#ended = true;
    if (reason === null) return;
    const { stoppedBy, calls } = this.#answer;
    const ending = reason === "stop" && calls > 0 ? "tool_calls" : reason;
    const finishReason = stoppedBy === null ? ending : "stop_sequence";
    this.#events.push({ type: "generation-end", choice: 0, finishReason, stopSequence: stoppedBy });
  }
}
