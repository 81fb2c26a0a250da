/**
 * The steps of a batch between requests: its input is validated, its first lines are queued, and it ends when no line is in flight any
 * more. Every step can be repeated after a crash: `start` continues what it finds.
 */
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../core/clock.js";
import { HearthError } from "../../core/errors.js";
import type { Files } from "../../inference/files/files.js";
import type { NodeStore } from "../../store/nodes.js";
import type { Write, Writes } from "../../store/writes.js";
import type { JobQueue } from "../queue.js";
import type { Admit } from "./admission.js";
import type { Batch, BatchError, BatchLine } from "./batch.js";
import { readBatchInput, type ParseJson } from "./input.js";
import type { BatchLimits } from "./limits.js";
import { writeOutput } from "./output.js";
import type { BatchStore } from "./store/batches.js";
import type { BatchLineStore } from "./store/lines.js";

export interface ProgressDeps {
  readonly batches: BatchStore;
  readonly lines: BatchLineStore;
  /** One server at a time creates, validates or ends a batch. */
  readonly nodes: NodeStore;
  readonly files: Files;
  readonly writes: Writes;
  readonly clock: Clock;
  readonly limits: BatchLimits;
  /** Shared with the creation of batches. */
  readonly admit: Admit;
  /** Lines of one batch that have a job at a time. */
  readonly linesQueued: number;
  readonly parseJson: ParseJson;
  /** Returns a check whether the key of a batch may use a model at an endpoint; it throws a HearthError if not. */
  readonly modelCheck: (batch: Batch) => Promise<(name: string) => void>;
  readonly onError: (batchId: string, thrown: unknown) => void;
}

/** Names what one server at a time does with a batch. */
export function batchTask(id: string): string {
  return `batch ${id}`;
}

const expiryCheckMs = 30_000;
const chunkLines = 200;

export class BatchProgress {
  readonly #deps: ProgressDeps;
  readonly #queue: () => JobQueue;
  /** The step that is in progress, and all that follow it: steps run one at a time. */
  #steps: Promise<void> = Promise.resolve();
  /** Batches with an `advance` that has not begun. */
  readonly #advancing = new Set<string>();
  #isOpen = true;
  #stopTimer = (): void => undefined;

  /** Builds the steps over the queue of lines; nothing happens before `start` or a request. */
  constructor(deps: ProgressDeps, queue: () => JobQueue) {
    this.#deps = deps;
    this.#queue = queue;
  }

  /** Validates the input of a batch, after those that were requested before. */
  validate(batch: Batch): void {
    this.#step(batch.id, () => this.#alone(batch.id, () => this.#validate(batch)));
  }

