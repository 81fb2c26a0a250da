/**
 * The scheduler's decisions, without its effects: a pure function from state and event to the next state and what to do. It uses no
 * promise, clock or timer; tests drive it synchronously.
 *
 * States of a run: waiting -> running -> gone. A run that is cancelled leaves from either.
 */
import type { WorkClass } from "../core/slots.js";
import { nextToRun, countPassedOver, type SchedulingState, type WaitingRun } from "./policy.js";
import { charge, join, keepActive, noShares, start, type Shares, type SharingRun } from "./shares.js";

export interface ScheduledRun extends WaitingRun, SharingRun {
  readonly model: string;
  /** Runs that the model can process at a time, as this run's request states. */
  readonly slots: number;
}

export interface SchedulerState extends Pick<SchedulingState, "passedOver"> {
  /** By model; only models with runs. */
  readonly shares: ReadonlyMap<string, Shares>;
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

const nonePassedOver: Readonly<Record<WorkClass, number>> = {
  interactive: 0,
  background: 0,
  deferred: 0,
  batch: 0,
};

/** The state in which nothing runs and nothing waits. */
export function emptyState(queueDepthMax: number): SchedulerState {
  return {
    running: new Map(),
    waiting: [],
    shares: new Map(),
    passedOver: nonePassedOver,
    queueDepthMax,
    closing: false,
  };
}

/** A run requests a slot: it gets one, waits, or is refused. */
export function arrive(state: SchedulerState, run: ScheduledRun): Decision {
  if (state.closing) return { state, effects: [{ type: "refuse", id: run.id, because: "closing" }] };
  const joined = isWaiting(state, run)
    ? state.shares
    : withShares(state, run.model, (of) => join(of, run.teamId));
  const queued = { ...state, waiting: [...state.waiting, run], shares: joined };
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
  const active = [...running.values(), ...waiting].filter(({ model }) => model === leaving.model);
  const shares = withShares(state, leaving.model, (of) =>
    keepActive(charge(of, leaving, correction), active),
  );
  if (active.length === 0) shares.delete(leaving.model);
  return grantFree({ ...state, running, waiting, shares }, leaving.model);
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
    const { served } = state.shares.get(model) ?? noShares;
    const next = nextToRun(candidates, { ...state, served });
    const granted = candidates.find((run) => run.id === next?.id);
    if (granted === undefined) return { state, effects };
    state = {
      ...state,
      waiting: state.waiting.filter((run) => run !== granted),
      running: new Map(state.running).set(granted.id, granted),
      shares: withShares(state, model, (of) => start(of, granted, running)),
      passedOver: countPassedOver(state.passedOver, granted, candidates),
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

/** Returns whether the team of a run has others of the same model that wait. */
function isWaiting({ waiting }: SchedulerState, { teamId, model }: ScheduledRun): boolean {
  return waiting.some((run) => run.teamId === teamId && run.model === model);
}

/** Returns the shares of all models with those of one changed. */
function withShares(
  { shares }: SchedulerState,
  model: string,
  change: (shares: Shares) => Shares,
): Map<string, Shares> {
  return new Map(shares).set(model, change(shares.get(model) ?? noShares));
}
