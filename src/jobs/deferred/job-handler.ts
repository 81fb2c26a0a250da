/** How the queue processes a deferred completion: its request is parsed again, answered as a whole, and the answer stored. */
import type { Authenticator } from "../../accounts/authentication/authenticate-key.js";
import { admit } from "../../answers/admit.js";
import { chat } from "../../answers/chat.js";
import type { AnswerContext } from "../../answers/context.js";
import { loadNothing } from "../../answers/endpoint.js";
import { prepareAnswer } from "../../answers/deliver.js";
import type { HearthError } from "../../core/errors.js";
import { parseJson } from "../../core/json/parse-json.js";
import type { BodyBudget } from "../../core/requests/body-budget.js";
import type { Write } from "../../store/writes.js";
import { toJobRun, type JobHandler, type PreparedJob } from "../handler.js";
import { readJob } from "../job-request.js";
import type { Job } from "../job.js";
import type { EndedOutcome } from "./deferred-completion.js";
import { cancelled, writeFailure } from "./deferred-completions.js";
import type { DeferredStore } from "./store.js";

interface DeferredCompletionHandlerDeps extends AnswerContext {
  readonly authenticator: Authenticator;
  readonly deferred: DeferredStore;
  readonly bodyBudget: BodyBudget;
  /** How long an outcome can be fetched. */
  readonly outcomeKeptMs: number;
}

/** The request was read with the contents of its files, and there was room to store its answer, when it was queued. */
const deferredChat: typeof chat = {
  ...chat,
  takesFiles: false,
  load: loadNothing,
};

/** Builds the handler of deferred completions. */
export function deferredCompletionHandler(app: DeferredCompletionHandlerDeps): JobHandler {
  const { authenticator, deferred, clock, bodyBudget } = app;
  const ending = (job: Job, outcome: EndedOutcome): Write =>
    deferred.ending(job.id, outcome, clock.now() + app.outcomeKeptMs);
  const failed = (job: Job, error: HearthError): Write =>
    ending(job, { state: "failed", failure: writeFailure(error) });
  return {
    kind: "deferred-completion",
    workClass: "deferred",
    failure: (job, error) => Promise.resolve({ writes: [failed(job, error)] }),
    async prepare(job, signal): Promise<PreparedJob> {
      const principal = await authenticator.readmit(job.apiKeyId);
      const body = await bodyBudget.work(job.body.length, () => parseJson(Buffer.from(job.body)));
      const admitted = await admit(app, deferredChat, readJob(app, job, principal, body, signal));
      const answer = prepareAnswer(app, deferredChat, admitted, { id: job.id, createTime: job.createTime });
      const json = answer.presenter.json();
      return {
        principal,
        start: (context) => toJobRun(answer.start(context)),
        tokenReservation: admitted.reservation,
        recorder: {
          add(event) {
            json.add(event);
            answer.presenter.recorder?.add(event);
          },
          writes(end) {
            if (end.state !== "completed") return [failed(job, end.failure ?? cancelled())];
            const done = ending(job, { state: "done", answer: JSON.stringify(json.body()) });
            return [done, ...(answer.presenter.recorder?.writes(end) ?? [])];
          },
        },
        ended: () => undefined,
      };
    },
  };
}
