/**
 * The work of a run that generates text: the rules of its answer, the model, the prompts, then its choices, as many at a time as the
 * model has slots, or the turns of its only choice (turns.ts). It emits events and adds up their usage; execute.ts starts and settles
 * the run.
 */
import type { GenerationEnd } from "../../core/generation.js";
import { unlessAborted } from "../abortable.js";
import { answerValidator } from "./answer-rules.js";
import type { Execution } from "./execution.js";
import { withAllowedCalls } from "./turns/allowed-calls.js";
import { boundWithSummary, compactConversation, isCompacted } from "./turns/compact-conversation.js";
import { generateOnSlot, type Prepared } from "./generate-on-slot.js";
import { reasoningTokensMaxOf } from "./reasoning-limit.js";
import { tokenBound } from "./reservation.js";
import type { RunDeps, TextRun } from "./run-deps.js";
import { driveTurns, hasTurns, openTurns } from "./turns/turns.js";
import { buildPrompts } from "../prompt/prompts.js";

/** Drives a run to the end of its last choice. @throws HearthError what prevented that. */
export async function drive(deps: RunDeps, run: TextRun, execution: Execution): Promise<void> {
  const asked = await prepare(deps, run, execution);
  const first = await openTurns(deps, run, execution, asked);
  if (first === null) return end(run, execution, tooLong);
  const prepared = isCompacted(run.request, asked)
    ? await compactConversation(deps, run, execution, first)
    : first;
  if (prepared === null) return;
  const { choices } = run.request;
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < choices && !execution.signal.aborted)
      await runChoice(deps, run, execution, prepared, next++);
  };
  const workers = Array.from({ length: Math.min(choices, prepared.loaded.slots) }, () =>
    worker().catch((thrown: unknown) => {
      if (!execution.signal.aborted) execution.fail(thrown);
      execution.abort();
    }),
  );
  await Promise.all(workers);
}

async function prepare(deps: RunDeps, run: TextRun, execution: Execution): Promise<Prepared> {
  const { model, request } = run;
  const { signal } = execution;
  const { id: teamId } = run.context.principal.team;
  const building = answerValidator(deps.schemas, request, teamId);
  const validator = building instanceof Promise ? await unlessAborted(building, signal) : building;
  run.warnings.push(...validator.warnings);
  // Before the model is held: while images are described, it may serve others.
  const messages = withAllowedCalls(request.messages, run.context.allowedCalls);
  const captioning = deps.captioning.caption(messages, teamId, signal);
  const conversation = captioning instanceof Promise ? await unlessAborted(captioning, signal) : captioning;
  const loaded = await run.timings.measureLoad(() => execution.load(deps.load(model, signal)));
  const { prompts, imageTokens } = await unlessAborted(
    buildPrompts(deps.engine, model, loaded, request, conversation),
    signal,
  );
  const reasoningTokensMax = reasoningTokensMaxOf(request, model, deps.reasoningTokensMax);
  const bounds = {
    reasons: model.manifest.capabilities.reasoning,
    reasoningTokensMax,
    contextTokens: loaded.contextTokens,
  };
  const bound = tokenBound(request, prompts, bounds);
  const whole = isCompacted(request, { prompts, loaded }) ? boundWithSummary(request, bound, loaded) : bound;
  const record = await execution.prepareRecord({
    promptTokens: prompts.reduce((sum, { tokens }) => sum + tokens.length, 0),
    bound: whole,
  });
  const hasRules = request.format.type !== "text" || request.tools.length > 0;
  const isEnforced = !hasRules || loaded.ignoresRules !== true;
  const exact = validator.exact && isEnforced && (request.tools.length === 0 || loaded.callsAreExact);
  return {
    request,
    conversation,
    loaded,
    prompts,
    imageTokens,
    reasoningTokensMax,
    validator: { ...validator, exact },
    record,
    sampledMax: whole.sampled,
    started: new Set(),
    counted: new Set(),
    callIdInfix: "",
    firstCall: 0,
  };
}

/** Generates one choice and emits its end, unless it is the last one. */
async function runChoice(
  deps: RunDeps,
  run: TextRun,
  execution: Execution,
  prepared: Prepared,
  index: number,
): Promise<void> {
  const last = hasTurns(run)
    ? await driveTurns(deps, run, execution, prepared)
    : await generateOnSlot(deps, run, execution, prepared, index);
  if (last !== null) end(run, execution, last);
}

/** The conversation with the results of the allowed calls does not fit: the answer ends where it would begin. */
const tooLong: GenerationEnd = {
  type: "generation-end",
  choice: 0,
  finishReason: "length",
  stopSequence: null,
};

function end(run: TextRun, { usage }: Execution, last: GenerationEnd): void {
  run.timings.observe(last);
  const counted = { ...last, usage };
  run.ends.push(counted);
  if (run.ends.length < run.request.choices) run.emit(counted);
}
