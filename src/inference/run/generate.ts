/**
 * A run: from an accepted request to a settled row. It is a task of its own (house rule 13): it takes the slot, drives the
 * engine, pushes events into a bounded channel and settles before it tells of the end, whether or not anybody reads. The
 * HTTP side only reads `events`, and aborts when its client leaves.
 *
 * Modes of a run: loading -> prompting -> queued -> running -> settled; any of the first four can fail or be aborted.
 */
import { setMaxListeners } from "node:events";
import { Channel } from "../../core/channel.js";
import type { TextToken } from "../../core/engine.js";
import { asHearthError, HearthError } from "../../core/errors.js";
import { mergingEvents, type GenerationEvent, type GenerationRequest } from "../../core/generation.js";
import type { Model } from "../../core/model.js";
import { noUsage } from "../../core/usage.js";
import { createPromptCounter, tooManyInHand } from "../prompt/count.js";
import { drive } from "./drive.js";
import { timedLoads } from "./timed-loads.js";
import { settle, type Settled } from "./billing.js";
import { createSettling } from "./settle-retries.js";
import type { GenerateDeps, Progress, RunContext, Street, Task } from "./run-deps.js";
import { Stopwatch, type RunTimings } from "./timings.js";
import { usableModel } from "./usable-model.js";

/** Events that may wait for a slow reader; deltas merge, so even one that never reads holds no more than a handful. */
const channelCapacity = 256;

export interface Run {
  readonly id: string;
  readonly model: Model;
  /** How many answers it draws. */
  readonly choices: number;
  /** One reader only. Throws a HearthError where the run failed; ends without `generation-end` when aborted. */
  readonly events: AsyncIterable<GenerationEvent>;
  readonly timings: RunTimings;
  abort(): void;
  /** Resolves, never rejects, once the slot is free and the usage row is settled, or is being tried again. */
  readonly settled: Promise<void>;
}

export interface Generator {
  /**
   * Starts a run.
   * @throws HearthError `model_not_found`, `model_unavailable` or `overloaded` before anything is begun.
   */
  start(request: GenerationRequest, context: RunContext): Run;
  /**
   * The tokens of the prompt that a request would be answered from; nothing is generated, recorded or charged.
   * @throws HearthError as a run fails before its first token.
   */
  countPrompt(request: GenerationRequest, teamId: string, signal: AbortSignal): Promise<number>;
  /**
   * The tokens of a text, by a model's own tokenizer; nothing is recorded or charged.
   * @throws HearthError as a run fails before its first token.
   */
  tokenize(model: string, text: string, signal: AbortSignal): Promise<readonly TextToken[]>;
  /** Runs whose end is not written yet. */
  readonly active: ReadonlySet<Run>;
  /** Aborts every run; resolves when the end of each is written, or given up because it cannot be. */
  close(): Promise<void>;
}

/** Builds the generator over its ports. */
export function createGenerator(deps: GenerateDeps): Generator {
  const active = new Set<Run>();
  const late = new Set<Promise<void>>();
  const settling = createSettling(deps.clock);
  const street: Street = { ...deps, load: timedLoads(deps), settling };
  const counter = createPromptCounter(street);
  return {
    active,
    countPrompt: async (request, teamId, signal) =>
      counter.count(usableModel(deps.models, request.model), request, teamId, signal),
    tokenize: async (model, text, signal) => counter.tokenize(usableModel(deps.models, model), text, signal),
    start(request, context) {
      const model = accepted(deps, active, request, context);
      const task = createTask(deps, model, request, context);
      const settled = execute(street, task).then(({ unwritten }) => {
        if (unwritten === null) return void active.delete(run);
        const written = unwritten.then(() => {
          active.delete(run);
          late.delete(written);
        });
        late.add(written);
      });
      const run: Run = {
        id: task.id,
        model,
        choices: request.choices,
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
    async close() {
      const runs = [...active];
      for (const run of runs) run.abort();
      await settling.close();
      await Promise.all(runs.map((run) => run.settled));
      await Promise.all(late);
    },
  };
}

/** The model that is to answer. Of a request that is not taken, nothing stays counted. */
function accepted(
  { models, runsActiveMax }: GenerateDeps,
  active: ReadonlySet<Run>,
  request: GenerationRequest,
  { admission }: RunContext,
): Model {
  try {
    const model = usableModel(models, request.model);
    if (active.size >= runsActiveMax) throw tooManyInHand();
    return model;
  } catch (thrown) {
    admission?.settle(noUsage);
    throw thrown;
  }
}

function createTask(
  { random, clock }: GenerateDeps,
  model: Model,
  request: GenerationRequest,
  context: RunContext,
): Task {
  const leaving = new AbortController();
  // Every choice listens, several times over.
  setMaxListeners(0, leaving.signal);
  const channel = new Channel(channelCapacity, mergingEvents);
  return {
    id: random.id(),
    model,
    askedModel: request.model,
    request,
    context,
    channel,
    emit(event) {
      context.keeper?.add(event);
      if (!channel.push(event)) throw new HearthError("internal", "The answer was not read in time.");
    },
    timings: new Stopwatch(clock),
    signal: leaving.signal,
    abort: () => leaving.abort(),
  };
}

/** The whole life of a run. Never rejects. @returns as settle(). */
async function execute(deps: Street, task: Task): Promise<Settled> {
  const progress: Progress = { loaded: null, usage: noUsage, recorded: null, ends: [], failure: null };
  try {
    await drive(deps, task, progress);
  } catch (thrown) {
    if (!task.signal.aborted) progress.failure ??= asHearthError(thrown);
  } finally {
    // Before anybody hears of the end: who asks after that meets what was truly taken.
    task.context.admission?.settle(progress.usage);
  }
  progress.loaded?.release();
  const whole = progress.ends.length === task.request.choices;
  const state = progress.failure !== null ? "failed" : whole ? "completed" : "aborted";
  const last = progress.ends.at(-1);
  if (whole && last !== undefined) task.context.keeper?.add(last);
  const { unwritten } = await settle(deps, task, progress, state);
  const { ttftMs, decodeTps } = task.timings;
  deps.metrics.runEnded({ model: task.model.manifest.id, state, usage: progress.usage, ttftMs, decodeTps });
  if (progress.failure !== null) task.channel.fail(progress.failure);
  // The very last end is told only when the run is settled: whoever has the whole answer finds its row.
  if (whole && last !== undefined) task.channel.push(last);
  task.channel.end();
  return { unwritten };
}
