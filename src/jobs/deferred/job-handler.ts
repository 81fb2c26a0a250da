/** How the queue processes a deferred completion: its request is parsed again, answered as a whole, and the answer stored. */
import { endUserOf } from "../../core/requests/labels.js";
import { authorise, modelNames } from "../../accounts/keys/permissions.js";
import type { Authenticator } from "../../accounts/authentication/authenticate-key.js";
import type { RateLimits } from "../../accounts/limits/rate-limits.js";
import type { Clock } from "../../core/clock.js";
import type { EndedOutcome } from "./deferred-completion.js";
import type { DeferredStore } from "./store.js";
import { parseJson } from "../../core/json/parse-json.js";
import type { BodyBudget } from "../../core/requests/body-budget.js";
import type { HearthError } from "../../core/errors.js";
import type { Job } from "../job.js";
import type { ModelRegistry } from "../../core/model.js";
import type { Write } from "../../store/writes.js";
import { foldCompletion } from "../../dialects/openai-chat/encode.js";
import { parseChatRequest } from "../../dialects/openai-chat/parse.js";
import { cancelled, writeFailure } from "./deferred-completions.js";
import { completionInsertion } from "../../answers/chat/completion-recorder.js";
import type { StoredCompletions } from "../../inference/completions/stored-completions.js";
import type { Generator } from "../../inference/run/generate.js";
import { toJobRun, type JobHandler, type PreparedJob } from "../handler.js";
import { ownerOf } from "../../inference/stored-owner.js";
import { usableModel } from "../../inference/run/usable-model.js";

export interface DeferredCompletionHandlerDeps {
  readonly authenticator: Authenticator;
  readonly rateLimits: Pick<RateLimits, "resume">;
  readonly deferred: Pick<DeferredStore, "ending">;
  readonly storedCompletions: Pick<StoredCompletions, "insertion">;
  readonly models: ModelRegistry;
  readonly generator: Pick<Generator, "start">;
  readonly bodyBudget: BodyBudget;
  readonly clock: Clock;
  /** How long an outcome can be fetched. */
  readonly outcomeKeptMs: number;
}

/** Builds the handler of deferred completions. */
export function deferredCompletionHandler(deps: DeferredCompletionHandlerDeps): JobHandler {
  const { authenticator, rateLimits, deferred, storedCompletions, models, clock, generator, bodyBudget } =
    deps;
  const ending = (job: Job, outcome: EndedOutcome): Write =>
    deferred.ending(job.id, outcome, clock.now() + deps.outcomeKeptMs);
  const failed = (job: Job, error: HearthError): Write =>
    ending(job, { state: "failed", failure: writeFailure(error) });
  return {
    kind: "deferred-completion",
    workClass: "deferred",
    failure: (job, error) => Promise.resolve({ writes: [failed(job, error)] }),
    async prepare(job): Promise<PreparedJob> {
      const principal = await authenticator.readmit(job.apiKeyId);
      const { value, text } = await bodyBudget.work(job.body.length, () => parseJson(Buffer.from(job.body)));
      const { request, callsAsFunction, textTools, stored } = parseChatRequest(value, text);
      const model = usableModel(models, request.model);
      authorise(principal, { endpoint: "chat", model: modelNames(request.model, model) });
      const { choices } = request;
      const endUser = endUserOf(request.labels);
      const fold = foldCompletion({
        id: job.id,
        created: Math.floor(job.createTime / 1000),
        model,
        modelName: request.model,
        choices,
        callsAsFunction,
        textTools,
      });
      return {
        principal,
        start: (context) => toJobRun(generator.start(request, context)),
        tokenReservation: await rateLimits.resume(job.id, principal, model.manifest.id, endUser),
        recorder: {
          add: (event) => fold.add(event),
          writes({ state, failure }) {
            if (state !== "completed") return [failed(job, failure ?? cancelled())];
            const answer = fold.result();
            const done = ending(job, { state: "done", answer: JSON.stringify(answer) });
            if (stored === null) return [done];
            const owner = { ...ownerOf(principal), createTime: job.createTime, stored };
            return [done, completionInsertion(storedCompletions, owner, answer)];
          },
        },
        ended: () => undefined,
      };
    },
  };
}
