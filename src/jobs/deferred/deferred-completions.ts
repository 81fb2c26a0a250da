/**
 * Deferred completions: requested now, generated when there is capacity, fetched once. This file owns how long an outcome is stored
 * and who may fetch it; jobs/queue.ts processes them, and the dialect encodes the answer.
 */
import type { Clock } from "../../core/clock.js";
import type { DeferredStore } from "./store.js";
import type { StoredOwner } from "../../inference/stored-owner.js";
import { HearthError, type ErrorKind } from "../../core/errors.js";
import type { Job } from "../job.js";
import type { JobQueue } from "../queue.js";

interface NewDeferredCompletion extends Omit<Job, "kind" | "attempts" | "createTime">, StoredOwner {}

export type DeferredCompletions = ReturnType<typeof createDeferredCompletions>;

interface DeferredCompletionsDeps {
  readonly deferred: DeferredStore;
  readonly queue: JobQueue;
  readonly clock: Clock;
  /** How long an outcome can be fetched. */
  readonly outcomeKeptMs: number;
}

/** Builds the service over the queue of deferred completions. */
export function createDeferredCompletions({
  deferred,
  queue,
  clock,
  outcomeKeptMs,
}: DeferredCompletionsDeps) {
  const cancel = async (id: string): Promise<void> => {
    const failure = writeFailure(cancelled());
    await queue.cancel(id, () => ({
      writes: [deferred.ending(id, { state: "failed", failure }, clock.now() + outcomeKeptMs)],
    }));
  };
  return {
    /**
     * Enqueues a request; it is on disk once this resolves. Its id is the one by which its answer is fetched.
     * @throws HearthError `overloaded` when the queue is full.
     */
    async create({ userId, ...job }: NewDeferredCompletion): Promise<void> {
      const createTime = clock.now();
      const { id, teamId } = job;
      await queue.enqueue({ ...job, createTime }, [deferred.insertion({ id, teamId, userId, createTime })]);
    },
    /** Cancels one that is pending: its client gets the error `cancelled`. Does nothing when it has ended. */
    cancel,
    /** Cancels one that is pending, and deletes it. @throws HearthError `not_found`, as `take` does. */
    async delete(id: string, teamId: string): Promise<void> {
      await cancel(id);
      if (!(await deferred.delete(id, teamId))) throw notFound(id);
    },
    /**
     * Returns the JSON text of the answer and deletes it; null while it is pending.
     * @throws HearthError `not_found` for one that does not exist (any more) or belongs to another team; the completion's own error when
     * it failed.
     */
    async take(id: string, teamId: string): Promise<string | null> {
      const outcome = await deferred.take(id, teamId, clock.now());
      if (outcome === null) throw notFound(id);
      if (outcome.state === "failed") throw readFailure(outcome.failure);
      return outcome.state === "done" ? outcome.answer : null;
    },
  };
}

/** Serialises an error with the fields that its client may see. */
export function writeFailure({ kind, message, param, code }: HearthError): string {
  return JSON.stringify({ kind, message, param, code });
}

/** The error of a deferred completion that was cancelled. */
export function cancelled(): HearthError {
  return new HearthError("cancelled", "The deferred completion was cancelled.");
}

function readFailure(failure: string): HearthError {
  const { kind, message, param, code } = JSON.parse(failure) as {
    readonly kind: ErrorKind;
    readonly message: string;
    readonly param: string | null;
    readonly code: string | null;
  };
  return new HearthError(kind, message, { param, code });
}

function notFound(id: string): HearthError {
  return new HearthError(
    "not_found",
    `The deferred completion '${id.slice(0, 100)}' does not exist: it was fetched already, has expired, or never was.`,
    { param: "request_id" },
  );
}
