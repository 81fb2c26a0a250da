/**
 * The scheduler's decisions, without its effects: events on plain state, answered by what to do. No promise, no clock, no
 * timer; tests drive it synchronously.
 *
 * Modes of a run here: waiting -> running -> gone. A run that cancels leaves from either.
 */
import { nextToRun, type Waiting } from "./policy.js";

interface Place extends Waiting {
  readonly model: string;
  /** Runs the model holds at a time, as told by this run's request. */
  readonly slots: number;
}

export interface SchedulerState {
  readonly running: ReadonlyMap<string, Place>;
  /** In order of arrival. */
  readonly waiting: readonly Place[];
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

/** Nothing runs, nothing waits. */
export function emptyState(queueDepthMax: number): SchedulerState {
  return { running: new Map(), waiting: [], queueDepthMax, closing: false };
}

/** A run asks for a slot: it gets one, waits, or is refused at once. */
export function arrive(state: SchedulerState, run: Place): Decision {
  if (state.closing) return { state, effects: [{ type: "refuse", id: run.id, because: "closing" }] };
  const queued = { ...state, waiting: [...state.waiting, run] };
  const decision = grantFree(queued, run.model);
  if (decision.state.waiting.length <= state.queueDepthMax) return decision;
  return { state, effects: [{ type: "refuse", id: run.id, because: "queue-full" }] };
}

/** A run gives its slot back, or stops waiting for one. A run that is not here any more changes nothing. */
export function leave(state: SchedulerState, id: string): Decision {
  const place = state.running.get(id) ?? state.waiting.find((run) => run.id === id);
  if (place === undefined) return { state, effects: [] };
  const running = new Map(state.running);
  running.delete(id);
  return grantFree({ ...state, running, waiting: state.waiting.filter((run) => run.id !== id) }, place.model);
}

/** The server closes: whoever waits is refused, whoever runs may finish. */
export function close(state: SchedulerState): Decision {
  const effects = state.waiting.map((run): Effect => ({ type: "refuse", id: run.id, because: "closing" }));
  return { state: { ...state, waiting: [], closing: true }, effects };
}

function grantFree(state: SchedulerState, model: string): Decision {
  const running = new Map(state.running);
  let waiting = state.waiting;
  const effects: Effect[] = [];
  for (;;) {
    const byTeam = new Map<string, number>();
    let held = 0;
    for (const place of running.values()) {
      if (place.model !== model) continue;
      held += 1;
      byTeam.set(place.teamId, (byTeam.get(place.teamId) ?? 0) + 1);
    }
    const candidates = waiting.filter((run) => run.model === model && held < run.slots);
    const next = nextToRun(candidates, byTeam);
    const place = waiting.find((run) => run.id === next?.id);
    if (place === undefined) return { state: { ...state, running, waiting }, effects };
    waiting = waiting.filter((run) => run !== place);
    running.set(place.id, place);
    effects.push({ type: "grant", id: place.id });
  }
}
