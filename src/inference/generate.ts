/**
 * A run: from an accepted request to a settled row. It is a task of its own (house rule 13): it takes the slot, drives the
 * engine, pushes events into a bounded channel and settles before it tells of the end, whether or not anybody reads. The
 * HTTP side only reads `events`, and aborts when its client leaves.
 *
 * Modes of a run: loading -> prompting -> queued -> running -> settled; any of the first four can fail or be aborted.
 */
import type { Principal } from "../core/api-key.js";
import { Channel } from "../core/channel.js";
import type { Clock } from "../core/clock.js";
import type { DecodeJob, Engine, LoadedModel } from "../core/engine.js";
import { asHearthError, HearthError, modelNotFound } from "../core/errors.js";
import { mergeEvents, type GenerationEvent, type GenerationRequest } from "../core/generation.js";
import type { EndedRun, Metrics } from "../core/metrics.js";
import type { Model, ModelRegistry } from "../core/model.js";
import { costOf } from "../core/money.js";
import type { Random } from "../core/random.js";
import type { RunOutcome, RunStore } from "../core/run-record.js";
import type { Slot, Slots } from "../core/slots.js";
import { addEvent, noUsage, type Usage } from "../core/usage.js";
import { timedLoads } from "./loads.js";
import { Stopwatch, type RunTimings } from "./timings.js";
import { hold, unlessAborted } from "./waiting.js";

/** Events that may wait for a slow reader; deltas merge, so even one that never reads holds no more than a handful. */
const channelCapacity = 256;

export interface RunContext {
  readonly principal: Principal;
  readonly requestId: string;
  /** The route, as the usage row records it. */
  readonly endpoint: string;
}

export interface Run {
  readonly id: string;
  readonly model: Model;
  /** One reader only. Throws a HearthError where the run failed; ends without `generation-end` when aborted. */
  readonly events: AsyncIterable<GenerationEvent>;
  readonly timings: RunTimings;
  abort(): void;
  /** Resolves, never rejects, once the slot is free and the usage row is settled. */
  readonly settled: Promise<void>;
}

export interface GenerateDeps {
  readonly models: ModelRegistry;
  readonly engine: Engine;
  readonly slots: Slots;
  readonly runs: RunStore;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly random: Random;
  /** Runs that may exist at a time, whatever they wait for. */
  readonly runsActiveMax: number;
  /** Told of a failure to write how a run ended; the client has its answer already. */
  readonly onSettleFailure: (runId: string, thrown: unknown) => void;
}

export interface Generator {
  /**
   * Starts a run.
   * @throws HearthError `model_not_found`, `model_unavailable` or `overloaded` before anything is begun.
   */
  start(request: GenerationRequest, context: RunContext): Run;
  /** Runs that have not settled yet. */
  readonly active: ReadonlySet<Run>;
}

/** Builds the generator over its ports. */
export function createGenerator(deps: GenerateDeps): Generator {
  const active = new Set<Run>();
  const street: Street = { ...deps, load: timedLoads(deps) };
  return {
    active,
    start(request, context) {
      const model = usableModel(deps.models, request.model);
      if (active.size >= deps.runsActiveMax)
        throw new HearthError(
          "overloaded",
          "The server has too many requests in hand. Please try again later.",
          {
            retryAfterSeconds: 1,
          },
        );
      const leaving = new AbortController();
      const task: Task = {
        id: deps.random.id(),
        model,
        request,
        context,
        channel: new Channel(channelCapacity, mergeEvents),
        timings: new Stopwatch(deps.clock),
        signal: leaving.signal,
        abort: () => leaving.abort(),
      };
      const settled = execute(street, task).finally(() => active.delete(run));
      const run: Run = {
        id: task.id,
        model,
        events: task.channel,
        timings: task.timings,
        abort: () => {
          if (active.has(run)) task.abort();
        },
        settled,
      };
      active.add(run);
      return run;
    },
  };
}

function usableModel(models: ModelRegistry, name: string): Model {
  const model = models.find(name);
  if (model === null) throw modelNotFound(name);
  if (model.unusable !== null)
    throw new HearthError(
      "model_unavailable",
      `The model '${model.manifest.id}' cannot be used: ${model.unusable}`,
      {
        param: "model",
      },
    );
  return model;
}

/** What a run is driven over. */
type Street = GenerateDeps & { readonly load: (model: Model) => Promise<LoadedModel> };

interface Task {
  readonly id: string;
  readonly model: Model;
  readonly request: GenerationRequest;
  readonly context: RunContext;
  readonly channel: Channel<GenerationEvent>;
  readonly timings: Stopwatch;
  readonly signal: AbortSignal;
  readonly abort: () => void;
}

