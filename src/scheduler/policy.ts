/**
 * Who is next. Interactive work goes before background work and that before deferred work, but a class that was passed over
 * often enough gets its turn. Within a class the team that was served the fewest tokens for its weight goes first (of equals
 * the one that runs least), and within a team whoever came first: a team that floods the queue delays itself, not its
 * neighbours. Pure.
 */
import type { WorkClass } from "../core/slots.js";

export interface Waiting {
  readonly id: string;
  readonly teamId: string;
  readonly workClass: WorkClass;
}

/** What the choice looks at beside who waits. */
export interface Standing {
  /** Who runs now. */
  readonly running: ReadonlyMap<string, { readonly teamId: string }>;
  /** Tokens each team was served so far, divided by its weight. */
  readonly served: ReadonlyMap<string, number>;
  /** How often each class waited while another one got the slot. */
  readonly passedOver: Readonly<Record<WorkClass, number>>;
}

const classesInOrder: readonly WorkClass[] = ["interactive", "background", "deferred"];

/** Turns that go to better classes before one goes to a worse one that waits. */
const passedOverMax = 8;

/**
 * @param waiting in order of arrival.
 * @returns the run to start next, or null when nobody waits.
 */
export function nextToRun(waiting: readonly Waiting[], standing: Standing): Waiting | null {
  const workClass = nextClass(waiting, standing);
  let best: Waiting | null = null;
  for (const run of waiting) {
    if (run.workClass !== workClass || run.teamId === best?.teamId) continue;
    if (best === null || goesBefore(run.teamId, best.teamId, standing)) best = run;
  }
  return best;
}

function goesBefore(team: string, other: string, { served, running }: Standing): boolean {
  const [tokens, otherTokens] = [served.get(team) ?? 0, served.get(other) ?? 0];
  if (tokens !== otherTokens) return tokens < otherTokens;
  const runs = (teamId: string): number =>
    [...running.values()].filter((run) => run.teamId === teamId).length;
  return runs(team) < runs(other);
}

/** The counts after `chosen` got a slot while `waiting` wanted one too. */
export function passOver(
  standing: Standing,
  chosen: Waiting,
  waiting: readonly Waiting[],
): Standing["passedOver"] {
  const counts = { ...standing.passedOver };
  for (const workClass of classesInOrder) {
    if (workClass === chosen.workClass) counts[workClass] = 0;
    else if (waiting.some((run) => run.workClass === workClass)) counts[workClass] += 1;
  }
  return counts;
}

function nextClass(waiting: readonly Waiting[], { passedOver }: Standing): WorkClass | null {
  const present = classesInOrder.filter((workClass) => waiting.some((run) => run.workClass === workClass));
  const starved = present.findLast((workClass) => passedOver[workClass] >= passedOverMax);
  return starved ?? present[0] ?? null;
}
