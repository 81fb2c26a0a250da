/** Generates one choice, or one turn of it, on a slot of its own: counts and emits its events. */
import { isDeepStrictEqual } from "node:util";
import type { DecodeJob, LoadedModel, Prompt } from "../../core/engine.js";
import type { GenerationEnd, GenerationEvent, GenerationStart } from "../../core/generation.js";
import type { CompleteRequest } from "../../core/model.js";
import type { CountedTokens } from "../../core/requests/counted-tokens.js";
import {
  addEvent,
  correctUsage,
  countSampled,
  cutPrompt,
  noUsage,
  replaceImplausible,
  type Usage,
} from "../../core/usage.js";
import type { CaptionedConversation } from "../prompt/captioning.js";
import type { AnswerValidator } from "./answer-rules.js";
import { generateChoice, type EventTaker } from "./choice.js";
import type { Execution, HeldSlot } from "./execution.js";
import { countPromptTokens } from "./reservation.js";
import type { RunDeps, TextRun } from "./run-deps.js";

/** What the choices of a run share. Of a run with turns, it is what the next turn is generated from. */
export interface Prepared {
  readonly request: CompleteRequest;
  /** The request's conversation, with images replaced by texts. */
  readonly conversation: CaptionedConversation;
  readonly loaded: LoadedModel;
  readonly prompts: readonly Prompt[];
  /** Tokens of the first prompt that describe images. */
  readonly imageTokens: number;
  /** Tokens after which reasoning is ended; null = no limit. */
  readonly reasoningTokensMax: number | null;
  readonly validator: AnswerValidator;
  /** Inserts the run's row, once. */
  readonly record: () => Promise<void>;
  /** Tokens that all answers together may sample. */
  readonly sampledMax: number;
  /** Prompts whose `generation-start` was emitted. */
  readonly started: Set<Prompt>;
  /** Prompts whose tokens were counted. */
  readonly counted: Set<Prompt>;
  /** Stands between the ids of a choice's calls and their numbers, so that calls of different turns have different ids. */
  readonly callIdInfix: string;
  /** Calls of the turns before. */
  readonly firstCall: number;
  /** Whether only the start is emitted; the rest is counted. */
  readonly isSilent?: boolean;
}

/**
 * Generates and emits everything but the end.
 * @param observe also takes every event. @returns the end; null when it was aborted.
 */
export async function generateOnSlot(
  deps: RunDeps,
  run: TextRun,
  execution: Execution,
  prepared: Prepared,
  index: number,
  observe: (event: GenerationEvent) => void = () => undefined,
): Promise<GenerationEnd | null> {
  const { loaded, validator } = prepared;
  const { signal } = execution;
  const { model, timings } = run;
  const job = decodeJob(run, prepared, index);
  const promptTokens = job.prompt.tokens.length;
  let end: GenerationEnd | null = null;
  await execution.withSlot({ loaded, tokensExpected: promptTokens }, async (slot) => {
    timings.slotGranted(slot.queuedMs);
    slot.tokensServed = promptTokens;
    // Nothing is produced that is not reserved.
    await prepared.record();
    const taker = takeChoice(run, execution, prepared, { index, job, slot, observe });
    end = await generateChoice(deps.engine, { index, model, job, validator, signal, taker });
  });
  return end;
}

interface ChoiceOnSlot {
  readonly index: number;
  readonly job: DecodeJob;
  readonly slot: HeldSlot;
  readonly observe: (event: GenerationEvent) => void;
}

/** Counts the events of one choice. The prompt counts for its first choice, and for each further attempt at an answer. */
class ChoiceCount {
  /** What the events of the attempt have added. */
  own = noUsage;
  readonly #execution: Execution;
  readonly #prepared: Prepared;
  readonly #place: ChoiceOnSlot;
  #attempts = 0;
  #sampledBefore: number;

  constructor(execution: Execution, prepared: Prepared, place: ChoiceOnSlot) {
    this.#execution = execution;
    this.#prepared = prepared;
    this.#place = place;
    this.#sampledBefore = countSampled(execution.usage);
  }

  add(event: GenerationEvent): void {
    this.#execution.count((usage) => addEvent(usage, event));
    this.own = addEvent(this.own, event);
    if ("tokens" in event) this.#place.slot.tokensServed += event.tokens;
  }

