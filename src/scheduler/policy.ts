/**
 * The policy that chooses the next run. Interactive work precedes background work, which precedes deferred work, which precedes batches, but a class that was
 * passed over often enough gets a turn. Within a class, the team that was served the fewest tokens for its weight comes first (of equal
 * teams, the one with the fewest runs), and within a team the oldest run: a team that floods the queue delays only itself. Pure.
 */
import type { WorkClass } from "../core/slots.js";

export interface WaitingRun {
  readonly id: string;
  readonly teamId: string;
  readonly workClass: WorkClass;
}

/** What the choice depends on in addition to the waiting runs. */
export interface SchedulingState {
  /** The current runs. */
  readonly running: ReadonlyMap<string, { readonly teamId: string }>;
  /** Tokens each team was served so far, divided by its weight (shares.ts). */
  readonly served: ReadonlyMap<string, number>;
  /** How often each class waited while another class got the slot. */
  readonly passedOver: Readonly<Record<WorkClass, number>>;
}

const classesInOrder: readonly WorkClass[] = ["interactive", "background", "deferred", "batch"];

/** Turns of higher classes before a waiting lower class gets one. */
const passedOverMax = 8;

/**
 * @param waiting in order of arrival.
 * @returns the run to start next; null when none waits.
 */
export function nextToRun(waiting: readonly WaitingRun[], standing: SchedulingState): WaitingRun | null {
  const workClass = nextClass(waiting, standing);
  let best: WaitingRun | null = null;
  for (const run of waiting) {
    if (run.workClass !== workClass || run.teamId === best?.teamId) continue;
    if (best === null || precedes(run.teamId, best.teamId, standing)) best = run;
  }
  return best;
}

function precedes(team: string, other: string, { served, running }: SchedulingState): boolean {
  const [tokens, otherTokens] = [served.get(team) ?? 0, served.get(other) ?? 0];
  if (tokens !== otherTokens) return tokens < otherTokens;
  const runs = (teamId: string): number =>
    [...running.values()].filter((run) => run.teamId === teamId).length;
  return runs(team) < runs(other);
}

/** Returns the counts after `chosen` got a slot while the runs of `waiting` waited. */
export function countPassedOver(
  before: SchedulingState["passedOver"],
  chosen: WaitingRun,
  waiting: readonly WaitingRun[],
): SchedulingState["passedOver"] {
  const counts = { ...before };
  for (const workClass of classesInOrder) {
    if (workClass === chosen.workClass) counts[workClass] = 0;
    else if (waiting.some((run) => run.workClass === workClass)) counts[workClass] += 1;
  }
  return counts;
}

function nextClass(waiting: readonly WaitingRun[], { passedOver }: SchedulingState): WorkClass | null {
  const present = classesInOrder.filter((workClass) => waiting.some((run) => run.workClass === workClass));
  const starved = present.findLast((workClass) => passedOver[workClass] >= passedOverMax);
  return starved ?? present[0] ?? null;
}
