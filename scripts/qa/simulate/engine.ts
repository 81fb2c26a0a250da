/**
 * The scripted engine of a simulation. A prompt says how its answer goes, so that a job that runs again goes the same way; the
 * simulated clock says when. What the engine produced is counted here, independently of what the server charges.
 */
import type { Clock } from "../../../src/core/clock.js";
import type { DecodeJob, Engine } from "../../../src/core/engine.js";
import type { EngineEvent } from "../../../src/core/generation.js";
import type { Model } from "../../../src/core/model.js";
import { createScriptedEngine, type ScriptStep } from "../../../test/kit/scripted/engine.js";

/** How an answer goes. */
export interface AnswerPlan {
  /** Names the request. */
  readonly tag: string;
  readonly tokens: number;
  /** Milliseconds before each token. */
  readonly stepMs: number;
  /** The token before which the engine fails; -1 = none. */
  readonly failsAt: number;
}

/** Tokens that a run has produced. */
export interface Produced {
  prompt: number;
  completion: number;
}

export interface SimulatedEngine extends Engine {
  /** Generations that are running. */
  readonly active: number;
  /** Generations of a team that are running. */
  activeOf(teamId: string): number;
  /** Models held in memory for runs. */
  readonly leases: number;
  /** Events produced so far. */
  readonly steps: number;
}

export interface SimulatedEngineOptions {
  readonly clock: Clock;
  /** Generations of a model at a time, without the one more that the scheduler has for a team that has none. */
  readonly slots: number;
  readonly contextTokens: number;
  /** Where it is counted what each run has produced, by the run's id without dashes. */
  readonly produced: Map<string, Produced>;
  /** Called when a generation starts. */
  readonly started: (tag: string) => void;
  /** Called with the tokens that a team is served. */
  readonly served: (teamId: string, tokens: number) => void;
}

/** Writes a plan as a message's text. */
export function writePlan({ tag, tokens, stepMs, failsAt }: AnswerPlan): string {
  return `plan ${tag} ${tokens} ${stepMs} ${failsAt}`;
}

function readPlan(prompt: string): AnswerPlan {
  const [, tag = "", tokens = "1", stepMs = "1", failsAt = "-1"] =
    /plan (\S+) (\d+) (\d+) (-?\d+)/.exec(prompt) ?? [];
  return { tag, tokens: Number(tokens), stepMs: Number(stepMs), failsAt: Number(failsAt) };
}

/** Creates the engine of one process. */
export function createSimulatedEngine(options: SimulatedEngineOptions): SimulatedEngine {
  const { clock, slots, contextTokens, produced } = options;
  let steps = 0;
  const active = countByTeam();
  const script = (prompt: string): Iterable<ScriptStep> => {
    const plan = readPlan(prompt);
    options.started(plan.tag);
    return answer(clock, plan);
  };
  const inner = createScriptedEngine(script, { contextTokens, slots: slots + 1 });
  const count = (job: DecodeJob, event: EngineEvent): void => {
    const id = job.callIdPrefix.slice("call_".length, "call_".length + 32);
    const sum = produced.get(id) ?? { prompt: 0, completion: 0 };
    produced.set(id, sum);
    steps += 1;
    if (event.type === "generation-start") sum.prompt = event.promptTokens;
    const tokens = event.type === "text-delta" ? event.tokens : 0;
    sum.completion += tokens;
    options.served(job.teamId, event.type === "generation-start" ? event.promptTokens : tokens);
  };
  return {
    get active() {
      return inner.active;
    },
    activeOf: active.of,
    get leases() {
      return inner.leases;
    },
    get steps() {
      return steps;
    },
    load: async (model) => ({ ...(await inner.load(model)), slots }),
    prompt: (model, source) => inner.prompt(model, source),
    tokenize: (model, text) => inner.tokenize(model, text),
    residents: () => inner.residents(),
    problem: () => inner.problem(),
    close: () => inner.close(),
    async *generate(model: Model, job: DecodeJob, signal: AbortSignal) {
      for await (const event of active.during(job.teamId, inner.generate(model, job, signal))) {
        count(job, event);
        yield event;
      }
    },
  };
}

/** Counts the iterations in progress by team. */
function countByTeam() {
  const counts = new Map<string, number>();
  const of = (teamId: string): number => counts.get(teamId) ?? 0;
  return {
    of,
    async *during<Item>(teamId: string, items: AsyncIterable<Item>): AsyncGenerator<Item, void, undefined> {
      counts.set(teamId, of(teamId) + 1);
      try {
        yield* items;
      } finally {
        counts.set(teamId, of(teamId) - 1);
      }
    },
  };
}

function* answer(clock: Clock, { tokens, stepMs, failsAt }: AnswerPlan): Generator<ScriptStep> {
  for (let token = 0; token < tokens; token += 1) {
    yield new Promise<void>((resolve) => void clock.after(stepMs, resolve));
    if (token === failsAt) yield new Error("simulated: the engine failed");
    yield ` word${token % 7}`;
  }
}