  begin(start: GenerationStart): GenerationStart {
    const { imageTokens, counted } = this.#prepared;
    const { prompt } = this.#place.job;
    this.own = noUsage;
    this.#attempts += 1;
    const isFirst = !counted.has(prompt);
    const event = isFirst && imageTokens > 0 ? { ...start, imageTokens } : start;
    if (isFirst || this.#attempts > 1) this.add(event);
    counted.add(prompt);
    return event;
  }

  /** Reserves another attempt: as much as the last one has used. */
  async reserveAttempt(): Promise<void> {
    const sampled = countSampled(this.#execution.usage) - this.#sampledBefore;
    this.#execution.discardedTokens += sampled;
    await this.#execution.reserveMore({ prompt: countPromptTokens([this.#place.job.prompt]), sampled });
    this.#sampledBefore = countSampled(this.#execution.usage);
  }
}

/** Returns what counts and emits the events of one choice. The start of a prompt is emitted for its first choice only. */
function takeChoice(run: TextRun, execution: Execution, prepared: Prepared, place: ChoiceOnSlot): EventTaker {
  const { started, isSilent, firstCall } = prepared;
  const { index, observe } = place;
  const { prompt } = place.job;
  const count = new ChoiceCount(execution, prepared, place);
  const emit = (event: GenerationEvent): void => run.emit({ ...event, usage: execution.usage });
  const emitStart = (event: GenerationStart): void => {
    if (!started.has(prompt)) {
      run.timings.observe(event);
      emit(event);
    }
    started.add(prompt);
    if (run.request.raw?.echo === true)
      emit({ type: "text-delta", choice: index, text: prompt.rawText ?? "", tokens: 0 });
  };
  return {
    emit(taken) {
      const event = "index" in taken ? { ...taken, index: taken.index + firstCall } : taken;
      observe(event);
      if (event.type === "generation-start") return emitStart(count.begin(event));
      count.add(event);
      run.timings.observe(event);
      if (isSilent !== true) emit(event);
    },
    discard(event) {
      if (event.type === "generation-start") count.begin(event);
      else count.add(event);
    },
    promptCut: (evaluated) => execution.count((usage) => cutPrompt(usage, count.own, evaluated)),
    attemptEnded({ counted: tokens }) {
      if (tokens !== undefined) correctTokens(run, execution, count.own, tokens);
    },
    reserveAttempt: () => count.reserveAttempt(),
  };
}

/** Replaces estimates of tokens by what the server has counted, where it can be so. */
function correctTokens(
  { warnings, timings }: TextRun,
  execution: Execution,
  estimated: Usage,
  counted: CountedTokens | null,
): void {
  const tokens = counted === null ? null : replaceImplausible(counted, estimated);
  const isCounted = tokens !== null && isDeepStrictEqual(tokens, counted);
  if (!isCounted && !warnings.includes(estimatedTokens)) warnings.push(estimatedTokens);
  if (tokens !== null) execution.count((usage) => correctUsage(usage, estimated, tokens));
  timings.cachedTokens = execution.usage.cachedTokens;
}

const estimatedTokens = "the numbers of tokens are estimated: the server has not counted them";

/** Returns the engine's job for one choice; each has a seed of its own. */
function decodeJob(
  { context, id }: TextRun,
  { request, prompts, validator, reasoningTokensMax, callIdInfix }: Prepared,
  index: number,
): DecodeJob {
  const { sampling, tools, toolChoice, topLogprobs, stop, maxTokens, maxTokensExcludesReasoning } = request;
  const choicesPerPrompt = request.choices / prompts.length;
  const prompt = prompts[Math.floor(index / choicesPerPrompt)];
  if (prompt === undefined) throw new Error(`no prompt for the choice ${index}`);
  // Seeds start again with each prompt: the answers equal those to requests of one prompt each.
  const seed = sampling.seed === null ? null : (sampling.seed + (index % choicesPerPrompt)) >>> 0;
  return {
    prompt,
    teamId: context.principal.team.id,
    sampling: { ...sampling, seed },
    tools,
    toolChoice,
    rules: validator.rules,
    format: request.format,
    callIdPrefix: `call_${id.replaceAll("-", "")}${index}${callIdInfix}`,
    reasoningTokensMax,
    topLogprobs,
    stop,
    maxTokens,
    maxTokensExcludesReasoning,
    deterministic: request.deterministic,
    ephemeral: request.ephemeral,
    cacheKey: request.cacheKey,
  };
}
