/**
 * Decides which generations take the next step. On a CPU, a batch of five sequences takes about three times as long as one of a single
 * sequence, so that a team with four answers would slow down another team's only answer to a third of its speed. Teams with more
 * generations than others then step in every second, third ... tick only: until the others are slowed down by `slowdownMax` at most, but
 * never so seldom that the larger team gets fewer tokens than the smaller. Where a larger batch takes no longer, as on a GPU, all step.
 */

/** How much longer than alone a team's tokens may take because of teams with more generations. */
const slowdownMax = 1.6;

interface TeamMember {
  readonly teamId: string;
}

export class TeamTurns {
  /** Moving average of the milliseconds of a step, by the number of sequences. */
  readonly #stepMs = new Map<number, number>();
  #turn = 0;

  /**
   * Returns the generations that step in this tick, in the order given. Call it once a tick.
   * @param decoding those that could
   */
  choose<T extends TeamMember>(decoding: readonly T[]): readonly T[] {
    const sizes = new Map<string, number>();
    for (const { teamId } of decoding) sizes.set(teamId, (sizes.get(teamId) ?? 0) + 1);
    const smallest = Math.min(...sizes.values());
    const smaller = decoding.filter(({ teamId }) => sizes.get(teamId) === smallest);
    if (smaller.length === decoding.length) return decoding;
    this.#turn += 1;
    const wanted = this.#intervalFor(smaller.length, decoding.length);
    const steps = ({ teamId }: T): boolean => {
      const size = sizes.get(teamId) ?? smallest;
      return this.#turn % Math.min(wanted, Math.floor(size / smallest)) === 0;
    };
    return decoding.filter(steps);
  }

  /** Records how long a step of so many sequences took, without any prompt tokens beside it. */
  record(sequences: number, ms: number): void {
    const before = this.#stepMs.get(sequences);
    this.#stepMs.set(sequences, before === undefined ? ms : before + (ms - before) / 4);
  }

  /**
   * Returns the smallest interval `k` for which the average of `k - 1` steps of the smaller teams and one of all is at most
   * `slowdownMax` steps of the smaller teams; infinite while the latter are not measured, 1 while the step of all is not.
   */
  #intervalFor(smaller: number, all: number): number {
    const smallerMs = this.#stepMs.get(smaller);
    const allMs = this.#stepMs.get(all);
    if (allMs === undefined) return 1;
    if (smallerMs === undefined) return Number.POSITIVE_INFINITY;
    if (allMs <= smallerMs * slowdownMax) return 1;
    return Math.ceil((allMs - smallerMs) / (smallerMs * (slowdownMax - 1)));
  }
}
