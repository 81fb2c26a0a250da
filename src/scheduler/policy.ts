/**
 * Who is next. Among the runs that wait for a model, the team with the fewest running there goes first, and within a team
 * whoever came first: a team that floods the queue delays itself, not its neighbours. Pure.
 */

export interface Waiting {
  readonly id: string;
  readonly teamId: string;
}

/**
 * @param waiting in order of arrival.
 * @param runningByTeam how many runs each team has on this model now.
 * @returns the run to start next, or null when nobody waits.
 */
export function nextToRun(
  waiting: readonly Waiting[],
  runningByTeam: ReadonlyMap<string, number>,
): Waiting | null {
  let best: Waiting | null = null;
  let fewest = Number.POSITIVE_INFINITY;
  for (const run of waiting) {
    const running = runningByTeam.get(run.teamId) ?? 0;
    if (running < fewest) {
      best = run;
      fewest = running;
    }
  }
  return best;
}