/** What a run has come to so far. */
interface Progress {
  loaded: LoadedModel | null;
  slot: Slot | null;
  usage: Usage;
  /** Whether the usage table has a row to settle. */
  recorded: boolean;
  end: GenerationEvent | null;
  failure: HearthError | null;
}

/** The whole life of a run. Never rejects. */
async function execute(deps: Street, task: Task): Promise<void> {
  const progress: Progress = {
    loaded: null,
    slot: null,
    usage: noUsage,
    recorded: false,
    end: null,
    failure: null,
  };
  try {
    await drive(deps, task, progress);
  } catch (thrown) {
    if (!task.signal.aborted) progress.failure = asHearthError(thrown);
  }
  progress.slot?.release(tokensServed(progress.usage));
  progress.loaded?.release();
  const state = progress.failure !== null ? "failed" : progress.end !== null ? "completed" : "aborted";
  await settle(deps, task, progress, state);
  const { ttftMs, decodeTps } = task.timings;
  deps.metrics.runEnded({ model: task.model.manifest.id, state, usage: progress.usage, ttftMs, decodeTps });
  if (progress.failure !== null) task.channel.fail(progress.failure);
  if (progress.end !== null) task.channel.push(progress.end);
  task.channel.end();
}

async function drive(deps: Street, task: Task, progress: Progress): Promise<void> {
  const { model, request, signal, timings } = task;
  const loaded = await hold(deps.load(model), signal);
  progress.loaded = loaded;
  const prompt = await unlessAborted(deps.engine.prompt(model, request), signal);
  const { id: teamId, weight: teamWeight } = task.context.principal.team;
  const slot = await deps.slots.acquire({
    model: model.manifest.id,
    slots: loaded.slots,
    teamId,
    teamWeight,
    workClass: "interactive",
    tokensExpected: prompt.tokens.length,
    signal,
  });
  progress.slot = slot;
  timings.slotHeld(slot.queuedMs);
  const { sampling, stop, maxTokens, maxTokensExcludesReasoning, deterministic } = request;
  const job: DecodeJob = {
    prompt,
    teamId,
    sampling,
    stop,
    maxTokens,
    maxTokensExcludesReasoning,
    deterministic,
  };
  const events = deps.engine.generate(model, job, signal);
  try {
    // Written while the engine is at work already: the row is there before the first token is told.
    await record(deps, task, progress, prompt.tokens.length);
    await follow(task, progress, events);
  } catch (thrown) {
    if (!signal.aborted) progress.failure = asHearthError(thrown);
    task.abort();
    await drained(events, progress);
  }
}

async function follow(
  { channel, signal, timings }: Task,
  progress: Progress,
  events: AsyncIterable<GenerationEvent>,
): Promise<void> {
  for await (const event of events) {
    progress.usage = addEvent(progress.usage, event);
    timings.saw(event);
    if (event.type === "generation-end") progress.end = event;
    else if (!channel.push(event)) throw new HearthError("internal", "The answer was not read in time.");
  }
  if (progress.end === null && !signal.aborted)
    throw new Error("the engine's stream ended without generation-end");
}

/** The engine's slot is free only when its stream has ended; what it still tells is counted. */
async function drained(events: AsyncIterable<GenerationEvent>, progress: Progress): Promise<void> {
  try {
    for await (const event of events) progress.usage = addEvent(progress.usage, event);
  } catch {
    // It has failed as well: that it ended is all that matters here.
  }
}

function tokensServed({ promptTokens, completionTokens, reasoningTokens }: Usage): number {
  return promptTokens + completionTokens + reasoningTokens;
}

/** The row is there before the first token is, so that a process that dies leaves a trace of every run. */
async function record(
  deps: GenerateDeps,
  task: Task,
  progress: Progress,
  promptTokens: number,
): Promise<void> {
  const usage = { ...noUsage, promptTokens };
  const { principal, requestId, endpoint } = task.context;
  await deps.runs.insert({
    id: task.id,
    requestId,
    teamId: principal.team.id,
    apiKeyId: principal.key.id,
    model: task.model.manifest.id,
    endpoint,
    state: "running",
    usage,
    costTicks: costOf(usage, task.model.manifest.prices),
    startTime: deps.clock.now(),
    endTime: null,
  });
  progress.recorded = true;
}

/** What was produced is charged, also when the client left or the engine failed. */
async function settle(
  deps: GenerateDeps,
  task: Task,
  progress: Progress,
  state: EndedRun["state"],
): Promise<void> {
  if (!progress.recorded) return;
  const outcome: RunOutcome = {
    state,
    usage: progress.usage,
    costTicks: costOf(progress.usage, task.model.manifest.prices),
    endTime: deps.clock.now(),
  };
  try {
    await deps.runs.settle(task.id, outcome);
  } catch (thrown) {
    deps.onSettleFailure(task.id, thrown);
  }
}
