/**
 * Runs tasks of several teams one at a time. The teams take turns, so that a team with many tasks delays a task of another team by no
 * more than one task of each team that waits.
 */
import { HearthError } from "../../core/errors.js";

interface FairQueueLimits {
  /** Tasks of one team that may wait. */
  readonly teamWaitingMax: number;
  /** Tasks of all teams that may wait. */
  readonly waitingMax: number;
  /** The message of the error for further tasks. */
  readonly overloadedMessage: string;
}

type Task = () => Promise<void>;

export class FairQueue {
  readonly #limits: FairQueueLimits;
  /** The waiting tasks of each team that has some. */
  readonly #teams = new Map<string, Task[]>();
  /** The number of each team's last turn, until the queue is empty. */
  readonly #lastTurns = new Map<string, number>();
  #turns = 0;
  #waiting = 0;
  #running = false;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
  }

  /**
   * Runs the task when it is the team's turn, and returns its result.
   * @throws HearthError `overloaded` when too many tasks wait, and what the task throws.
   */
  run<Result>(teamId: string, task: () => Promise<Result>): Promise<Result> {
    const { teamWaitingMax, waitingMax, overloadedMessage } = this.#limits;
    const tasks = this.#teams.get(teamId) ?? [];
    if (tasks.length >= teamWaitingMax || this.#waiting >= waitingMax)
      return Promise.reject(new HearthError("overloaded", overloadedMessage, { retryAfterSeconds: 1 }));
    return new Promise((resolve, reject) => {
      tasks.push(() => task().then(resolve, reject));
      this.#teams.set(teamId, tasks);
      this.#waiting += 1;
      this.#next();
    });
  }

  #next(): void {
    if (this.#running) return;
    const teamId = this.#nextTeam();
    if (teamId === null) return this.#lastTurns.clear();
    const tasks = this.#teams.get(teamId) ?? [];
    const task = tasks.shift();
    if (tasks.length === 0) this.#teams.delete(teamId);
    if (task === undefined) return;
    this.#lastTurns.set(teamId, ++this.#turns);
    this.#waiting -= 1;
    this.#running = true;
    void task().finally(() => {
      this.#running = false;
      this.#next();
    });
  }

  /** Returns the waiting team that had its last turn the longest ago, or none. */
  #nextTeam(): string | null {
    let next: string | null = null;
    let longestAgo = Infinity;
    for (const teamId of this.#teams.keys()) {
      const turn = this.#lastTurns.get(teamId) ?? 0;
      if (turn >= longestAgo) continue;
      next = teamId;
      longestAgo = turn;
    }
    return next;
  }
}
