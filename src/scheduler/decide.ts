/**
 * The scheduler's decisions, without its effects: events on plain state, answered by what to do. No promise, no clock, no
 * timer; tests drive it synchronously.
 *
 * Modes of a run here: waiting -> running -> gone. A run that cancels leaves from either.
 */
import type { WorkClass } from "../core/slots.js";
import { nextToRun, passOver, type Standing, type Waiting } from "./policy.js";

export interface Place extends Waiting {
  readonly model: string;
  /** Runs the model holds at a time, as told by this run's request. */
  readonly slots: number;
  /** The team's share; what it is served counts for the less, the larger it is. */
  readonly teamWeight: number;
  /** Tokens the run is expected to take, charged when it begins and corrected when it ends. */
  readonly tokensExpected: number;
}

export interface SchedulerState extends Standing {
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

const nobodyPassedOver: Readonly<Record<WorkClass, number>> = { interactive: 0, background: 0, deferred: 0 };

/** Nothing runs, nothing waits. */
export function emptyState(queueDepthMax: number): SchedulerState {
  const idle = { running: new Map(), waiting: [], served: new Map(), passedOver: nobodyPassedOver };
  return { ...idle, queueDepthMax, closing: false };
}

/** A run asks for a slot: it gets one, waits, or is refused at once. */
export function arrive(state: SchedulerState, run: Place): Decision {
  if (state.closing) return { state, effects: [{ type: "refuse", id: run.id, because: "closing" }] };
  const queued = { ...state, waiting: [...state.waiting, run], served: join(state, run.teamId) };
  const decision = grantFree(queued, run.model);
  if (decision.state.waiting.length <= state.queueDepthMax) return decision;
  return { state, effects: [{ type: "refuse", id: run.id, because: "queue-full" }] };
}

/**
 * A run gives its slot back, or stops waiting for one. A run that is not here any more changes nothing.
 * @param tokens what it was served, prompt and answer.
 */
export function leave(state: SchedulerState, id: string, tokens = 0): Decision {
  const held = state.running.get(id);
  const place = held ?? state.waiting.find((run) => run.id === id);
  if (place === undefined) return { state, effects: [] };
  const running = new Map(state.running);
  running.delete(id);
  const waiting = state.waiting.filter((run) => run.id !== id);
  const correction = held === undefined ? 0 : tokens - held.tokensExpected;
  const served = forgetIdle(charge(state.served, place, correction), [...running.values(), ...waiting]);
  return grantFree({ ...state, running, waiting, served }, place.model);
}

/** The server closes: whoever waits is refused, whoever runs may finish. */
export function close(state: SchedulerState): Decision {
  const effects = state.waiting.map((run): Effect => ({ type: "refuse", id: run.id, because: "closing" }));
  return { state: { ...state, waiting: [], closing: true }, effects };
}

function grantFree(from: SchedulerState, model: string): Decision {
  let state = from;
  const effects: Effect[] = [];
  for (;;) {
    const here = [...state.running.values()].filter((place) => place.model === model);
    const candidates = state.waiting.filter((run) => run.model === model && mayBegin(run, here));
    const next = nextToRun(candidates, state);
    const place = candidates.find((run) => run.id === next?.id);
    if (place === undefined) return { state, effects };
    state = {
      ...state,
      waiting: state.waiting.filter((run) => run !== place),
      running: new Map(state.running).set(place.id, place),
      served: charge(state.served, place, place.tokensExpected),
      passedOver: passOver(state, place, candidates),
    };
    effects.push({ type: "grant", id: place.id });
  }
}

/**
 * A model has one slot more than it says, for a team that has nothing running there: whoever floods a model with requests
 * does not make others wait for the end of one of them.
 */
function mayBegin(run: Place, here: readonly Place[]): boolean {
  if (here.length < run.slots) return true;
  return here.length === run.slots && here.every((place) => place.teamId !== run.teamId);
}

/** A team that comes back starts level with those who are here: it has no claim to what it did not use meanwhile. */
function join(state: SchedulerState, teamId: string): ReadonlyMap<string, number> {
  const here = [...state.running.values(), ...state.waiting];
  if (here.some((place) => place.teamId === teamId)) return state.served;
  const least = Math.min(...here.map((place) => state.served.get(place.teamId) ?? 0));
  if (!Number.isFinite(least)) return state.served;
  return new Map(state.served).set(teamId, Math.max(least, state.served.get(teamId) ?? 0));
}

function charge(
  served: ReadonlyMap<string, number>,
  { teamId, teamWeight }: Place,
  tokens: number,
): ReadonlyMap<string, number> {
  return new Map(served).set(teamId, (served.get(teamId) ?? 0) + tokens / teamWeight);
}

/** Only teams that are here are remembered; the rest starts level anyway. */
function forgetIdle(
  served: ReadonlyMap<string, number>,
  here: readonly Place[],
): ReadonlyMap<string, number> {
  const teams = new Set(here.map((place) => place.teamId));
  return new Map([...served].filter(([teamId]) => teams.has(teamId)));
}
