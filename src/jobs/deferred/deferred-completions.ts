/**
 * Deferred completions: requested now, generated when there is capacity, fetched once. This file owns how long an outcome is stored
 * and who may fetch it; jobs/queue.ts processes them, and the dialect encodes the answer.
 */
import type { Clock } from "../../core/clock.js";
import type { DeferredStore } from "./store.js";
import { HearthError, type ErrorDetails, type ErrorKind } from "../../core/errors.js";
import type { Job } from "../job.js";
import type { JobQueue } from "../queue.js";

export interface DeferredCompletions {
  /**
   * Enqueues a request; it is on disk once this resolves. Its id is the one by which its answer is fetched.
   * @throws HearthError `overloaded` when the queue is full.
   */
  create(request: Omit<Job, "kind" | "attempts" | "createTime">): Promise<void>;
  /**
   * Returns the JSON text of the answer and deletes it; null while it is pending.
   * @throws HearthError `not_found` for one that does not exist (any more) or belongs to another team; the completion's own error when
   * it failed.
   */
  take(id: string, teamId: string): Promise<string | null>;
}

export interface DeferredCompletionsDeps {
  readonly deferred: DeferredStore;
  readonly queue: JobQueue;
  readonly clock: Clock;
}

/** Builds the service over the queue of deferred completions. */
export function createDeferredCompletions({
  deferred,
  queue,
  clock,
}: DeferredCompletionsDeps): DeferredCompletions {
  return {
    async create(request) {
      const createTime = clock.now();
      const { id, teamId } = request;
      await queue.enqueue({ ...request, createTime }, [deferred.insertion({ id, teamId, createTime })]);
    },
    async take(id, teamId) {
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

function readFailure(failure: string): HearthError {
  const { kind, message, param, code } = JSON.parse(failure) as {
    readonly kind: ErrorKind;
    readonly message: string;
    readonly param: string | null;
    readonly code: string | null;
  };
  const details: ErrorDetails = {
    ...(param === null ? {} : { param }),
    ...(code === null ? {} : { code }),
  };
  return new HearthError(kind, message, details);
}

function notFound(id: string): HearthError {
  return new HearthError(
    "not_found",
    `The deferred completion '${id.slice(0, 100)}' does not exist: it was fetched already, has expired, or never was.`,
    { param: "request_id" },
  );
}
