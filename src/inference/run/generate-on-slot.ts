/** Generates one choice, or one turn of it, on a slot of its own: counts and emits its events. */
import type { DecodeJob, LoadedModel, Prompt } from "../../core/engine.js";
import type { GenerationEnd, GenerationEvent } from "../../core/generation.js";
import type { CompleteRequest } from "../../core/model.js";
import { addEvent, corrected, noUsage, type Usage } from "../../core/usage.js";
import type { CaptionedConversation } from "../prompt/captioning.js";
import type { AnswerValidator } from "./answer-rules.js";
import { generateChoice } from "./choice.js";
import type { Execution, HeldSlot } from "./execution.js";
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
    const emitter = choiceEmitter(run, execution, prepared, { index, job, slot });
    const emit = (event: GenerationEvent): void => {
      const numbered = "index" in event ? { ...event, index: event.index + prepared.firstCall } : event;
      observe(numbered);
      emitter.emit(numbered);
    };
    const ended = await generateChoice(deps.engine, { index, model, job, validator, signal, emit });
    end = ended === null ? null : counted(run, execution, ended, emitter.estimated());
  });
  return end;
}

/** Replaces estimates of tokens by what the server has counted. */
function counted(
  run: TextRun,
  execution: Execution,
  { counted: tokens, ...end }: GenerationEnd,
  estimated: Usage,
): GenerationEnd {
  if (tokens === undefined) return end;
  if (tokens === null)
    run.warnings.push("the numbers of tokens are estimated: the server has not counted them");
  else execution.usage = corrected(execution.usage, estimated, tokens);
  run.timings.cachedTokens = execution.usage.cachedTokens;
  return end;
}

interface ChoiceOnSlot {
  readonly index: number;
  readonly job: DecodeJob;
  readonly slot: HeldSlot;
}

/** Returns what counts and emits the events of one choice. The start of a prompt is emitted for its first choice only. */
function choiceEmitter(
  run: TextRun,
  execution: Execution,
  { imageTokens, started, isSilent }: Prepared,
  { index, job: { prompt }, slot }: ChoiceOnSlot,
): { emit(event: GenerationEvent): void; estimated(): Usage } {
  let own = noUsage;
  const emit = (event: GenerationEvent): void => run.emit({ ...event, usage: execution.usage });
  const count = (event: GenerationEvent): void => {
    execution.usage = addEvent(execution.usage, event);
    own = addEvent(own, event);
    run.timings.observe(event);
    if (isSilent !== true || event.type === "generation-start") emit(event);
  };
  const take = (event: GenerationEvent): void => {
    if (event.type !== "generation-start") {
      if ("tokens" in event) slot.tokensServed += event.tokens;
      count(event);
      return;
    }
    if (!started.has(prompt)) count(imageTokens > 0 ? { ...event, imageTokens } : event);
    started.add(prompt);
    if (run.request.raw?.echo === true)
      emit({ type: "text-delta", choice: index, text: prompt.rawText ?? "", tokens: 0 });
  };
  return { emit: take, estimated: () => own };
}

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
