/**
 * Text generation: from an accepted request to a stream of events. A run (execute.ts) drives the engine and pushes events into a
 * bounded channel; its last event is emitted only when the run is settled. The HTTP side reads `events`, and aborts the run when
 * its client leaves.
 *
 * States of a run: loading -> prompting -> queued -> running -> settled; it can fail or be aborted in any of the first four.
 */
import { Channel } from "../../core/channel.js";
import type { TextTokens } from "../../core/engine.js";
import { notRead } from "../../core/errors.js";
import type { GenerationRequest } from "../../core/generation.js";
import { waitingEventsMax } from "../../core/requests/event-merging.js";
import type { Ticks } from "../../core/money.js";
import { atPercent, completeRequest, type CompleteRequest, type Model } from "../../core/model.js";
import { type RunEvent, runEventMerging } from "../../core/run-event.js";
import { noUsage, type Usage } from "../../core/usage.js";
import type { RunParameters } from "../../core/telemetry/tracing.js";
import { createPromptCounter } from "../prompt/count.js";
import { AnswerContent } from "../content/answer-content.js";
import { readContent, type RunContent } from "../content/messages.js";
import { drive } from "./drive.js";
import { contentCharsMax, createRunExecutor, type RunExecutor, type RunWork } from "./execute.js";
import { refuseWithoutCredit } from "./reservation.js";
import { createPreloader } from "./preload.js";
import { labelsText, withLabels } from "./labels.js";
import type { GeneratorDeps, RunContext, RunDeps, TextRun } from "./run-deps.js";
import { timedLoads } from "./timed-loads.js";
import { type RunTimings, Stopwatch } from "./timings.js";
import { usableModel } from "../usable-model.js";

export interface Run {
  readonly id: string;
  readonly model: Model;
  /** The name of the model in the request: its id or an alias. */
  readonly modelName: string;
  /** Answers that it generates. */
  readonly choices: number;
  /** Maximum sampled tokens of each; null = as many as the context holds. */
  readonly maxTokens: number | null;
  /** For one reader. Throws a HearthError when the run fails; ends without the last `generation-end` when it is aborted. */
  readonly events: AsyncIterable<RunEvent>;
  readonly timings: RunTimings;
  /** Sentences about what is not applied of the request; complete before the first event. */
  readonly warnings: readonly string[];
  /** What it has used and is charged; null until its last event, or its failure. */
  readonly finalUsage: Usage | null;
  /** What it is charged, with the runs of its server calls; null until its last event, or its failure. */
  readonly costTicks: Ticks | null;
  abort(): void;
  /** Resolves, never rejects, once the slots are free and the run is settled, or its settlement is being retried. */
  readonly finished: Promise<void>;
}

export type Generator = ReturnType<typeof createGenerator>;

/** Builds the generator; no run is active yet. */
export function createGenerator(generatorDeps: GeneratorDeps) {
  const executor = createRunExecutor(generatorDeps);
  const deps: RunDeps = { ...generatorDeps, load: timedLoads(generatorDeps) };
  const counter = createPromptCounter(deps);
  return {
    /** Runs whose end is not written yet. */
    active: executor.active,
    preloader: createPreloader(deps),
    /**
     * Counts the tokens of the prompt that a request would be answered from; nothing is generated, recorded or charged.
     * @throws HearthError as a run does before its first token.
     */
    async countPrompt(request: GenerationRequest, teamId: string, signal: AbortSignal): Promise<number> {
      const model = usableModel(deps.models, request.model);
      return counter.count(model, completeRequest(request, model), teamId, signal);
    },
    /**
     * Returns the tokens of a text in a model's own vocabulary; nothing is recorded or charged.
     * @throws HearthError as a run does before its first token.
     */
    tokenize: async (model: string, text: string, signal: AbortSignal): Promise<TextTokens> =>
      counter.tokenize(usableModel(deps.models, model), text, signal),
    /**
     * Refuses a request as its run would before it loads its model, for work that comes between its admission and the run.
     * @throws HearthError `model_not_found`, `model_unavailable`, `overloaded`, `no_credits`, `budget_exceeded`.
     */
    async refuse(
      request: Pick<GenerationRequest, "model">,
      principal: RunContext["principal"],
    ): Promise<void> {
      const model = usableModel(deps.models, request.model);
      executor.refuseWhenFull();
      await refuseWithoutCredit(deps, { model, context: { principal } });
    },
    /**
     * Starts a run.
     * @throws HearthError `model_not_found`, `model_unavailable` or `overloaded` before anything is started.
     */
    start(request: GenerationRequest, context: RunContext): Run {
      const model = accept(deps, executor, request, context);
      const run = createTextRun(deps, model, completeRequest(request, model), context);
      const active = executor.execute(run, textWork(deps, run));
      return {
        id: run.id,
        model,
        modelName: request.model,
        choices: request.choices,
        maxTokens: run.request.maxTokens,
        events: run.channel,
        timings: run.timings,
        warnings: run.warnings,
        get finalUsage() {
          return run.finalUsage;
        },
        get costTicks() {
          return run.finalUsage?.chargedTicks ?? null;
        },
        abort: () => active.abort(),
        finished: active.finished,
      };
    },
    /** Aborts every run; resolves when the end of each is written, or was given up because it cannot be written. */
    close: (): Promise<void> => executor.close(),
  };
}

