/** One turn of a run: what the choices of the model are generated from, and the generation of one of them on a slot of its own. */
import { isDeepStrictEqual } from "node:util";
import type { DecodeJob, LoadedModel, Prompt } from "../../../core/engine.js";
import {
  selectDecoding,
  type GenerationEnd,
  type GenerationEvent,
  type GenerationStart,
} from "../../../core/generation.js";
import type { CompleteRequest } from "../../../core/model.js";
import type { CountedTokens } from "../../../core/requests/counted-tokens.js";
import {
  addEvent,
  correctUsage,
  countSampled,
  cutPrompt,
  noUsage,
  replaceImplausible,
  type Usage,
} from "../../../core/usage.js";
import { countPromptTokens } from "../../../core/prompt/media.js";
import type { PreparedConversation } from "../../prompt/captioning.js";
import type { HeldSlot } from "../run.js";
import type { AnswerValidator } from "./answer-rules.js";
import { generateChoice, type EventTaker } from "./choice.js";
import type { TextRun } from "./text-run.js";
import { boundPromptTokens } from "./token-bound.js";

export interface Turn {
  readonly request: CompleteRequest;
  /** The request's conversation, with media that the model reads, or with images replaced by texts. */
  readonly conversation: PreparedConversation;
  readonly loaded: LoadedModel;
  readonly prompts: readonly Prompt[];
  /** Tokens of the first prompt that are images, or that describe them. */
  readonly imageTokens: number;
  /** Tokens of the first prompt that are sound. */
  readonly audioTokens: number;
  /** Tokens after which reasoning is ended; null = no limit. */
  readonly reasoningTokensMax: number | null;
  readonly validator: AnswerValidator;
  /** Tokens that all answers together may sample. */
  readonly sampledMax: number;
  /** Stands between the ids of a choice's calls and their numbers, so that calls of different turns have different ids. */
  readonly callIdInfix: string;
  /** Calls of the turns before. */
  readonly firstCall: number;
  /** Whether only the start is emitted; the rest is counted. */
  readonly isSilent: boolean;
}

/**
 * Generates one choice of a turn, and emits everything but its end.
 * @param observe also takes every event. @returns the end; null when it was aborted.
 */
export async function generateTurn(
  run: TextRun,
  turn: Turn,
  index: number,
  observe: (event: GenerationEvent) => void = () => undefined,
): Promise<GenerationEnd | null> {
  const { model, signal, timings } = run;
  const { loaded, validator } = turn;
  const job = createJob(run, turn, index);
  const promptTokens = countPromptTokens(job.prompt);
  let whole: GenerationEnd | null = null;
  await run.withSlot(loaded, promptTokens, async (slot) => {
    timings.slotGranted(slot.queuedMs);
    slot.tokensServed = promptTokens;
    // Nothing is produced that is not reserved.
    await run.money.record();
    const taker = new ChoiceEvents(run, turn, { index, prompt: job.prompt, slot, observe });
    whole = await generateChoice(run.services.engine, { index, model, job, validator, signal, taker });
  });
  const end = whole as GenerationEnd | null;
  return end === null || !isEmptyAnswer(turn) ? end : { ...end, finishReason: "length", stopSequence: null };
}

/** Whether only the prompt is evaluated. An engine evaluates its end with the first token, which is sampled then, and left out. */
function isEmptyAnswer({ request }: Turn): boolean {
  return request.maxTokens === 0;
}

interface ChoiceOnSlot {
  readonly index: number;
  readonly prompt: Prompt;
  readonly slot: HeldSlot;
  readonly observe: (event: GenerationEvent) => void;
}

/**
 * Counts and emits the events of one choice. A prompt counts for its first choice, and for each further attempt at an answer; its start
 * is emitted for its first choice only.
 */
class ChoiceEvents implements EventTaker {
  readonly #run: TextRun;
  readonly #turn: Turn;
  readonly #choice: ChoiceOnSlot;
  /** What the events of the attempt have added. */
  #own: Usage = noUsage;
  #attempts = 0;
  #sampledBefore: number;

  constructor(run: TextRun, turn: Turn, choice: ChoiceOnSlot) {
    this.#run = run;
    this.#turn = turn;
    this.#choice = choice;
    this.#sampledBefore = countSampled(run.money.usage);
  }

