/** Batches over the queue of their lines: the service, its steps, and the check that a key may still use the model of a line. */
import type { Authenticator } from "../../accounts/authentication/authenticate-key.js";
import { authorise, modelNames } from "../../accounts/principals/permissions.js";
import { modelNotFound, HearthError } from "../../core/errors.js";
import { parseJson } from "../../core/json/parse-json.js";
import type { BodyBudget } from "../../core/requests/body-budget.js";
import type { JobHandler, PreparedJob } from "../handler.js";
import { createBatchAdmission } from "./admission.js";
import { type BatchesDeps, createBatches } from "./batches.js";
import type { ParseJson } from "./input.js";
import { findEndpointAcl, admitLine } from "./line-request.js";
import { BatchProgress, type ProgressDeps } from "./progress.js";
import type { JobQueue } from "../queue.js";
import type { Write } from "../../store/writes.js";
import type { Job } from "../job.js";
import type { Batch, BatchLine, EndedLine } from "./batch.js";
import type { LineContext } from "./admitted-line.js";
import { errored, type ResultLine, succeeded } from "./results.js";
import type { BatchStore } from "./store/batches.js";
import type { BatchLineStore } from "./store/lines.js";
import type { CountedTokens } from "../../core/requests/counted-tokens.js";

const noTokens: CountedTokens = {
  promptTokens: 0,
  cachedTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
};

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

// How the queue answers a line of a batch: as a run like any other, at the lowest priority. Its result is written, and the next line
// queued, in the transaction that settles the run: a process that dies loses no line and charges none twice. Limits of the key and the
// team postpone a line instead of refusing it.

interface BatchLineHandlerDeps extends LineContext {
  readonly authenticator: Authenticator;
  readonly batches: BatchStore;
  readonly lines: BatchLineStore;
  /** Called when a line is no longer in flight. */
  readonly onEnded: (batchId: string) => void;
}

/** Builds the handler of batch lines. */
function batchLineHandler(deps: BatchLineHandlerDeps): JobHandler {
  return {
    kind: "batch-line",
    workClass: "batch",
    async prepare(job, signal, place) {
      const found = await find(deps, job);
      if (found === null) return null;
      if (found.batch.state !== "in_progress" || deps.clock.now() >= found.batch.expireTime) throw stopped();
      await place.reserve(found.line.body.length);
      return prepare(deps, job, found, signal);
    },
    async failure(job, error) {
      const found = await find(deps, job);
      if (found === null) return { writes: [] };
      const { batch, line } = found;
      if (error.code === stoppedCode) return { writes: [deps.lines.unqueuing(batch.id, line.line)] };
      const result = errored(resultLine(found), error);
      const place = { batchId: batch.id, line: line.line };
      return { writes: ending(deps, { ...place, state: "errored", result, tokens: noTokens }) };
    },
    ended: (job) => deps.onEnded(readPlace(job).batch),
  };
}

interface FoundLine {
  readonly batch: Batch;
  readonly line: BatchLine;
}

const stoppedCode = "batch_stopped";

/** The line is not answered, because its batch was cancelled or has expired. It has no result of its own. */
function stopped(): HearthError {
  return new HearthError("conflict", "The batch takes no more lines.", { code: stoppedCode });
}

function readPlace({ body }: Job): { readonly batch: string; readonly line: number } {
  return JSON.parse(body) as { readonly batch: string; readonly line: number };
}

/** Returns the line of a job; null when it was answered or deleted. */
async function find({ batches, lines }: BatchLineHandlerDeps, job: Job): Promise<FoundLine | null> {
  const place = readPlace(job);
  const batch = await batches.find(place.batch);
  const line = await lines.findQueued(place.batch, place.line);
  return batch === null || line === null ? null : { batch, line };
}

async function prepare(
  app: BatchLineHandlerDeps,
  job: Job,
  found: FoundLine,
  signal: AbortSignal,
): Promise<PreparedJob> {
  const { batch, line } = found;
  const principal = await app.authenticator.readmit(job.apiKeyId);
  const { endpoint } = batch;
  const place = { batchId: batch.id, line: line.line };
  const run = await admitLine(app, { endpoint, body: line.body, principal, requestId: job.id, signal });
  return {
    principal,
    tokenReservation: run.reservation,
    start: (context) => run.start(context),
    recorder: {
      add: (event) => run.add(event),
      writes(end) {
        if (end.state !== "completed") {
          const result = errored(resultLine(found), end.failure ?? abandoned());
          return ending(app, { ...place, state: "errored", result, tokens: noTokens });
        }
        const more = run.writes(end);
        const answer = run.answer();
        const result = succeeded(resultLine(found), answer, run.warnings());
        const tokens = readAnswerTokens(answer);
        return [...more, ...ending(app, { ...place, state: "succeeded", result, tokens })];
      },
    },
    ended: () => undefined,
  };
}

/** Returns the writes that end a line and queue the next one. */
function ending({ batches, lines, clock }: BatchLineHandlerDeps, ended: EndedLine): readonly Write[] {
  return [lines.ending(ended), batches.counting(ended), ...batches.queueNext(ended.batchId, clock.now())];
}

function resultLine({ batch, line }: FoundLine): ResultLine {
  return { batchId: batch.id, format: batch.format, line: line.line, customId: line.customId };
}

function abandoned(): HearthError {
  return new HearthError("internal", "The request was ended before its answer was complete.");
}

interface AnswerUsage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number };
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number };
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly input_tokens_details?: { readonly cached_tokens?: number };
  readonly output_tokens_details?: { readonly reasoning_tokens?: number };
}

/** Returns the tokens of an answer of any endpoint. @param answer JSON text. */
function readAnswerTokens(answer: string): CountedTokens {
  const { usage = {} } = JSON.parse(answer) as { readonly usage?: AnswerUsage };
  const prompt = usage.prompt_tokens_details ?? usage.input_tokens_details;
  const completion = usage.completion_tokens_details ?? usage.output_tokens_details;
  const reasoningTokens = completion?.reasoning_tokens ?? 0;
  return {
    promptTokens: usage.prompt_tokens ?? usage.input_tokens ?? 0,
    cachedTokens: prompt?.cached_tokens ?? 0,
    // In chat completions, reasoning is no part of the completion tokens.
    completionTokens: usage.output_tokens ?? (usage.completion_tokens ?? 0) + reasoningTokens,
    reasoningTokens,
  };
}