  /** Ends a batch if it has nothing left to answer. */
  advance(id: string): void {
    if (this.#advancing.has(id)) return;
    this.#advancing.add(id);
    this.#step(id, () => {
      this.#advancing.delete(id);
      return this.#advance(id);
    });
  }

  /** Queues the first lines of a batch whose lines are inserted. */
  async activate(id: string): Promise<void> {
    const { batches, writes, clock, linesQueued } = this.#deps;
    const now = clock.now();
    await writes.commit([
      batches.update(id, ["validating"], { state: "in_progress", startTime: now }),
      ...Array.from({ length: linesQueued }, () => batches.queueNext(id, now)).flat(),
    ]);
    this.#queue().wake();
    this.advance(id);
  }

  async deleteLines(id: string): Promise<void> {
    while ((await this.#deps.lines.deleteLines(id, chunkLines)) === chunkLines) await setImmediate();
  }

  /** Continues what the previous process left, and ends batches when they expire. */
  async start(): Promise<void> {
    for (const batch of await this.#deps.batches.open()) await this.#resume(batch);
    this.#watchExpiry();
  }

  /** Resolves when no step is in progress. */
  async close(): Promise<void> {
    this.#isOpen = false;
    this.#stopTimer();
    await this.#steps;
  }

  #step(id: string, work: () => Promise<void>): void {
    this.#steps = this.#steps.then(async () => {
      if (!this.#isOpen) return;
      try {
        await work();
      } catch (thrown) {
        this.#deps.onError(id, thrown);
      }
    });
  }

  async #resume(batch: Batch): Promise<void> {
    if (batch.state !== "validating") return this.advance(batch.id);
    if (batch.format === "openai") return this.validate(batch);
    await this.#alone(batch.id, async () => {
      const found = await this.#deps.batches.find(batch.id);
      if (found?.state !== "validating") return;
      // The process died that created it: its client has received no id.
      await this.deleteLines(batch.id);
      await this.#deps.batches.delete(batch.id);
    });
  }

  /** Does nothing while another server does the same. */
  async #alone(id: string, work: () => Promise<void>): Promise<void> {
    const release = await this.#deps.nodes.hold(batchTask(id));
    if (release === null) return;
    try {
      await work();
    } finally {
      release();
    }
  }

  /** Ends what has expired, repeats steps that failed, and continues what servers left that have ended. */
  #watchExpiry(): void {
    if (!this.#isOpen) return;
    this.#stopTimer = this.#deps.clock.after(expiryCheckMs, () => {
      this.#step("", async () => {
        for (const batch of await this.#deps.batches.open()) await this.#resume(batch);
      });
      this.#watchExpiry();
    });
  }

  async #advance(id: string): Promise<void> {
    const { batches, lines, clock } = this.#deps;
    const batch = await batches.find(id);
    if (batch === null || batch.endTime !== null || batch.state === "validating") return;
    const now = clock.now();
    const queued = await lines.countQueued(id);
    if (batch.state === "in_progress") {
      const isExpired = now >= batch.expireTime;
      if (!isExpired && (queued > 0 || batch.nextLine < batch.lines)) return;
      const outcome = isExpired ? "expired" : "completed";
      await this.#unlessChanged([
        batches.update(id, ["in_progress"], { state: "finalizing", outcome, finalizeTime: now }),
        ...batches.unqueuing(id),
      ]);
      return this.#advance(id);
    }
    if (queued > 0) return;
    await this.#alone(id, async () => {
      const ending = await batches.find(id);
      if (ending === null || ending.endTime !== null) return;
      await writeOutput(this.#deps, ending);
      await this.deleteLines(id);
    });
  }

  /** Commits a change of a batch, which another server may have made. */
  async #unlessChanged(changes: readonly Write[]): Promise<void> {
    try {
      await this.#deps.writes.commit(changes);
    } catch (thrown) {
      if (!(thrown instanceof HearthError) || thrown.kind !== "conflict") throw thrown;
    }
  }

  async #validate({ id }: Batch): Promise<void> {
    const { batches } = this.#deps;
    const batch = await batches.find(id);
    // Cancelled meanwhile.
    if (batch?.state !== "validating") return;
    // Lines of a validation that failed, or whose process died.
    await this.deleteLines(id);
    const errors = await this.#insertLines(batch);
    if (errors.length === 0) return this.activate(id);
    const failure = {
      state: "failed",
      errors: JSON.stringify(errors),
      endTime: this.#deps.clock.now(),
      lines: 0,
    } as const;
    await this.#deps.writes.commit([batches.update(id, ["validating"], failure)]);
    await this.deleteLines(id);
  }

  /** Inserts the lines of the input. @returns what is wrong with it. */
  async #insertLines(batch: Batch): Promise<readonly BatchError[]> {
    const { files, limits, writes, parseJson, modelCheck, lines, batches, admit } = this.#deps;
    const errors: BatchError[] = [];
    let chunk: BatchLine[] = [];
    const total = { lines: 0, bytes: 0 };
    const flush = async (): Promise<void> => {
      const inserted: Write[] = errors.length > 0 ? [] : chunk.map((line) => lines.insertion(batch.id, line));
      chunk = [];
      await writes.commit(inserted);
    };
    try {
      const file = await files.find(batch.inputFileId ?? "", batch.teamId);
      if (file.bytes > limits.batchBytesMax)
        return [wholeError(`The input file is larger than ${limits.batchBytesMax} bytes.`)];
      const rules = {
        endpoint: batch.endpoint,
        linesMax: limits.batchLinesMax,
        lineBytesMax: limits.bodyBytesMax,
        checkModel: await modelCheck(batch),
        parseJson,
      };
      for await (const read of readBatchInput(await files.read(file), rules)) {
        if ("code" in read) {
          errors.push(read);
          continue;
        }
        chunk.push(read);
        total.lines += 1;
        total.bytes += Buffer.byteLength(read.body);
        if (chunk.length < chunkLines) continue;
        await flush();
        await setImmediate();
      }
      await flush();
      const counted = batches.update(batch.id, ["validating", "cancelling"], total);
      if (errors.length === 0) await admit({ ...batch, ...total }, [counted]);
    } catch (thrown) {
      if (!isRefusal(thrown)) throw thrown;
      errors.push(wholeError(thrown.message));
    }
    return errors;
  }
}

function isRefusal(thrown: unknown): thrown is HearthError {
  return thrown instanceof HearthError && thrown.kind !== "internal" && thrown.kind !== "overloaded";
}

function wholeError(message: string): BatchError {
  return { code: "invalid_input", message, param: null, line: null };
}