  emit(taken: GenerationEvent): void {
    const { firstCall, isSilent } = this.#turn;
    if (isEmptyAnswer(this.#turn) && taken.type !== "generation-start") return;
    const event = "index" in taken ? { ...taken, index: taken.index + firstCall } : taken;
    this.#choice.observe(event);
    if (event.type === "generation-start") return this.#emitStart(this.#begin(event));
    this.#count(event);
    this.#run.timings.observe(event);
    if (!isSilent) this.#run.emit(event);
  }

  discard(event: GenerationEvent): void {
    if (event.type === "generation-start") this.#begin(event);
    else this.#count(event);
  }

  promptCut(evaluatedTokens: number): void {
    this.#run.money.count((usage) => cutPrompt(usage, this.#own, evaluatedTokens));
  }

  answerCut(counted: CountedTokens): void {
    this.#correctTokens(counted);
  }

  attemptEnded({ counted }: GenerationEnd): void {
    if (counted !== undefined) this.#correctTokens(counted);
  }

  async reserveAttempt(): Promise<void> {
    const { money } = this.#run;
    const sampled = countSampled(money.usage) - this.#sampledBefore;
    this.#run.discardedTokens += sampled;
    await money.reserveMore({ prompt: boundPromptTokens([this.#choice.prompt]), sampled });
    this.#sampledBefore = countSampled(money.usage);
  }

  #begin(start: GenerationStart): GenerationStart {
    const { prompt } = this.#choice;
    const { imageTokens, audioTokens } = this.#turn;
    const { countedPrompts } = this.#run;
    this.#own = noUsage;
    this.#attempts += 1;
    const isFirst = !countedPrompts.has(prompt);
    const event =
      isFirst && imageTokens + audioTokens > 0
        ? { ...start, imageTokens: imageTokens || undefined, audioTokens: audioTokens || undefined }
        : start;
    if (isFirst || this.#attempts > 1) this.#count(event);
    countedPrompts.add(prompt);
    return event;
  }

  #emitStart(event: GenerationStart): void {
    const { index, prompt } = this.#choice;
    const { startedPrompts, timings, request } = this.#run;
    if (!startedPrompts.has(prompt)) {
      timings.observe(event);
      this.#run.emit(event);
    }
    startedPrompts.add(prompt);
    if (request.raw?.echo === true)
      this.#run.emit({ type: "text-delta", choice: index, text: prompt.rawText ?? "", tokens: 0 });
  }

  #count(event: GenerationEvent): void {
    this.#run.money.count((usage) => addEvent(usage, event));
    this.#own = addEvent(this.#own, event);
    if ("tokens" in event) this.#choice.slot.tokensServed += event.tokens;
  }

  /** Replaces estimates of tokens by what the server has counted, where that is plausible. */
  #correctTokens(counted: CountedTokens | null): void {
    const { warnings, timings, money } = this.#run;
    const estimated = this.#own;
    const tokens = counted === null ? null : replaceImplausible(counted, estimated);
    const isCounted = tokens !== null && isDeepStrictEqual(tokens, counted);
    if (!isCounted && !warnings.includes(estimatedTokens)) warnings.push(estimatedTokens);
    if (tokens !== null) money.count((usage) => correctUsage(usage, estimated, tokens));
    timings.cachedTokens = money.usage.cachedTokens;
  }
}

const estimatedTokens = "the numbers of tokens are estimated: the server has not counted them";

/** Returns the engine's job for one choice; each has a seed of its own. */
function createJob({ id, teamId }: TextRun, turn: Turn, index: number): DecodeJob {
  const { request, prompts, validator, reasoningTokensMax, callIdInfix } = turn;
  const { sampling, statedSampling, maxTokens } = request;
  const choicesPerPrompt = request.choices / prompts.length;
  const prompt = prompts[Math.floor(index / choicesPerPrompt)];
  if (prompt === undefined) throw new Error(`no prompt for the choice ${index}`);
  // Seeds start again with each prompt: the answers equal the answers to requests of one prompt each.
  const seed = sampling.seed === null ? null : (sampling.seed + (index % choicesPerPrompt)) >>> 0;
  return {
    ...selectDecoding(request),
    prompt,
    teamId,
    sampling: { ...sampling, seed },
    statedSampling,
    rules: validator.rules,
    format: request.format,
    callIdPrefix: `call_${id.replaceAll("-", "")}${index}${callIdInfix}`,
    reasoningTokensMax,
    maxTokens: isEmptyAnswer(turn) ? 1 : maxTokens,
  };
}
