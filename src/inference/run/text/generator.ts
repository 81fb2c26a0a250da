/** Text generation: from an accepted request to a run whose events are read, and the work on prompts that comes without a run. */
import type { TextTokens } from "../../../core/engine.js";
import type { GenerationRequest } from "../../../core/generation.js";
import { completeRequest } from "../../../core/model.js";
import { hold, unlessAborted } from "../../abortable.js";
import { createPromptCounter } from "../../prompt/count.js";
import { tooManyRuns } from "../../too-many-runs.js";
import { usableModel } from "../../usable-model.js";
import type { LiveRuns } from "../live-runs.js";
import type { RunContext } from "../run-context.js";
import { refuseWithoutCredit } from "../run-money.js";
import { timedLoads } from "../timed-loads.js";
import { TextRun, type TextServices } from "./text-run.js";
import { countPromptTokens } from "../../../core/prompt/media.js";
import { buildPrompts } from "../../prompt/prompts.js";
import { createAnswerValidator } from "./answer-rules.js";
import { boundWithSummary, compactTurn, isCompacted } from "./compaction.js";
import { boundTokens, limitReasoning } from "./token-bound.js";
import { generateTurn, type Turn } from "./turn.js";
import { driveTurns, tooLongEnd, hasTurns, openTurns, withAllowedCalls } from "./turns.js";

export type Generator = ReturnType<typeof createGenerator>;

/** Builds the generator. @param liveRuns runs of all kinds, which the generator's are added to */
export function createGenerator(liveRuns: LiveRuns, parts: Omit<TextServices, "load">) {
  const services: TextServices = { ...parts, load: timedLoads(parts) };
  const { models, engine, load } = services;
  const { runsActiveMax } = liveRuns;
  const counter = createPromptCounter({ ...services, runsActiveMax });
  let preloads = 0;
  return {
    /**
     * Counts the tokens of the prompt that a request would be answered from; nothing is generated, recorded or charged.
     * @throws HearthError as a run does before its first token.
     */
    async countPrompt(request: GenerationRequest, teamId: string, signal: AbortSignal): Promise<number> {
      const model = usableModel(models, request.model);
      return counter.count(model, completeRequest(request, model), teamId, signal);
    },
    /**
     * Returns the tokens of a text in a model's own vocabulary; nothing is recorded or charged.
     * @throws HearthError as a run does before its first token.
     */
    tokenize: async (model: string, text: string, signal: AbortSignal): Promise<TextTokens> =>
      counter.tokenize(usableModel(models, model), text, signal),
    /**
     * Loads a chat model, or keeps the one in memory; a keep-alive time of 0 unloads it as soon as no run uses it, and loads nothing.
     * @param keepAliveMs absent: as before
     * @returns whether it is to be in memory
     * @throws HearthError `overloaded`, or as a run does before its first token.
     */
    async preload(name: string, keepAliveMs: number | undefined, signal: AbortSignal): Promise<boolean> {
      const model = usableModel(models, name);
      const isWanted = keepAliveMs !== 0;
      const isThere = engine.residents().some(({ id }) => id === model.manifest.id);
      if (!isWanted && !isThere) return false;
      if (preloads >= runsActiveMax) throw tooManyRuns();
      preloads += 1;
      try {
        (await hold(load(model, signal), signal)).release(keepAliveMs);
      } finally {
        preloads -= 1;
      }
      return isWanted;
    },
    /**
     * Refuses a request as its run would before it loads its model, for work that comes between its admission and the run.
     * @param name the model's in the request
     * @throws HearthError `model_not_found`, `model_unavailable`, `overloaded`, `no_credits`, `budget_exceeded`.
     */
    async refuse(name: string, principal: RunContext["principal"]): Promise<void> {
      const model = usableModel(models, name);
      liveRuns.refuseWhenFull();
      await refuseWithoutCredit(services, model, principal);
    },
    /**
     * Starts a run. Its last event is emitted only when it is settled.
     * @throws HearthError `model_not_found`, `model_unavailable` or `overloaded` before anything is started.
     */
    start(request: GenerationRequest, context: RunContext): TextRun {
      const model = liveRuns.admit(context, () => usableModel(models, request.model));
      const run = new TextRun(services, model, completeRequest(request, model), context);
      liveRuns.start(run, () => drive(run));
      return run;
    },
  };
}

// The work of a run that generates text: the rules of its answer, the model, the prompts, then its choices, as many at a time as the
// model has slots, or the turns of its only choice (turns.ts).

/** Drives a run to the end of its last choice. @throws HearthError what prevented that. */
async function drive(run: TextRun): Promise<void> {
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
