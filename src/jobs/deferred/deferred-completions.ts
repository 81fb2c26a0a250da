/**
 * Deferred completions: asked for now, answered when there is time, fetched once. It owns how long an outcome is kept and who
 * may have it; the queue is jobs.ts's, the answer's words are the dialect's.
 */
import type { Clock } from "../../core/clock.js";
import type { DeferredStore } from "./deferred-completion.js";
import { HearthError, type ErrorDetails, type ErrorKind } from "../../core/errors.js";
import type { Job } from "../job.js";
import type { JobQueue } from "../queue.js";

/** How long an outcome waits to be fetched. */
export const deferredKeptMs = 24 * 60 * 60 * 1000;

export interface Deferrals {
  /**
   * Takes a request; once this resolves it is on the disk. Its id is what its answer is fetched with.
   * @throws HearthError `overloaded` when too much is put off already.
   */
  put(request: Omit<Job, "kind" | "attempts" | "createTime">): Promise<void>;
  /**
   * @returns the JSON text of the answer, which is given away by that, or null while it is pending.
   * @throws HearthError `not_found` for one that is not there (any more) or is another team's; else what kept it from an answer.
   */
  take(id: string, teamId: string): Promise<string | null>;
}

export interface DeferralsDeps {
  readonly deferred: DeferredStore;
  readonly queue: JobQueue;
  readonly clock: Clock;
}

/** Builds them over the queue of their trade. */
export function createDeferrals({ deferred, queue, clock }: DeferralsDeps): Deferrals {
  return {
    async put(request) {
      const createTime = clock.now();
      const { id, teamId } = request;
      await queue.enqueue({ ...request, createTime }, [deferred.insertion({ id, teamId, createTime })]);
    },
    async take(id, teamId) {
      const outcome = await deferred.take(id, teamId, clock.now());
      if (outcome === null) throw notThere(id);
      if (outcome.state === "failed") throw readFailure(outcome.failure);
      return outcome.state === "done" ? outcome.answer : null;
    },
  };
}

/** A failure as it is stored: what its client may know of it, and no more. */
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

function notThere(id: string): HearthError {
  return new HearthError(
    "not_found",
    `The deferred completion '${id.slice(0, 100)}' does not exist: it was fetched already, has expired, or never was.`,
    { param: "request_id" },
  );
}
