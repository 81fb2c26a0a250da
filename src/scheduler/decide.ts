/**
 * The scheduler's decisions, without its effects: a pure function from state and event to the next state and what to do. It uses no
 * promise, clock or timer; tests drive it synchronously.
 *
 * States of a run: waiting -> running -> gone. A run that is cancelled leaves from either.
 */
import type { WorkClass } from "../core/slots.js";
import { slotsHere, type ServerDemand } from "./divide.js";
import { summariseDemand } from "./demand.js";
import { nextToRun, countPassedOver, type SchedulingState, type WaitingRun } from "./policy.js";
import { charge, join, keepActive, noShares, start, type Shares, type SharingRun } from "./shares.js";

interface ScheduledRun extends WaitingRun, SharingRun {
  readonly model: string;
  /** Runs that the model can process at a time, as this run's request states. */
  readonly slots: number;
  /** As in SlotRequest. */
  readonly sharedAs?: string;
}

/** What this server knows of shared slots beside its own runs. */
export interface Elsewhere {
  /** What other servers want; those that want nothing are left out. */
  readonly others: readonly ServerDemand[];
  /** What the others know of this server, so that all divide the same; null: they do not know yet that it wants any. */
  readonly sent: ServerDemand | null;
  /** This server's turn. */
  readonly turn: number;
}

export interface SchedulerState {
  /** As in SchedulingState. */
  readonly passedOver: SchedulingState["passedOver"];
  /** By model; only models with runs. */
  readonly shares: ReadonlyMap<string, Shares>;
  readonly running: ReadonlyMap<string, ScheduledRun>;
  /** In order of arrival. */
  readonly waiting: readonly ScheduledRun[];
  /** By `sharedAs`: what other servers want of the same slots; only those that others want. */
  readonly elsewhere: ReadonlyMap<string, Elsewhere>;
  readonly serverId: string;
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

/** The state in which nothing runs and nothing waits. @param serverId names this server among those that share slots */
export function emptyState(queueDepthMax: number, serverId = "only"): SchedulerState {
  return {
    running: new Map(),
    waiting: [],
    shares: new Map(),
    passedOver: nonePassedOver,
    elsewhere: new Map(),
    serverId,
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

/** Other servers want more or less of slots that are shared, or it is another turn. */
export function hear(state: SchedulerState, sharedAs: string, heard: Elsewhere): Decision {
  const elsewhere = new Map(state.elsewhere);
  if (heard.others.length > 0) elsewhere.set(sharedAs, heard);
  else elsewhere.delete(sharedAs);
  const changed = { ...state, elsewhere };
  const waiting = state.waiting.find((run) => run.sharedAs === sharedAs);
  return waiting === undefined ? { state: changed, effects: [] } : grantFree(changed, waiting.model);
}

/** The server closes: waiting runs are refused, running ones may finish. */
export function close(state: SchedulerState): Decision {
  const effects = state.waiting.map((run): Effect => ({ type: "refuse", id: run.id, because: "closing" }));
  return { state: { ...state, waiting: [], closing: true }, effects };
}

function grantFree(from: SchedulerState, model: string): Decision {
  let state = from;
  const effects: Effect[] = [];
  const part = partHere(from, model);
  for (;;) {
    const running = [...state.running.values()].filter((run) => run.model === model);
    const candidates = state.waiting.filter(
      (run) => run.model === model && (part === null ? mayStart(run, running) : running.length < part.slots),
    );
    const { served } = state.shares.get(model) ?? noShares;
    const next = nextToRun(candidates, { ...state, served });
    const chosen = candidates.find((run) => run.id === next?.id);
    if (chosen === undefined) return { state, effects };
    const granted = part === null ? chosen : { ...chosen, partHere: part.ofTeam(chosen.teamId) };
    state = {
      ...state,
      waiting: state.waiting.filter((run) => run !== chosen),
      running: new Map(state.running).set(granted.id, granted),
      shares: withShares(state, model, (of) => start(of, granted, running)),
      passedOver: countPassedOver(state.passedOver, granted, candidates),
    };
    effects.push({ type: "grant", id: granted.id });
  }
}

/**
 * A model in this process has one additional slot, for a team that has no run on it: a team that sends many requests does not make others
 * wait for the end of one of them. An engine outside has no more than its slots, and would refuse the run.
 */
function mayStart(run: ScheduledRun, active: readonly ScheduledRun[]): boolean {
  if (active.length < run.slots) return true;
  if (run.sharedAs !== undefined) return false;
  return active.length === run.slots && active.every((other) => other.teamId !== run.teamId);
}

/** What this server has of slots that it shares. */
interface Part {
  readonly slots: number;
  /** Returns the part of a team's runs that are here: where its weight counts as much, it gets by its weight over all servers. */
  ofTeam(teamId: string): number;
}

/** Returns this server's part of a model; null where it has all. Starting runs does not change it: waiting ones are counted, too. */
function partHere(state: SchedulerState, model: string): Part | null {
  const latest = state.waiting.findLast((run) => run.model === model);
  const heard = latest?.sharedAs === undefined ? undefined : state.elsewhere.get(latest.sharedAs);
  if (latest?.sharedAs === undefined || heard === undefined) return null;
  const { others, sent, turn } = heard;
  const wanted = summariseDemand(state, latest.sharedAs);
  const here = { ...(sent ?? { ...wanted, turn }), running: wanted.running };
  const slots = slotsHere(latest.slots, here, others);
  return {
    // Where none may wait, a server is not known to the others until it has a run.
    slots: state.queueDepthMax === 0 ? Math.max(1, slots) : slots,
    ofTeam: (teamId) => partOfTeam(teamId, here, others),
  };
}

/** Returns whether the team of a run has others of the same model that wait. */
function isWaiting({ waiting }: SchedulerState, { teamId, model }: ScheduledRun): boolean {
  return waiting.some((run) => run.teamId === teamId && run.model === model);
}

/** Returns the shares of all models with the shares of one changed. */
function withShares(
  { shares }: SchedulerState,
  model: string,
  change: (shares: Shares) => Shares,
): Map<string, Shares> {
  return new Map(shares).set(model, change(shares.get(model) ?? noShares));
}

/** Returns the part of a team's runs that is here: 1 where no other server names it. */
function partOfTeam(teamId: string, here: ServerDemand, others: readonly ServerDemand[]): number {
  const runsAt = ({ teams }: ServerDemand): number => teams.find((team) => team.teamId === teamId)?.runs ?? 0;
  const own = runsAt(here);
  return own === 0 ? 1 : own / others.reduce((sum, other) => sum + runsAt(other), own);
}
