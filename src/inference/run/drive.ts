/**
 * The work of a run that generates text: the rules of its answer, the model, the prompts, then its choices, as many at a time as the
 * model has slots. It emits events and adds up their usage; execute.ts starts and settles the run.
 */
import type { DecodeJob, LoadedModel, Prompt } from "../../core/engine.js";
import type { GenerationEvent } from "../../core/generation.js";
import { addEvent } from "../../core/usage.js";
import { buildPrompts } from "../prompt/prompts.js";
import { unlessAborted } from "./abortable.js";
import { answerValidator, type AnswerValidator } from "./answer-rules.js";
import { generateChoice } from "./choice.js";
import type { Execution, HeldSlot } from "./execution.js";
import { reasoningTokensMaxOf } from "./reasoning-limit.js";
import { tokenBound } from "./reservation.js";
import type { RunDeps, TextRun } from "./run-deps.js";

/** Drives a run to the end of its last choice. @throws HearthError what prevented that. */
export async function drive(deps: RunDeps, run: TextRun, execution: Execution): Promise<void> {
  const prepared = await prepare(deps, run, execution);
  const { request } = run;
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < request.choices && !execution.signal.aborted)
      await runChoice(deps, run, execution, prepared, next++);
  };
  const workers = Array.from({ length: Math.min(request.choices, prepared.loaded.slots) }, () =>
    worker().catch((thrown: unknown) => {
      if (!execution.signal.aborted) execution.fail(thrown);
      execution.abort();
    }),
  );
  await Promise.all(workers);
}

/** What the choices of a run share. */
interface Prepared {
  readonly loaded: LoadedModel;
  readonly prompts: readonly Prompt[];
  /** Tokens of the first prompt that describe images. */
  readonly imageTokens: number;
  /** Tokens after which reasoning is ended; null = no limit. */
  readonly reasoningTokensMax: number | null;
  readonly validator: AnswerValidator;
  /** Inserts the run's row, once. */
  readonly record: () => Promise<void>;
  /** Prompts whose `generation-start` was emitted. */
  readonly started: Set<Prompt>;
}

async function prepare(deps: RunDeps, run: TextRun, execution: Execution): Promise<Prepared> {
  const { model, request } = run;
  const { signal } = execution;
  const { id: teamId } = run.context.principal.team;
  const building = answerValidator(deps.schemas, request, teamId);
  const validator = building instanceof Promise ? await unlessAborted(building, signal) : building;
  run.warnings.push(...validator.warnings);
  // Before the model is held: while images are described, it may serve others.
  const captioning = deps.captioning.caption(request.messages, teamId, signal);
  const conversation = captioning instanceof Promise ? await unlessAborted(captioning, signal) : captioning;
  const loaded = await run.timings.measureLoad(() => execution.load(deps.load(model, signal)));
  const { prompts, imageTokens } = await unlessAborted(
    buildPrompts(deps.engine, model, loaded, request, conversation),
    signal,
  );
  const reasoningTokensMax = reasoningTokensMaxOf(request, model, deps.reasoningTokensMax);
  const record = await execution.prepareRecord({
    promptTokens: prompts.reduce((sum, { tokens }) => sum + tokens.length, 0),
    bound: tokenBound(request, prompts, {
      reasons: model.manifest.capabilities.reasoning,
      reasoningTokensMax,
      contextTokens: loaded.contextTokens,
    }),
  });
  const exact = validator.exact && (request.tools.length === 0 || loaded.callsAreExact);
  return {
    loaded,
    prompts,
    imageTokens,
    reasoningTokensMax,
    validator: { ...validator, exact },
    record,
    started: new Set(),
  };
}

/** Generates one choice on a slot of its own. */
async function runChoice(
  deps: RunDeps,
  run: TextRun,
  execution: Execution,
  prepared: Prepared,
  index: number,
): Promise<void> {
  const { loaded, validator } = prepared;
  const { signal } = execution;
  const { model, timings, ends } = run;
  const job = decodeJob(run, prepared, index);
  const promptTokens = job.prompt.tokens.length;
  await execution.withSlot({ slots: loaded.slots, tokensExpected: promptTokens }, async (slot) => {
    timings.slotGranted(slot.queuedMs);
    slot.tokensServed = promptTokens;
    // Nothing is produced that is not reserved.
    await prepared.record();
    const emit = choiceEmitter(run, execution, prepared, { index, job, slot });
    const end = await generateChoice(deps.engine, { index, model, job, validator, signal, emit });
    if (end === null) return;
    timings.observe(end);
    const counted = { ...end, usage: execution.usage };
    ends.push(counted);
    if (ends.length < run.request.choices) run.emit(counted);
  });
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
  { imageTokens, started }: Prepared,
  { index, job: { prompt }, slot }: ChoiceOnSlot,
): (event: GenerationEvent) => void {
  const emit = (event: GenerationEvent): void => run.emit({ ...event, usage: execution.usage });
  const count = (event: GenerationEvent): void => {
    execution.usage = addEvent(execution.usage, event);
    run.timings.observe(event);
    emit(event);
  };
  return (event) => {
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
}

/** Returns the engine's job for one choice; each has a seed of its own. */
function decodeJob(
  run: TextRun,
  { prompts, validator, reasoningTokensMax }: Prepared,
  index: number,
): DecodeJob {
  const { request, context, id } = run;
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
    callIdPrefix: `call_${id.replaceAll("-", "")}${index}`,
    reasoningTokensMax,
    topLogprobs,
    stop,
    maxTokens,
    maxTokensExcludesReasoning,
    deterministic: request.deterministic,
    ephemeral: request.ephemeral,
  };
}
