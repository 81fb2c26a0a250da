/**
 * One generation in its slot: what is left of its prompt, what was sampled, and when to stop.
 *
 * Modes: prefill (prompt tokens left to evaluate) -> decode (a token a tick) -> finished. The tick loop calls `prefill` or
 * `step` once a tick and `cancel` between ticks; a failure finishes this generation and no other.
 */
import type { LlamaContextSequence, Token } from "node-llama-cpp";
import { asHearthError, type HearthError } from "../../core/errors.js";
import type { FinishReason, GenerationEvent } from "../../core/generation.js";
import { AnswerText } from "./answer-text.js";
import type { SeededJob } from "./protocol.js";
import type { Resident } from "./resident.js";

/** Sampling looks at the thousand likeliest tokens: the tail beyond costs a full sort of the vocabulary and is never met. */
const topK = 1000;

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
  readonly #text: AnswerText;
  readonly #left: Token[];
  readonly #sampled: Token[] = [];
  /** How many of the sampled tokens are text already. */
  #digested = 0;
  #iterator: AsyncGenerator<Token, void, void> | null = null;
  /** Sampled tokens outside the reasoning block. */
  #visible = 0;
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
    this.#text = new AnswerText({
      reasoning: resident.model.manifest.capabilities.reasoning,
      startsInReasoning: decode.prompt.startsInReasoning,
      stop: decode.stop,
    });
    this.#left = Array.from(decode.prompt.tokens.subarray(cachedTokens)) as Token[];
    this.#events = [{ type: "generation-start", promptTokens: decode.prompt.tokens.length, cachedTokens }];
  }

  get mode(): "prefill" | "decode" | "finished" {
    if (this.#ended) return "finished";
    return this.#iterator === null ? "prefill" : "decode";
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
      this.#events.push(...this.#text.push(this.#resident.tokenBytes.of(token)));
      if (!this.#text.inReasoning) this.#visible += 1;
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
    const { sampling, seed } = this.#decode;
    const { frequencyPenalty, presencePenalty } = sampling;
    const penalised = frequencyPenalty !== 0 || presencePenalty !== 0;
    this.#iterator = this.#sequence.evaluate(chunk, {
      temperature: sampling.temperature,
      topP: sampling.topP,
      topK,
      minP: 0,
      seed,
      yieldEogToken: true,
      ...(penalised
        ? {
            repeatPenalty: {
              punishTokens: () => this.#sampled,
              penalty: 1,
              frequencyPenalty,
              presencePenalty,
            },
          }
        : {}),
    });
    return this.#sample();
  }

  async #sample(): Promise<void> {
    const next = await this.#iterator?.next();
    if (next === undefined || next.done === true) return this.#finish("stop");
    const token = next.value;
    if (this.#resident.weights.isEogToken(token)) return this.#finish("stop");
    this.#sampled.push(token);
    const reason = this.#reasonToEnd();
    if (reason !== null) await this.#finish(reason);
  }

  #reasonToEnd(): FinishReason | null {
    const { maxTokens, maxTokensExcludesReasoning, prompt, stop } = this.#decode;
    const sampledEnough = maxTokens !== null && this.#sampled.length >= maxTokens;
    if (stop.length > 0 || (sampledEnough && maxTokensExcludesReasoning)) this.digest();
    if (this.#text.stoppedBy !== null) return "stop_sequence";
    if (sampledEnough && (!maxTokensExcludesReasoning || this.#visible >= maxTokens)) return "length";
    return prompt.tokens.length + this.#sampled.length >= this.#resident.contextTokens ? "length" : null;
  }

  async #finish(reason: FinishReason | null): Promise<void> {
    if (this.#finishing) return;
    this.#finishing = true;
    await this.#iterator?.return();
    this.digest();
    this.#events.push(...this.#text.finish());
    this.#ended = true;
    if (reason === null) return;
    const { stoppedBy } = this.#text;
    const finishReason = stoppedBy === null ? reason : "stop_sequence";
    this.#events.push({ type: "generation-end", finishReason, stopSequence: stoppedBy });
  }
}
