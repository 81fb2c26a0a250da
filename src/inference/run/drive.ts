/**
 * A run on its way through its ports: the rules of its answer, the model, the prompt, then its choices, as many side by side
 * as the model has slots. It tells events and what they add up to; how the run began and how it is settled is generate.ts's.
 */
import type { DecodeJob, LoadedModel, Prompt } from "../../core/engine.js";
import { asHearthError } from "../../core/errors.js";
import type { GenerationEvent } from "../../core/generation.js";
import { addEvent } from "../../core/usage.js";
import { judgeOf, type AnswerJudge } from "./answer-rules.js";
import { drawChoice } from "./choice.js";
import { refuseWithoutCredit, reservationOf } from "./reservation.js";
import { promptsOf } from "../prompt/prompts.js";
import { reasoningTokensMaxOf } from "./reasoning-limit.js";
import { record } from "./billing.js";
import type { Progress, Street, Task } from "./run-deps.js";
import { hold, unlessAborted } from "./abortable.js";

/** Drives a run to the end of its last choice. @throws HearthError what kept it from there. */
export async function drive(deps: Street, task: Task, progress: Progress): Promise<void> {
  const { model, request, signal } = task;
  await refuseWithoutCredit(deps, task);
  const judging = judgeOf(deps.schemas, request);
  const asked = judging instanceof Promise ? await unlessAborted(judging, signal) : judging;
  // While images are looked at, the model that answers may serve others.
  const { id: teamId } = task.context.principal.team;
  const grounding = deps.grounding.ground(request.messages, teamId, signal);
  const grounded = grounding instanceof Promise ? await unlessAborted(grounding, signal) : grounding;
  const loaded = await hold(deps.load(model), signal);
  progress.loaded = loaded;
  const judge = { ...asked, exact: asked.exact && (request.tools.length === 0 || loaded.callsAreExact) };
  const making = promptsOf(deps.engine, model, loaded, request, grounded);
  const { prompts, imageTokens } = await unlessAborted(making, signal);
  const promptTokens = prompts.reduce((sum, { tokens }) => sum + tokens.length, 0);
  const reservedTicks = await reservationOf(deps, task, loaded, prompts);
  const recorded = once(() => record(deps, task, progress, { promptTokens, reservedTicks }));
  const begun = new Set<Prompt>();
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < request.choices && !signal.aborted) {
      const index = next++;
      const job = jobOf(task, prompts, judge, index);
      await withSlot(deps, task, { progress, loaded, job, judge, index, imageTokens, begun, recorded });
    }
  };
  const workers = Array.from({ length: Math.min(request.choices, loaded.slots) }, () =>
    worker().catch((thrown: unknown) => {
      if (!signal.aborted) progress.failure ??= asHearthError(thrown);
      task.abort();
    }),
  );
  await Promise.all(workers);
}

/** What one choice is drawn with. */
interface Turn {
  readonly progress: Progress;
  readonly loaded: LoadedModel;
  readonly job: DecodeJob;
  readonly judge: AnswerJudge;
  readonly index: number;
  /** Tokens of the prompt that tell of images. */
  readonly imageTokens: number;
  /** Prompts whose `generation-start` is told. */
  readonly begun: Set<Prompt>;
  /** Inserts the run's row, once. */
  readonly recorded: () => Promise<void>;
}

/** One choice on a slot of its own, from waiting for it to giving it back. */
async function withSlot(deps: Street, task: Task, turn: Turn): Promise<void> {
  const { progress, loaded, job, judge, index, imageTokens, recorded } = turn;
  const { model, signal, timings, emit } = task;
  const { weight: teamWeight } = task.context.principal.team;
  const slot = await deps.slots.acquire({
    model: model.manifest.id,
    slots: loaded.slots,
    teamId: job.teamId,
    teamWeight,
    workClass: task.context.workClass ?? "interactive",
    tokensExpected: job.prompt.tokens.length,
    signal,
  });
  timings.slotHeld(slot.queuedMs);
  let served = job.prompt.tokens.length;
  try {
    const tell = (told: GenerationEvent): void => {
      const starts = told.type === "generation-start";
      const event = starts && imageTokens > 0 ? { ...told, imageTokens } : told;
      if (!starts || !turn.begun.has(job.prompt)) {
        progress.usage = addEvent(progress.usage, event);
        if ("tokens" in event) served += event.tokens;
        timings.saw(event);
        emit(event);
      }
      if (!starts) return;
      turn.begun.add(job.prompt);
      if (task.request.raw?.echo === true)
        emit({ type: "text-delta", choice: index, text: job.prompt.rawText ?? "", tokens: 0 });
    };
    // Nothing is produced that is not reserved.
    await recorded();
    const end = await drawChoice(deps.engine, { index, model, job, judge, signal, tell });
    if (end === null) return;
    timings.saw(end);
    progress.ends.push(end);
    if (progress.ends.length < task.request.choices) emit(end);
  } finally {
    slot.release(served);
  }
}

/** The engine's view of one choice; each has dice of its own. */
function jobOf(task: Task, prompts: readonly Prompt[], judge: AnswerJudge, index: number): DecodeJob {
  const { request, context, id } = task;
  const { sampling, tools, toolChoice, topLogprobs, stop, maxTokens, maxTokensExcludesReasoning } = request;
  const share = request.choices / prompts.length;
  const prompt = prompts[Math.floor(index / share)];
  if (prompt === undefined) throw new Error(`no prompt for the choice ${index}`);
  // Whichever prompt it is of: the answers are those to requests of one prompt each.
  const seed = sampling.seed === null ? null : (sampling.seed + (index % share)) >>> 0;
  return {
    prompt,
    teamId: context.principal.team.id,
    sampling: { ...sampling, seed },
    tools,
    toolChoice,
    rules: judge.rules,
    callIdPrefix: `call_${id.replaceAll("-", "")}${index}`,
    reasoningTokensMax: reasoningTokensMaxOf(request),
    topLogprobs,
    stop,
    maxTokens,
    maxTokensExcludesReasoning,
    deterministic: request.deterministic,
  };
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () => (running ??= work());
}
