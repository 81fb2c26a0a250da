/**
 * One generation in its slot: the rest of its prompt, the sampled tokens, and the stop conditions.
 *
 * Modes: prefill (prompt tokens left to evaluate) -> decode (one token per tick, or several that were drafted) -> finished. The tick loop
 * calls `prefill` or `step` once per tick and `cancel` between ticks. A failure finishes only this generation.
 */
import {
  type LlamaContextSequence,
  type LlamaGrammarEvaluationState,
  type Token,
  LlamaGrammar,
} from "node-llama-cpp";
import { toHearthError, type HearthError } from "../../../core/errors.js";
import type { FinishReason, EngineEvent } from "../../../core/generation.js";
import { countPromptTokens, type PromptMedium } from "../../../core/prompt/media.js";
import { GrammarFollower } from "../../../grammar/follow/follower.js";
import { GrammarStacks } from "../../../grammar/follow/stacks.js";
import type { RuleSet } from "../../../grammar/gbnf.js";
import { AnswerProgress } from "../../language/answer/answer-progress.js";
import type { ConstrainedModel, StartedGrammar } from "../../language/answer/constraint.js";
import { GrammarTooWide, stacksMax } from "../../language/answer/grammar-bounds.js";
import { evaluatePart, tokensToEvaluate } from "./checkpoints.js";
import { Drafter, type DraftKnowledge, type DraftLimits } from "./draft/drafter.js";
import type { SeededJob } from "../../language/seeded-job.js";
import type { NativeContext } from "../../native/native-context.js";
import type { Resident } from "../load/resident.js";
import { MediumEvaluation, type StepLimits } from "../media/medium-evaluation.js";
import type { SampledToken } from "../../language/answer/sampled-token.js";
import { acceptToken, grammarAllows, startGrammar } from "./grammar-state.js";
import { startSampler, type TokenSource } from "./sampler.js";

interface SlotStart {
  readonly job: number;
  readonly decode: SeededJob;
  /** Prompt tokens that the sequence already holds. */
  readonly cachedTokens: number;
  readonly drafts: DraftKnowledge;
}

/** A generation on a sequence; its first event is `generation-start`. */
export class Generation {
  readonly job: number;
  readonly #resident: Resident;
  readonly #sequence: LlamaContextSequence;
  readonly #decode: SeededJob;
  readonly #progress: AnswerProgress<LlamaGrammarEvaluationState, GrammarFollower>;
  readonly #promptLeft: Token[];
  /** The image or sound that is being evaluated. */
  #medium: MediumEvaluation | null = null;
  #source: TokenSource | null = null;
  readonly #drafter: Drafter;
  /** Tokens that are evaluated together with the last one. */
  #draft: readonly Token[] = [];
  #shareAt: number | null = null;
  /** Set when finishing starts, so that it runs once; `#ended` is set when it is complete. */
  #finishing = false;
  #ended = false;
  #error: HearthError | null = null;
  /** Prompt tokens that are being evaluated. */
  #chunk: readonly Token[] = [];
  /** Whether their evaluation was ended before it was complete. */
  #isAborted = false;

