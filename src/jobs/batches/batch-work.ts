/** Batches over the queue of their lines: the service, its steps, and the check that a key may still use the model of a line. */
import type { Authenticator } from "../../accounts/authentication/authenticate-key.js";
import { authorise, modelNames } from "../../accounts/principals/permissions.js";
import { modelNotFound } from "../../core/errors.js";
import { parseJson } from "../../core/json/parse-json.js";
import type { BodyBudget } from "../../core/requests/body-budget.js";
import type { JobHandler } from "../handler.js";
import { createBatchAdmission } from "./admission.js";
import { type BatchesDeps, createBatches } from "./batches.js";
import { batchLineHandler, type BatchLineHandlerDeps } from "./job-handler.js";
import type { ParseJson } from "./input.js";
import { findEndpointAcl } from "./line-request.js";
import { BatchProgress, type ProgressDeps } from "./progress.js";
import type { JobQueue } from "../queue.js";

type BatchParts = Omit<BatchLineHandlerDeps, "onEnded" | "parseJson"> &
  Omit<BatchesDeps, "parseJson" | "modelCheck" | "admit"> & {
    readonly createQueue: (handler: JobHandler) => JobQueue;
    readonly bodyBudget: BodyBudget;
  };

export function createBatchWork(parts: BatchParts) {
  const admit = createBatchAdmission(parts);
  const modelCheck = createModelCheck(parts, parts.authenticator);
  const deps = { ...parts, parseJson: parseInTurn(parts.bodyBudget), modelCheck, admit };
  const progress = new BatchProgress(deps, () => queue);
  const queue = parts.createQueue(
    batchLineHandler({ ...deps, onEnded: (batchId) => progress.advance(batchId) }),
  );
  return {
    batches: createBatches(deps, progress),
    async start(): Promise<void> {
      await queue.start();
      await progress.start();
    },
    wake: (): void => queue.wake(),
    async close(): Promise<void> {
      await queue.close();
      await progress.close();
    },
  };
}

/** Returns the function that parses large lines one at a time. */
function parseInTurn(budget: BodyBudget): ParseJson {
  return (bytes) => budget.work(bytes.length, () => parseJson(bytes));
}

function createModelCheck({ models }: BatchParts, authenticator: Authenticator): ProgressDeps["modelCheck"] {
  return async ({ apiKeyId, endpoint }) => {
    const principal = await authenticator.readmit(apiKeyId);
    return (name) => {
      const model = models.find(name);
      authorise(principal, { endpoint: findEndpointAcl(endpoint), model: modelNames(name, model) });
      if (model === null) throw modelNotFound(name);
    };
  };
}
