import type { Principal } from "../accounts/principals/api-key.js";
import type { AnswerContext } from "../answers/context.js";
import type { Asking } from "../answers/endpoint.js";
import type { JsonBody } from "../core/json/parse-json.js";
import { noUsage } from "../core/usage.js";
import type { Job } from "./job.js";

/**
 * Returns the request of a job, which the limits counted when it was queued.
 * @param signal aborts when the job is cancelled or the server closes; the job may start again then, with the same estimate.
 */
export function readJob(
  { rateLimits }: AnswerContext,
  job: Job,
  principal: Principal,
  { value, text }: JsonBody,
  signal: AbortSignal,
): Asking {
  return {
    principal,
    requestId: job.id,
    route: { path: job.endpoint, acl: "chat" },
    body: value,
    bodyText: text,
    isLine: false,
    header: () => "",
    signal,
    reserve: (modelId, _prompt, endUser) => rateLimits.resume(job.id, principal, modelId, endUser),
    release(reservation) {
      if (signal.aborted) rateLimits.park(job.id, reservation);
      else reservation.reconcile(noUsage);
    },
  };
}
