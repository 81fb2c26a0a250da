/** A run that generates text: its request, the events that its reader gets, and what is recorded of its answer. */
import { Channel } from "../../../core/channel.js";
import type { Engine, LoadedModel, Prompt } from "../../../core/engine.js";
import { notRead } from "../../../core/errors.js";
import type { GenerationEnd } from "../../../core/generation.js";
import type { CompleteRequest, Model } from "../../../core/model.js";
import type { Ticks } from "../../../core/money.js";
import { waitingEventsMax } from "../../../core/requests/event-merging.js";
import { runEventMerging, type ChoiceEnd, type RunEvent } from "../../../core/run-event.js";
import type { Schemas } from "../../../core/schemas.js";
import type { RunOperation } from "../../../core/telemetry/run-operation.js";
import type { RunParameters } from "../../../core/telemetry/tracing.js";
import type { AnswerEvent } from "../../../core/tools/server-call.js";
import { addEvent, type Usage } from "../../../core/usage.js";
import type { Write } from "../../../store/writes.js";
import { AnswerContent } from "../../content/answer-content.js";
import { readContent, type RunContent } from "../../content/messages.js";
import type { MediaPreparation } from "../../prompt/media.js";
import { contentCharsMax, Run } from "../run.js";
import type { RunContext, RunServices } from "../run-context.js";
import type { RunEnd } from "../run-record.js";
import { Stopwatch } from "./timings.js";

/** What runs that generate text are built over. */
export interface TextServices extends RunServices {
  readonly engine: Engine;
  readonly schemas: Schemas;
  /** Reads images and sound for the model, or replaces images by descriptions. */
  readonly media: MediaPreparation;
  /** Tokens after which reasoning is ended where neither the request nor the model says when. */
  readonly reasoningTokensMax: number;
  /** The engine's `load`, measured. */
  readonly load: (model: Model, signal: AbortSignal) => Promise<LoadedModel>;
}

export class TextRun extends Run {
  readonly services: TextServices;
  readonly request: CompleteRequest;
  readonly operation: RunOperation;
  readonly parameters: RunParameters;
  override readonly timings: Stopwatch;
  /** Sentences about what is not applied of the request; complete before the first event. */
  readonly warnings: string[];
  /** Prompts whose `generation-start` was emitted. */
  readonly startedPrompts = new Set<Prompt>();
  /** Prompts whose tokens were counted. */
  readonly countedPrompts = new Set<Prompt>();
  /** Sampled tokens of attempts at an answer that were not valid. */
  discardedTokens = 0;
  readonly #events = new Channel<RunEvent>(waitingEventsMax, runEventMerging);
  /** Ends of the choices that have ended, in that order. */
  readonly #ends: ChoiceEnd[] = [];
  /** Collects what the run writes; null: nobody may see it. */
  readonly #answer: AnswerContent | null;
  #finalUsage: Usage | null = null;
  #sampledTokens = 0;

  constructor(services: TextServices, model: Model, request: CompleteRequest, context: RunContext) {
    super(services, model, request, context);
    const { tracing, bodies, clock } = services;
    this.services = services;
    this.request = request;
    this.operation = request.raw === undefined ? "chat" : "text_completion";
    this.parameters = readParameters(request);
    this.timings = new Stopwatch(clock);
    this.warnings = [...(request.warnings ?? [])];
    const isSeen = tracing.takesContent || context.principal.team.keepsBodies;
    this.#answer =
      isSeen && request.ephemeral !== true
        ? new AnswerContent(Math.max(contentCharsMax, bodies.charsMax))
        : null;
  }

  /** For one reader. Throws a HearthError when the run fails; ends without the last `generation-end` when it is aborted. */
  get events(): AsyncIterable<RunEvent> {
    return this.#events;
  }

  /** What the run has used and is charged; null until its last event, or its failure. */
  get finalUsage(): Usage | null {
    return this.#finalUsage;
  }

  /** What the run is charged, with the runs of its server calls; null until its last event, or its failure. */
  get costTicks(): Ticks | null {
    return this.#finalUsage?.chargedTicks ?? null;
  }

  isComplete(): boolean {
    return this.#ends.length === this.request.choices;
  }

  /** Gives an event to the recorder and the reader. @throws HearthError when the reader is too far behind. */
  emit(event: AnswerEvent): void {
    this.#emit({ ...event, usage: this.money.usage });
  }

  /** Counts and emits an event of a server call. */
  emitCounted(event: AnswerEvent): void {
    this.money.count((usage) => addEvent(usage, event));
    this.emit(event);
  }

  /** Takes the end of a choice. The end of the last choice is emitted only when the run is settled. */
  endChoice(end: GenerationEnd): void {
    this.timings.observe(end);
    const counted = { ...end, usage: this.money.usage };
    this.#ends.push(counted);
    if (!this.isComplete()) this.#emit(counted);
  }

  protected override finishReasons(): readonly string[] {
    return this.#ends.map(({ finishReason }) => finishReason);
  }

  protected content(): RunContent | null {
    if (this.#answer === null) return null;
    const reasons = new Map(this.#ends.map(({ choice, finishReason }) => [choice, finishReason]));
    return { input: readContent(this.request), output: this.#answer.messages(reasons) };
  }

  protected writes(end: RunEnd): readonly Write[] | null {
    const { recorder } = this.context;
    if (recorder === undefined) return [];
    const last = this.#lastEnd();
    if (last !== undefined) recorder.add({ ...last, usage: end.usage });
    return recorder.writes(end);
  }

  protected override ended({ failure, usage }: RunEnd): void {
    this.#finalUsage = usage;
    if (failure !== null) this.#events.fail(failure);
    // A client that has the whole answer finds the row of its run.
    const last = this.#lastEnd();
    if (last !== undefined) this.#events.push({ ...last, usage });
    this.#events.end();
  }

  #emit(event: RunEvent): void {
    const { completionTokens, reasoningTokens } = event.usage;
    const sampled = completionTokens + reasoningTokens;
    this.services.metrics.tokensSampled(this.context.principal.key, sampled - this.#sampledTokens);
    this.#sampledTokens = sampled;
    this.context.recorder?.add(event);
    this.#answer?.add(event);
    if (!this.#events.push(event)) throw notRead();
  }

  #lastEnd(): ChoiceEnd | undefined {
    return this.isComplete() ? this.#ends.at(-1) : undefined;
  }
}

function readParameters({ sampling, maxTokens, choices }: CompleteRequest): RunParameters {
  const { temperature, topP, topK, frequencyPenalty, presencePenalty, seed } = sampling;
  return { temperature, topP, topK, frequencyPenalty, presencePenalty, seed, maxTokens, choices };
}
