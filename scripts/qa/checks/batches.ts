/** Batches whose acceptance a client has seen: each ends, and each of its lines is answered once and charged at most once. */
import { Counts } from "../figures/counts.js";
import type { Books } from "./books.js";
import type { Judge } from "./violation.js";

export interface AcceptedBatch {
  readonly id: string;
  readonly teamId: string;
  /** The custom ids of its lines; null = its input is wrong. */
  readonly lines: ReadonlySet<string> | null;
}

/** What a client reads of a batch. */
export interface SeenBatch {
  readonly status: string;
  readonly output_file_id: string | null;
  readonly error_file_id: string | null;
  readonly request_counts: { readonly total: number; readonly completed: number; readonly failed: number };
}

/** A line of the output or error file. */
export interface SeenLine {
  readonly custom_id: string;
  readonly response: { readonly status_code: number } | null;
  readonly error: { readonly code: string } | null;
}

/** Codes of lines that were not answered before their batch ended. */
const unanswered = new Set(["batch_cancelled", "batch_expired"]);

export const finalStates = ["completed", "failed", "expired", "cancelled"];

export class AcceptedBatches {
  readonly #followed = new Map<string, AcceptedBatch>();
  /** Batches that ended in each state, as their clients saw it. */
  readonly tally = new Counts();

  constructor(private readonly judge: Judge) {}

  add(batch: AcceptedBatch): void {
    this.#followed.set(batch.id, batch);
  }

  has(id: string): boolean {
    return this.#followed.has(id);
  }

  async check(books: Books): Promise<void> {
    for (const { id } of this.#followed.values()) {
      const { state, jobs } = await books.readBatch(id);
      this.judge(state !== null, "no accepted batch is lost", () => id);
      this.judge(
        jobs === 0 || !finalStates.includes(state ?? ""),
        "no line is answered twice",
        () => `${id} is ${state} and has ${jobs} jobs`,
      );
    }
    const twice = await books.findLinesChargedTwice();
    this.judge(twice.length === 0, "no line is charged twice", () => twice.join(", "));
  }

  /** Checks what the client of a batch has read after its end. */
  end(batch: AcceptedBatch, seen: SeenBatch, output: readonly SeenLine[], errors: readonly SeenLine[]): void {
    this.#followed.delete(batch.id);
    this.tally.add(seen.status);
    const { id, lines } = batch;
    const { total, completed, failed } = seen.request_counts;
    this.judge(
      (lines === null) === (seen.status === "failed") || seen.status === "cancelled",
      "wrong input is refused, and no other",
      () => `${id} is ${seen.status}`,
    );
    if (seen.status === "failed") return;
    const answered = [...output, ...errors].map((line) => line.custom_id);
    const expected = total === 0 ? new Set<string>() : (lines ?? new Set<string>());
    this.judge(
      answered.length === expected.size &&
        new Set(answered).size === answered.length &&
        answered.every((line) => expected.has(line)),
      "each line is answered once",
      () => `${id}, ${seen.status}: ${answered.join(" ")} of ${[...expected].join(" ")}`,
    );
    const dropped = errors.filter(({ error }) => unanswered.has(error?.code ?? "")).length;
    this.judge(
      output.length === completed && errors.length - dropped === failed,
      "a batch counts its answers",
      () =>
        `${id}, ${seen.status}: ${output.length} and ${errors.length}, ${JSON.stringify(seen.request_counts)}`,
    );
    this.judge(
      dropped === 0 || seen.status === "cancelled" || seen.status === "expired",
      "each line is answered once",
      () => `${dropped} lines of ${id} were dropped`,
    );
    const wrong = output.find(({ response }) => response?.status_code !== 200);
    this.judge(wrong === undefined, "answers are in the output", () => JSON.stringify(wrong));
  }

  /** The batches that have not ended, or whose client has not read their end. */
  get unfinished(): readonly AcceptedBatch[] {
    return [...this.#followed.values()];
  }
}