/** Returns the model that answers. A refused request gives its token reservation back. */
function accept(
  { models }: GeneratorDeps,
  executor: RunExecutor,
  request: GenerationRequest,
  { tokenReservation, pricePercent = 100 }: RunContext,
): Model {
  try {
    const model = usableModel(models, request.model);
    executor.refuseWhenFull();
    return atPercent(model, pricePercent);
  } catch (thrown) {
    tokenReservation?.reconcile(noUsage);
    throw thrown;
  }
}

function createTextRun(
  { random, clock, metrics, tracing, bodies, withoutSecrets }: GeneratorDeps,
  model: Model,
  request: CompleteRequest,
  context: RunContext,
): TextRun {
  const channel = new Channel<RunEvent>(waitingEventsMax, runEventMerging);
  const isSeen = tracing.takesContent || context.principal.team.keepsBodies;
  const answer =
    isSeen && request.ephemeral !== true
      ? new AnswerContent(Math.max(contentCharsMax, bodies.charsMax))
      : null;
  let sampled = 0;
  return {
    id: context.runId ?? random.id(),
    model,
    requestedModel: request.model,
    labels: labelsText(request, withoutSecrets),
    request,
    warnings: [...(request.warnings ?? [])],
    context: withLabels(context, request, withoutSecrets),
    channel,
    emit(event) {
      const { completionTokens, reasoningTokens } = event.usage;
      metrics.tokensSampled(context.principal.key, completionTokens + reasoningTokens - sampled);
      sampled = completionTokens + reasoningTokens;
      context.recorder?.add(event);
      answer?.add(event);
      if (!channel.push(event)) throw notRead();
    },
    timings: new Stopwatch(clock),
    finalUsage: null,
    ends: [],
    answer,
  };
}

function parametersOf({ sampling, maxTokens, choices }: CompleteRequest): RunParameters {
  const { temperature, topP, topK, frequencyPenalty, presencePenalty, seed } = sampling;
  return { temperature, topP, topK, frequencyPenalty, presencePenalty, seed, maxTokens, choices };
}

function contentOf({ answer, ends, request }: TextRun): RunContent | null {
  if (answer === null) return null;
  const reasons = new Map(ends.map(({ choice, finishReason }) => [choice, finishReason]));
  return { input: readContent(request), output: answer.messages(reasons) };
}

function textWork(deps: RunDeps, run: TextRun): RunWork {
  const { channel, ends, timings } = run;
  const { recorder } = run.context;
  const isComplete = (): boolean => ends.length === run.request.choices;
  const lastEnd = () => (isComplete() ? ends.at(-1) : undefined);
  return {
    operation: run.request.raw === undefined ? "chat" : "text_completion",
    parameters: parametersOf(run.request),
    timings,
    isComplete,
    finishReasons: () => ends.map(({ finishReason }) => finishReason),
    content: () => contentOf(run),
    produce: (execution) => drive(deps, run, execution),
    writes(end) {
      if (recorder === undefined) return [];
      const last = lastEnd();
      if (last !== undefined) recorder.add({ ...last, usage: end.usage });
      return recorder.writes(end);
    },
    ended({ failure, usage }) {
      run.finalUsage = usage;
      if (failure !== null) channel.fail(failure);
      // The last end is emitted only when the run is settled: a client that has the whole answer finds its row.
      const last = lastEnd();
      if (last !== undefined) channel.push({ ...last, usage });
      channel.end();
    },
  };
}
