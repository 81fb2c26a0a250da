import type { Principal } from "../accounts/principals/api-key.js";
import type { AnswerContext } from "../answers/context.js";
import type { Asking } from "../answers/endpoint.js";
import type { JsonBody } from "../core/json/parse-json.js";
import { endUserOf } from "../core/requests/labels.js";
import { noUsage } from "../core/usage.js";
import { usableModel } from "../inference/usable-model.js";
import type { Job } from "./job.js";

/**
 * Returns the request of a job, which the limits counted when it was queued.
 * @param signal aborts when the job is cancelled or the server closes; the job may start again then, with the same estimate.
 */
export function readJob(
  { rateLimits, models }: Pick<AnswerContext, "rateLimits" | "models">,
  job: Pick<Job, "id" | "endpoint">,
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
    reserve(model, { labels }) {
      const { id } = usableModel(models, model).manifest;
      return rateLimits.resume(job.id, principal, id, endUserOf(labels));
    },
    release(reservation) {
      if (signal.aborted) rateLimits.park(job.id, reservation);
      else reservation.reconcile(noUsage);
    },
  };
}