  constructor(
    resident: Resident,
    sequence: LlamaContextSequence,
    { job, decode, cachedTokens, drafts }: SlotStart,
  ) {
    this.job = job;
    this.#resident = resident;
    this.#sequence = sequence;
    this.#decode = decode;
    const { prompt } = decode;
    const { contextTokens } = resident;
    this.#progress = new AnswerProgress(
      { language: resident, grammars: withGrammars(resident), contextTokens },
      decode,
    );
    this.#drafter = new Drafter(resident, drafts, decode);
    this.#promptLeft = Array.from(prompt.tokens.subarray(cachedTokens)) as Token[];
    this.#progress.emit({
      type: "generation-start",
      promptTokens: countPromptTokens(prompt),
      cachedTokens: countPromptTokens(prompt, cachedTokens),
    });
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
    this.#progress.processSampled();
  }

  /** Returns the events since the last call. */
  takeEvents(): readonly EngineEvent[] {
    return this.#progress.takeEvents();
  }

  /** Whether an image or sound comes next of the prompt: `look` evaluates it. */
  get isLooking(): boolean {
    return !this.#finishing && this.#nextMedium !== undefined;
  }

  /** Whether `look` would wait for the encode of another generation. */
  get waitsForProjector(): boolean {
    return this.#medium?.mustWait === true;
  }

  get #nextMedium(): PromptMedium | undefined {
    const { media } = this.#decode.prompt;
    return media?.parts.find(({ start }) => start === this.evaluated);
  }

  /** Works on the image or sound that comes next. Nothing else may be evaluated in the context meanwhile. */
  look(limits: StepLimits): Promise<void> {
    return this.#catchFailure(async () => {
      const part = this.#nextMedium;
      const medium = part === undefined ? undefined : this.#decode.prompt.media?.media[part.medium];
      const { projector } = this.#resident;
      if (part === undefined || medium === undefined || projector === null)
        throw new Error("the prompt has an image or sound that the model does not read");
      const placeholders = this.#promptLeft.slice(0, part.positions);
      this.#medium ??= new MediumEvaluation(projector, this.#sequence, {
        teamId: this.teamId,
        medium,
        part,
        placeholders,
      });
      if (this.#medium.mustWait || !(await this.#medium.step(limits))) return;
      this.#promptLeft.splice(0, part.positions);
      this.#medium = null;
    });
  }

  /** Evaluates up to `budget` prompt tokens; the last chunk also samples the first token. @returns how many it took. */
  prefill(budget: number): { readonly taken: number; readonly done: Promise<void> } {
    const next = this.#decode.prompt.media?.parts.find(({ start }) => start > this.evaluated);
    const most = next === undefined ? budget : Math.min(budget, next.start - this.evaluated);
    const count = tokensToEvaluate(this.#sequence, this.#promptLeft.length, most);
    const chunk = this.#promptLeft.splice(0, count);
    return { taken: chunk.length, done: this.#catchFailure(() => this.#evaluate(chunk, budget - count)) };
  }

  /**
   * Drafts how the answer is likely to go on; the next evaluation verifies it.
   * @returns the number of tokens that it has
   */
  draft(limits: DraftLimits): number {
    this.#draft = this.#drafter.draft(
      this.#progress.constraint?.follower ?? null,
      this.#progress.sampled,
      limits,
    );
    return this.#draft.length;
  }

  /** Samples one more token, and as many more as the draft has right. */
  step(): Promise<void> {
    return this.#catchFailure(() => this.#sample());
  }

  /** Ends the evaluation that is running, of this prompt alone. The generation then finishes without a `generation-end`. */
  abortDecode(native: NativeContext): void {
    this.#isAborted = true;
    native.abortDecode();
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
      if (this.#isAborted) {
        // The sequence is as before.
        this.#promptLeft.unshift(...this.#chunk);
        return this.#finish(null);
      }
      this.#error ??= this.#progress.boundError(thrown) ?? toHearthError(thrown);
      this.#source?.end();
      this.#finishing = true;
      await this.#medium?.cancel();
      await this.#sequence.clearHistory().catch(() => undefined);
      this.#ended = true;
    }
  }

  async #evaluate(chunk: Token[], draftTokensMax: number): Promise<void> {
    this.#chunk = chunk;
    const left = this.#promptLeft.length;
    if (left > 0) return evaluatePart(this.#sequence, chunk, left);
    const { sampling, seed, topLogprobs } = this.#decode;
    const progress = this.#progress;
    this.#source = startSampler(this.#resident, this.#sequence, chunk, {
      sampling,
      seed,
      withCandidates: topLogprobs !== null,
      sampled: () => progress.sampled,
      grammar: () => progress.constraint?.state,
      suppressed: progress.maySuppress ? () => progress.suppressed() : null,
    });
    this.draft({ tokensMax: draftTokensMax, isAlone: false });
    await this.#sample();
    return this.#sequence.takeCheckpoint();
  }

  async #sample(): Promise<void> {
    const [replacement, draft] = [this.#progress.takeReplacement(), this.#draft];
    let reason: FinishReason | null = null;
    const take = (sampled: SampledToken): boolean => {
      reason = this.#progress.take(sampled);
      return reason === null && !this.#progress.hasReplacement;
    };
    const confirmed = await this.#source?.next({ replacement, draft, take });
    this.#drafter.record(draft.length, confirmed ?? 0);
    if (reason !== null) await this.#finish(reason);
  }

  async #finish(reason: FinishReason | null): Promise<void> {
    if (this.#finishing) return;
    this.#finishing = true;
    this.#source?.end();
    await this.#medium?.cancel();
    if (reason === null && this.#promptLeft.length > 0)
      this.#progress.emit({
        type: "prompt-cut",
        choice: 0,
        evaluatedTokens: countPromptTokens(this.#decode.prompt, this.evaluated),
      });
    this.#progress.finish(reason);
    this.#ended = true;
  }
}

/** Returns the model with its grammars, which it keeps compiled. */
function withGrammars(resident: Resident): ConstrainedModel<LlamaGrammarEvaluationState, GrammarFollower> {
  const { tools, reasoning } = resident;
  return {
    tools,
    reasoning,
    startGrammar(book, root, written) {
      const started = startLibraryGrammar(resident, book, root);
      acceptText(resident, started.state, written);
      started.follower?.push(written);
      return started;
    },
  };
}

function startLibraryGrammar(
  resident: Resident,
  book: RuleSet,
  root: string,
): StartedGrammar<LlamaGrammarEvaluationState, GrammarFollower> {
  const { weights, grammars } = resident;
  const text = book.text(root);
  const known = grammars.get(text);
  const stacks =
    known === undefined || known.stacks.isFull
      ? new GrammarStacks(root, (name) => book.rightSide(name), stacksMax)
      : known.stacks;
  const follower = new GrammarFollower(stacks);
  // The library computes the stacks of the beginning at once, without a bound.
  if (follower.isTooWide) throw new GrammarTooWide();
  const grammar = known?.grammar ?? new LlamaGrammar(weights.llama, { grammar: text });
  grammars.set(text, { grammar, stacks });
  return { state: startGrammar(weights, grammar), follower };
}

/** Feeds the grammar the text that followed the end marker of the reasoning within the same token. */
function acceptText(resident: Resident, state: LlamaGrammarEvaluationState, text: string): void {
  if (text === "") return;
  for (const token of resident.weights.tokenize(text, false) as readonly Token[]) {
    if (!grammarAllows(resident.weights, state, token))
      throw new Error("the beginning of the answer does not match the grammar");
    acceptToken(resident.weights, state, token);
  }
}
