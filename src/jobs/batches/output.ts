/** Writes what a batch has answered to files, and ends the batch. */
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../core/clock.js";
import type { FileDraft, Files } from "../../inference/files/files.js";
import type { FilePurpose } from "../../inference/files/stored-file.js";
import type { Write, Writes } from "../../store/writes.js";
import type { Batch } from "./batch.js";
import { dropped } from "./results.js";
import type { BatchStore } from "./store/batches.js";
import type { BatchLineStore, OutputLine } from "./store/lines.js";

interface OutputDeps {
  readonly batches: BatchStore;
  readonly lines: BatchLineStore;
  readonly files: Files;
  readonly writes: Writes;
  readonly clock: Clock;
}

const pageLines = 100;

/**
 * Ends a batch without lines in flight: its files and its end are committed together. A process that dies before leaves it as it was.
 */
export async function writeOutput(deps: OutputDeps, batch: Batch): Promise<void> {
  const { batches, writes, clock } = deps;
  const isOpenAi = batch.format === "openai";
  const output = new OutputFile(deps, batch, isOpenAi ? "output" : "results");
  const errors = isOpenAi ? new OutputFile(deps, batch, "error") : output;
  let droppedLines = 0;
  try {
    for (let after = -1; ;) {
      const page = await deps.lines.page(batch.id, after, pageLines);
      for (const line of page) {
        if (line.result === null) droppedLines += 1;
        await (line.state === "succeeded" ? output : errors).add(writeResult(batch, line));
        after = line.line;
      }
      if (page.length < pageLines) break;
      await setImmediate();
    }
    const files = [await output.complete(), errors === output ? noFile : await errors.complete()];
    const [{ id: outputFileId }, { id: errorFileId }] = files as [Completed, Completed];
    const now = clock.now();
    await writes.commit([
      ...files.flatMap(({ insertions }) => insertions),
      batches.update(batch.id, [batch.state], {
        state: batch.outcome ?? "completed",
        outputFileId,
        errorFileId,
        dropped: droppedLines,
        finalizeTime: batch.finalizeTime ?? now,
        endTime: now,
      }),
    ]);
  } catch (thrown) {
    await Promise.allSettled([output.remove(), errors.remove()]);
    throw thrown;
  }
  await output.discard();
  await errors.discard();
}

function writeResult({ id, format, outcome }: Batch, { line, customId, result }: OutputLine): string {
  return result ?? dropped({ batchId: id, format, line, customId }, outcome);
}

interface Completed {
  readonly id: string | null;
  readonly insertions: readonly Write[];
}

const noFile: Completed = { id: null, insertions: [] };

/** A file that is created with its first line. */
class OutputFile {
  #draft: FileDraft | null = null;

  constructor(
    private readonly deps: OutputDeps,
    private readonly batch: Batch,
    private readonly name: string,
  ) {}

  async add(line: string): Promise<void> {
    this.#draft ??= await this.deps.files.begin(this.batch, false);
    await this.#draft.write(Buffer.from(`${line}\n`));
  }

  async complete(): Promise<Completed> {
    if (this.#draft === null) return noFile;
    const { id, format, outputExpiresMs } = this.batch;
    const purpose: FilePurpose = format === "openai" ? "batch_output" : "message_batch_results";
    const { file, insertion } = await this.#draft.complete({
      purpose,
      filename: `${id}_${this.name}.jsonl`,
      mimeType: "application/jsonl",
      expireTime: this.deps.clock.now() + outputExpiresMs,
    });
    return { id: file.id, insertions: [insertion] };
  }

  /** Ends a draft whose row is committed. */
  async discard(): Promise<void> {
    await this.#draft?.discard();
  }

  async remove(): Promise<void> {
    await this.#draft?.remove();
  }
}
