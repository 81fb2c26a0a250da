/** Jobs whose acceptance a client has seen: none is lost, none is done twice, and each ends. */
import type { Books } from "./books.js";
import { holds } from "./violation.js";

export type JobTable = "deferred_completions" | "responses";

export interface AcceptedJob {
  readonly id: string;
  readonly table: JobTable;
  readonly key: string;
}

/** States of a job that has not ended. */
const open = new Set(["pending", "queued", "in_progress"]);

export class AcceptedJobs {
  readonly #followed = new Map<string, AcceptedJob>();
  /** Jobs whose end was seen: only a power cut can undo it. */
  readonly #ended = new Set<string>();

  /** Another process has started: what has ended is looked at again. */
  restart(): void {
    this.#ended.clear();
  }

  add(job: AcceptedJob): void {
    this.#followed.set(job.id, job);
  }

  /** Its client has fetched or deleted it, or may have: the connection broke meanwhile. */
  drop(id: string): void {
    this.#followed.delete(id);
    this.#ended.delete(id);
  }

  /** A day has passed without the server: what is kept for a day is gone. */
  dropFetchable(): void {
    for (const { id, table } of this.#followed.values()) if (table === "deferred_completions") this.drop(id);
  }

  has(id: string): boolean {
    return this.#followed.has(id);
  }

  /** @throws Violation */
  check(books: Books): void {
    for (const { id, table } of this.#followed.values()) {
      if (this.#ended.has(id)) continue;
      const { queued, state } = books.jobState(id, table);
      const isOpen = state !== null && open.has(state);
      holds(
        state !== null && (!isOpen || queued),
        "no accepted job is lost",
        () => `${id} is ${state}, without a job`,
      );
      holds(isOpen || !queued, "no job is done twice", () => `${id} is ${state} and queued`);
      if (isOpen) continue;
      this.#ended.add(id);
      const charged = books.chargedRuns(id);
      holds(charged <= 1, "nothing is charged twice", () => `${charged} runs of job ${id} cost something`);
    }
  }

  /** @returns the jobs that have not ended. */
  unfinished(books: Books): readonly string[] {
    return [...this.#followed.values()]
      .filter(({ id, table }) => books.jobState(id, table).queued)
      .map(({ id }) => id);
  }
}
