/**
 * Batches: many requests that are answered when there is capacity, within 24 hours. This file owns who may have how many, and the states
 * of a batch: validating -> in_progress -> finalizing -> completed or expired; cancelling -> cancelled; or failed, when its input is
 * wrong. Its steps are in progress.ts, and the queue answers its lines.
 */
import { HearthError } from "../../core/errors.js";
import type { Random } from "../../core/random.js";
import type { Principal } from "../../accounts/principals/api-key.js";
import { toStoredOwner } from "../../inference/stored-owner.js";
import { storedTags } from "../tags.js";
import { invalidValue } from "../../dialects/field-error.js";
import type { Batch, BatchFormat, BatchLine, BatchPage } from "./batch.js";
import type { BatchLimits } from "./limits.js";
import { batchTask, type BatchProgress, type ProgressDeps } from "./progress.js";
import type { BatchQuery } from "./store/batches.js";

interface NewBatch {
  readonly principal: Principal;
  readonly endpoint: string;
  readonly metadata: string | null;
  /** Without it, the output is stored for 30 days. */
  readonly outputExpiresMs: number | null;
}

export type Batches = ReturnType<typeof createBatches>;

export interface BatchesDeps extends ProgressDeps {
  readonly random: Random;
  readonly limits: BatchLimits;
}

const completionWindowMs = 24 * 60 * 60 * 1000;
const outputMs = 30 * completionWindowMs;
/** How many lines are inserted in one transaction. */
const insertedLines = 200;
/** How many ended batches are removed at most when one is created. */
const displacedMax = 20;

/** Builds the service. */
export function createBatches(deps: BatchesDeps, progress: BatchProgress) {
  const { batches, writes, clock, files, limits } = deps;
  const find = async (id: string, teamId: string, format: BatchFormat): Promise<Batch> => {
    const batch = await batches.find(id);
    if (batch === null || batch.teamId !== teamId || batch.format !== format) throw notFound(id);
    return batch;
  };
  return {
    limits,
    ...createCreation(deps, progress),
    /** @throws HearthError `not_found`, also for a batch of another team or another API. */
    find,
    list: (query: BatchQuery): Promise<BatchPage> => batches.list(query),
    /** Cancels a batch: lines in flight are answered, the others are not. @throws HearthError `conflict` when it has ended. */
    async cancel(batch: Batch): Promise<Batch> {
      if (batch.endTime !== null) throw hasEnded(batch, "cancelled");
      const change = { state: "cancelling", outcome: "cancelled", cancelTime: clock.now() } as const;
      await writes.commit([
        batches.update(batch.id, ["validating", "in_progress"], change),
        ...batches.unqueuing(batch.id),
      ]);
      progress.advance(batch.id);
      return find(batch.id, batch.teamId, batch.format);
    },
    /** Deletes a batch that has ended, and its results. @throws HearthError `conflict` for any other. */
    async delete(batch: Batch): Promise<void> {
      if (batch.endTime === null)
        throw new HearthError("conflict", `The batch '${batch.id}' has not ended. Cancel it first.`);
      if (batch.outputFileId !== null) await files.delete(batch.outputFileId);
      await remove(deps, progress, batch.id);
    },
  };
}

function createCreation(deps: BatchesDeps, progress: BatchProgress) {
  const { batches, files, limits, nodes, admit } = deps;
  /** Inserts a batch after what it displaces is removed. */
  const insert = async (batch: Batch): Promise<void> => {
    await files.refuseBeyondQuota(batch.teamId);
    const displaced = await batches.endedBeyond(batch.teamId, limits.teamEndedBatchesMax, displacedMax);
    for (const { id, format, outputFileId } of displaced) {
      // Nothing else names the results of a message batch; the files of other batches are listed with the team's.
      if (format === "anthropic" && outputFileId !== null) await files.delete(outputFileId);
      await remove(deps, progress, id);
    }
    await admit(batch, [batches.insertion(batch)]);
  };
  return {
    /**
     * Creates a batch over an uploaded file; its input is validated afterwards.
     * @throws HearthError `rate_limited` when the team has as many batches as it may, `invalid_value` when it stores more than it may.
     */
    async createFromFile(request: NewBatch, inputFileId: string): Promise<Batch> {
      const batch = { ...newBatch(deps, request, "openai"), inputFileId };
      await insert(batch);
      progress.validate(batch);
      return batch;
    },
    /** Creates a message batch. @throws HearthError the same, also `invalid_value` for too many bytes. */
    async createFromLines(request: NewBatch, lines: readonly BatchLine[]): Promise<Batch> {
      const bytes = lines.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
      if (bytes > limits.batchBytesMax)
        throw invalidValue("requests", `must have at most ${limits.batchBytesMax} bytes together`);
      const batch = { ...newBatch(deps, request, "anthropic"), lines: lines.length, bytes };
      // Until it is complete, other servers leave it to this one.
      const release = await nodes.hold(batchTask(batch.id));
      try {
        await insert(batch);
        await insertLines(deps, progress, batch, lines);
      } finally {
        release?.();
      }
      return (await batches.find(batch.id)) ?? batch;
    },
  };
}

async function insertLines(
  deps: BatchesDeps,
  progress: BatchProgress,
  batch: Batch,
  requests: readonly BatchLine[],
): Promise<void> {
  const { lines, writes, onError } = deps;
  try {
    for (let at = 0; at < requests.length; at += insertedLines)
      await writes.commit(
        requests.slice(at, at + insertedLines).map((line) => lines.insertion(batch.id, line)),
      );
    await progress.activate(batch.id);
  } catch (thrown) {
    // Where this fails, too, a later look at open batches removes it.
    await remove(deps, progress, batch.id).catch((failure: unknown) => onError(batch.id, failure));
    throw thrown;
  }
}

async function remove({ batches }: BatchesDeps, progress: BatchProgress, id: string): Promise<void> {
  await progress.deleteLines(id);
  await batches.delete(id);
}

function newBatch(
  { random, clock }: BatchesDeps,
  { principal, endpoint, metadata, outputExpiresMs }: NewBatch,
  format: BatchFormat,
): Batch {
  const now = clock.now();
  const digits = Buffer.from(random.bytes(16)).toString("hex");
  return {
    id: `${format === "openai" ? "batch" : "msgbatch"}_${digits}`,
    ...toStoredOwner(principal),
    apiKeyId: principal.key.id,
    format,
    endpoint,
    state: "validating",
    outcome: null,
    inputFileId: null,
    outputFileId: null,
    errorFileId: null,
    outputExpiresMs: outputExpiresMs ?? outputMs,
    metadata,
    errors: null,
    lines: 0,
    bytes: 0,
    nextLine: 0,
    succeeded: 0,
    errored: 0,
    dropped: 0,
    promptTokens: 0,
    cachedTokens: 0,
    completionTokens: 0,
    reasoningTokens: 0,
    createTime: now,
    expireTime: now + completionWindowMs,
    startTime: null,
    finalizeTime: null,
    cancelTime: null,
    endTime: null,
    tags: storedTags(principal.labels?.tags),
  };
}

function notFound(id: string): HearthError {
  return new HearthError("not_found", `The batch '${id.slice(0, 100)}' does not exist.`, {
    param: "batch_id",
  });
}

function hasEnded({ id, state }: Batch, what: string): HearthError {
  return new HearthError("conflict", `The batch '${id}' cannot be ${what}: it is ${state}.`);
}
