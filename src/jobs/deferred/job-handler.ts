/** Deferred completions as the queue makes them: the request is read again, answered whole, and the answer kept. */
import { authorise } from "../../accounts/keys/permissions.js";
import type { Authenticator } from "../../accounts/authentication/authenticate-key.js";
import type { RateLimits } from "../../accounts/limits/rate-limits.js";
import type { Clock } from "../../core/clock.js";
import type { DeferredOutcome, DeferredStore } from "./deferred-completion.js";
import { HearthError } from "../../core/errors.js";
import type { Job } from "../job.js";
import type { ModelRegistry } from "../../core/model.js";
import type { Write } from "../../store/write.js";
import { foldCompletion } from "../../dialects/openai-chat/encode.js";
import { parseChatRequest } from "../../dialects/openai-chat/parse.js";
import { deferredKeptMs, writeFailure } from "./deferred-completions.js";
import type { Trade, Undertaking } from "../queue.js";
import { usableModel } from "../../inference/run/usable-model.js";

export interface DeferredTradeDeps {
  readonly authenticator: Authenticator;
  readonly rateLimits: Pick<RateLimits, "takeUp">;
  readonly deferred: DeferredStore;
  readonly models: ModelRegistry;
  readonly clock: Clock;
}

/** What the queue does for a deferred completion. */
export function deferredTrade(deps: DeferredTradeDeps): Trade {
  const { authenticator, rateLimits, deferred, models, clock } = deps;
  const ending = (job: Job, outcome: Exclude<DeferredOutcome, { state: "pending" }>): Write =>
    deferred.ending(job.id, outcome, clock.now() + deferredKeptMs);
  const failed = (job: Job, error: HearthError): Write =>
    ending(job, { state: "failed", failure: writeFailure(error) });
  return {
    kind: "deferred-completion",
    workClass: "deferred",
    failure: (job, error) => Promise.resolve([failed(job, error)]),
    async undertake(job): Promise<Undertaking> {
      const { request, callsAsFunction } = parseChatRequest(JSON.parse(job.body));
      const model = usableModel(models, request.model);
      const principal = await authenticator.readmit(job.apiKeyId);
      authorise(principal, { endpoint: "chat", model: model.manifest.id, modelAsWritten: request.model });
      const { choices } = request;
      const created = Math.floor(job.createTime / 1000);
      const fold = foldCompletion({ id: job.id, created, model, choices, callsAsFunction });
      return {
        principal,
        request,
        admission: await rateLimits.takeUp(job.id, principal, model.manifest.id),
        keeper: {
          add: (event) => fold.add(event),
          writes: ({ state, failure }) => [
            state === "completed"
              ? ending(job, { state: "done", answer: JSON.stringify(fold.result()) })
              : failed(job, failure ?? abandoned()),
          ],
        },
        ended: () => undefined,
      };
    },
  };
}

function abandoned(): HearthError {
  return new HearthError("internal", "The completion was given up before it came to its end.");
}
