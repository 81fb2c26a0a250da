/**
 * A run: from an accepted request to a settled row. It is a task of its own (house rule 13): it takes the slot, drives the
 * engine, pushes events into a bounded channel and settles in its own `finally`, whether or not anybody reads. The HTTP side
 * only reads `events`, and aborts when its client leaves.
 */
import { Channel } from "../core/channel.js";
import type { Principal } from "../core/api-key.js";
import type { Clock } from "../core/clock.js";
import type { Engine } from "../core/engine.js";
import { asHearthError, HearthError } from "../core/errors.js";
import { mergeEvents, type GenerationEvent, type GenerationRequest } from "../core/generation.js";
import type { Model, ModelRegistry } from "../core/model.js";
import { costOf } from "../core/money.js";
import type { Random } from "../core/random.js";
import type { RunState, RunStore } from "../core/run-record.js";
import type { Slot, Slots } from "../core/slots.js";
import { addEvent, noUsage, type Usage } from "../core/usage.js";

/** Events that may wait for a slow reader; deltas merge, so a healthy answer never holds more than a handful. */
const channelCapacity = 256;

export interface RunContext {
  readonly principal: Principal;
  readonly requestId: string;
  /** The route, as the usage row records it. */
  readonly endpoint: string;
}

/** What a run measured of itself, for headers; a value is null until it is known. */
export interface RunTimings {
  queueMs: number | null;
  prefillMs: number | null;
}

export interface Run {
  readonly id: string;
  readonly model: Model;
  /** One reader only. Throws a HearthError where the run failed; ends early, without `generation-end`, when aborted. */
  readonly events: AsyncIterable<GenerationEvent>;
  readonly timings: Readonly<RunTimings>;
  abort(): void;
  /** Resolves, never rejects, once the slot is free and the usage row is settled. */
  readonly settled: Promise<void>;
}

export interface GenerateDeps {
  readonly models: ModelRegistry;
  readonly engine: Engine;
  readonly slots: Slots;
  readonly runs: RunStore;
  readonly clock: Clock;
  readonly random: Random;
  /** Told of causes that the client must not see. */
  readonly onFailure: (error: HearthError, context: RunContext) => void;
}

export interface Generator {
  /** @throws HearthError `model_not_found` or `model_unavailable` before anything is started. */
  start(request: GenerationRequest, context: RunContext): Run;
  /** Runs that have not settled yet. */
  readonly active: ReadonlySet<Run>;
}

/** Builds the generator over its ports. */
export function createGenerator(deps: GenerateDeps): Generator {
  const active = new Set<Run>();
  return {
    active,
    start(request, context) {
      const model = resolve(deps.models, request.model);
      const channel = new Channel<GenerationEvent>(channelCapacity, mergeEvents);
      const leaving = new AbortController();
      const timings: RunTimings = { queueMs: null, prefillMs: null };
      const id = deps.random.id();
      const task = { id, model, request, context, channel, timings, signal: leaving.signal };
      const settled = execute(deps, task).finally(() => active.delete(run));
      const run: Run = { id, model, events: channel, timings, abort: () => leaving.abort(), settled };
      active.add(run);
      return run;
    },
  };
}

function resolve(models: ModelRegistry, name: string): Model {
  const model = models.find(name);
  if (model === null)
    throw new HearthError(
      "model_not_found",
      `The model '${name.slice(0, 200)}' does not exist or your team has no access to it.`,
      { param: "model" },
    );
  if (model.unusable !== null)
    throw new HearthError("model_unavailable", `The model '${model.manifest.id}' cannot be used: ${model.unusable}`, {
      param: "model",
    });
  return model;
}

interface Task {
  readonly id: string;
  readonly model: Model;
  readonly request: GenerationRequest;
  readonly context: RunContext;
  readonly channel: Channel<GenerationEvent>;
  readonly timings: RunTimings;
  readonly signal: AbortSignal;
}

/** The whole life of a run. Never rejects. */
async function execute(deps: GenerateDeps, task: Task): Promise<void> {
  let slot: Slot | null = null;
  let state: RunState = "aborted";
  let usage: Usage = noUsage;
  try {
    slot = await admit(deps, task);
    for await (const event of drive(deps, task)) {
      usage = addEvent(usage, event);
      if (event.type === "generation-start") await record(deps, task, usage);
      if (event.type === "generation-end") state = "completed";
      if (!task.channel.push(event)) throw new HearthError("internal", "The client reads too slowly.");
    }
  } catch (thrown) {
    state = fail(deps, task, thrown);
  } finally {
    slot?.release();
    await settle(deps, task, state, usage);
    task.channel.end();
  }
}
