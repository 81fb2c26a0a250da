/**
 * The scheduler's decisions, without its effects: a pure function from state and event to the next state and what to do. It uses no
 * promise, clock or timer; tests drive it synchronously.
 *
 * States of a run: waiting -> running -> gone. A run that is cancelled leaves from either.
 */
import type { WorkClass } from "../core/slots.js";
import { nextToRun, countPassedOver, type SchedulingState, type WaitingRun } from "./policy.js";

export interface ScheduledRun extends WaitingRun {
  readonly model: string;
  /** Runs that the model can process at a time, as this run's request states. */
  readonly slots: number;
  /** The team's share: the tokens it is served are divided by it. */
  readonly teamWeight: number;
  /** Tokens the run is expected to take; counted when it starts and corrected when it ends. */
  readonly tokensExpected: number;
}

export interface SchedulerState extends SchedulingState {
  readonly running: ReadonlyMap<string, ScheduledRun>;
  /** In order of arrival. */
  readonly waiting: readonly ScheduledRun[];
  readonly queueDepthMax: number;
  readonly closing: boolean;
}

export type Effect =
  | { readonly type: "grant"; readonly id: string }
  | { readonly type: "refuse"; readonly id: string; readonly because: "queue-full" | "closing" };

export interface Decision {
  readonly state: SchedulerState;
  readonly effects: readonly Effect[];
}

const nonePassedOver: Readonly<Record<WorkClass, number>> = { interactive: 0, background: 0, deferred: 0 };

/** The state in which nothing runs and nothing waits. */
export function emptyState(queueDepthMax: number): SchedulerState {
  return {
    running: new Map(),
    waiting: [],
    served: new Map(),
    passedOver: nonePassedOver,
    queueDepthMax,
    closing: false,
  };
}

/** A run requests a slot: it gets one, waits, or is refused. */
export function arrive(state: SchedulerState, run: ScheduledRun): Decision {
  if (state.closing) return { state, effects: [{ type: "refuse", id: run.id, because: "closing" }] };
  const queued = { ...state, waiting: [...state.waiting, run], served: join(state, run.teamId) };
  const decision = grantFree(queued, run.model);
  if (decision.state.waiting.length <= state.queueDepthMax) return decision;
  return { state, effects: [{ type: "refuse", id: run.id, because: "queue-full" }] };
}

/**
 * A run releases its slot, or stops to wait for one. A run that is gone already changes nothing.
 * @param tokens tokens it was served, prompt and answer.
 */
export function leave(state: SchedulerState, id: string, tokens = 0): Decision {
  const held = state.running.get(id);
  const leaving = held ?? state.waiting.find((run) => run.id === id);
  if (leaving === undefined) return { state, effects: [] };
  const running = new Map(state.running);
  running.delete(id);
  const waiting = state.waiting.filter((run) => run.id !== id);
  const correction = held === undefined ? 0 : tokens - held.tokensExpected;
  const served = dropIdle(charge(state.served, leaving, correction), [...running.values(), ...waiting]);
  return grantFree({ ...state, running, waiting, served }, leaving.model);
}

/** The server closes: waiting runs are refused, running ones may finish. */
export function close(state: SchedulerState): Decision {
  const effects = state.waiting.map((run): Effect => ({ type: "refuse", id: run.id, because: "closing" }));
  return { state: { ...state, waiting: [], closing: true }, effects };
}

function grantFree(from: SchedulerState, model: string): Decision {
  let state = from;
  const effects: Effect[] = [];
  for (;;) {
    const running = [...state.running.values()].filter((run) => run.model === model);
    const candidates = state.waiting.filter((run) => run.model === model && mayStart(run, running));
    const next = nextToRun(candidates, state);
    const granted = candidates.find((run) => run.id === next?.id);
    if (granted === undefined) return { state, effects };
    state = {
      ...state,
      waiting: state.waiting.filter((run) => run !== granted),
      running: new Map(state.running).set(granted.id, granted),
      served: charge(state.served, granted, granted.tokensExpected),
      passedOver: countPassedOver(state, granted, candidates),
    };
    effects.push({ type: "grant", id: granted.id });
  }
}

/**
 * A model has one additional slot, for a team that has no run on it: a team that sends many requests does not make others wait for the
 * end of one of them.
 */
function mayStart(run: ScheduledRun, active: readonly ScheduledRun[]): boolean {
  if (active.length < run.slots) return true;
  return active.length === run.slots && active.every((other) => other.teamId !== run.teamId);
}

/**
 * A team that begins to wait starts level with the teams that wait already, or else with the others that run: it is not compensated
 * for the time in which it requested less than its share, even if one of its runs was active all the while.
 */
function join({ running, waiting, served }: SchedulerState, teamId: string): ReadonlyMap<string, number> {
  if (waiting.some((run) => run.teamId === teamId)) return served;
  const others = waiting.length > 0 ? waiting : [...running.values()].filter((run) => run.teamId !== teamId);
  const least = Math.min(...others.map((run) => served.get(run.teamId) ?? 0));
  if (!Number.isFinite(least)) return served;
  return new Map(served).set(teamId, Math.max(least, served.get(teamId) ?? 0));
}

function charge(
  served: ReadonlyMap<string, number>,
  { teamId, teamWeight }: ScheduledRun,
  tokens: number,
): ReadonlyMap<string, number> {
  return new Map(served).set(teamId, (served.get(teamId) ?? 0) + tokens / teamWeight);
}

/** Keeps the counts of active teams only; others start level when they return. */
function dropIdle(
  served: ReadonlyMap<string, number>,
  active: readonly ScheduledRun[],
): ReadonlyMap<string, number> {
  const teams = new Set(active.map((run) => run.teamId));
  return new Map([...served].filter(([teamId]) => teams.has(teamId)));
}
