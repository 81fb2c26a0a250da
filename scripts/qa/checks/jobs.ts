/** Jobs whose acceptance a client has seen: none is lost, none is done twice, and each ends. */
import type { Books, JobTable } from "./books.js";
import type { Judge } from "./violation.js";

export interface AcceptedJob {
  readonly id: string;
  readonly table: JobTable;
  readonly teamId: string;
}

/** States of a job that has not ended. */
const open = new Set(["pending", "queued", "in_progress"]);

export class AcceptedJobs {
  readonly #followed = new Map<string, AcceptedJob>();
  /** Jobs whose end was seen: only a power cut can undo it. */
  readonly #ended = new Set<string>();

  constructor(private readonly judge: Judge) {}

  /** Another process has started: what has ended is checked again. */
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

  get all(): readonly AcceptedJob[] {
    return [...this.#followed.values()];
  }

  async check(books: Books): Promise<void> {
    for (const { id, table } of this.#followed.values()) {
      if (this.#ended.has(id)) continue;
      const { isQueued, state } = await books.readJob(id, table);
      const isOpen = state !== null && open.has(state);
      this.judge(
        state !== null && (!isOpen || isQueued),
        "no accepted job is lost",
        () => `${id} is ${state}, without a job`,
      );
      this.judge(isOpen || !isQueued, "no job is done twice", () => `${id} is ${state} and queued`);
      if (isOpen) continue;
      this.#ended.add(id);
      const charged = await books.countChargedRuns(id);
      this.judge(
        charged <= 1,
        "nothing is charged twice",
        () => `${charged} runs of job ${id} cost something`,
      );
    }
  }

  /** Returns the jobs that have not ended. */
  async findUnfinished(books: Books): Promise<readonly string[]> {
    const unfinished: string[] = [];
    for (const { id, table } of this.#followed.values())
      if ((await books.readJob(id, table)).isQueued) unfinished.push(id);
    return unfinished;
  }
}
