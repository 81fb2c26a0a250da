/**
 * The work of a run that generates text: the rules of its answer, the model, the prompts, then its choices, as many at a time as the
 * model has slots, or the turns of its only choice (turns.ts).
 */
import { countPromptTokens } from "../../../core/prompt/media.js";
import { unlessAborted } from "../../abortable.js";
import { buildPrompts } from "../../prompt/prompts.js";
import { createAnswerValidator } from "./answer-rules.js";
import { boundWithSummary, compactTurn, isCompacted } from "./compaction.js";
import type { TextRun } from "./text-run.js";
import { boundTokens, limitReasoning } from "./token-bound.js";
import { generateTurn, type Turn } from "./turn.js";
import { driveTurns, tooLongEnd, hasTurns, openTurns, withAllowedCalls } from "./turns.js";

/** Drives a run to the end of its last choice. @throws HearthError what prevented that. */
export async function drive(run: TextRun): Promise<void> {
  const asked = await prepareFirstTurn(run);
  const opened = await openTurns(run, asked);
  if (opened === null) return run.endChoice(tooLongEnd);
  const turn = isCompacted(run.request, asked.prompts, asked.loaded)
    ? await compactTurn(run, opened)
    : opened;
  if (turn === null) return;
  const { choices } = run.request;
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < choices && !run.signal.aborted) {
      const index = next++;
      const end = hasTurns(run) ? await driveTurns(run, turn) : await generateTurn(run, turn, index);
      if (end !== null) run.endChoice(end);
    }
  };
  const workers = Array.from({ length: Math.min(choices, turn.loaded.slots) }, () =>
    work().catch((thrown: unknown) => {
      if (!run.signal.aborted) run.fail(thrown);
      run.abort();
    }),
  );
  await Promise.all(workers);
}

const describedImages = "images are described in words, because this model does not read them itself";

/** Where a request limits the tokens that penalties count, and its engine cannot. */
function warnOfPenaltyTokens({ request: { statedSampling, sampling }, warnings }: TextRun): void {
  const { frequencyPenalty, presencePenalty, repeatPenalty = 1 } = sampling;
  const isPenalised = frequencyPenalty !== 0 || presencePenalty !== 0 || repeatPenalty !== 1;
  if (isPenalised && statedSampling.penaltyTokens != null)
    warnings.push(
      "repeat_last_n is not applied: the engine of this model counts penalties over the whole answer",
    );
}

async function prepareFirstTurn(run: TextRun): Promise<Turn> {
  const { model, request, signal, services, teamId } = run;
  const { manifest } = model;
  const building = createAnswerValidator(services.schemas, request, teamId);
  const validator = building instanceof Promise ? await unlessAborted(building, signal) : building;
  run.warnings.push(...validator.warnings);
  const messages = withAllowedCalls(request.messages, run.context.allowedCalls);
  const started = services.media.prepareEarly(messages, model, teamId, signal);
  const early = started instanceof Promise ? await unlessAborted(started, signal) : started;
  const loaded = await run.timings.measureLoad(() => run.load(services.load(model, signal)));
  const conversation =
    early ??
    (await unlessAborted(
      (async () => services.media.prepare(messages, loaded.reads, teamId, signal))(),
      signal,
    ));
  if (loaded.countsWholeAnswer === true) warnOfPenaltyTokens(run);
  if (conversation.imageTexts.size > 0) run.warnings.push(describedImages);
  const built = await unlessAborted(
    buildPrompts(services.engine, model, loaded, request, conversation),
    signal,
  );
  const reasoningTokensMax = limitReasoning(request, model, services.reasoningTokensMax);
  const reasons = manifest.capabilities.reasoning;
  const { contextTokens } = loaded;
  const answer = boundTokens(request, built.prompts, { reasons, reasoningTokensMax, contextTokens });
  const bound = isCompacted(request, built.prompts, loaded)
    ? boundWithSummary(request, answer, loaded)
    : answer;
  const promptTokens = built.prompts.reduce((sum, prompt) => sum + countPromptTokens(prompt), 0);
  await run.money.prepare({ promptTokens, bound });
  const hasRules = request.format.type !== "text" || request.tools.length > 0;
  const isEnforced = !hasRules || loaded.ignoresRules !== true;
  const exact = validator.exact && isEnforced && (request.tools.length === 0 || loaded.callsAreExact);
  return {
    ...built,
    request,
    conversation,
    loaded,
    reasoningTokensMax,
    validator: { ...validator, exact },
    sampledMax: bound.sampled,
    callIdInfix: "",
    firstCall: 0,
    isSilent: false,
  };
}
