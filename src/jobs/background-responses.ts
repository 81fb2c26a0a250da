/**
 * How the queue processes a background response: its request is parsed again, answered from the items stored with it, and each event
 * is sent to the clients that follow its stream. The last events are sent once they are written, so that a response that was reported
 * as complete can be fetched.
 */
import { deflateRawSync } from "node:zlib";
import type { Authenticator } from "../accounts/authentication/authenticate-key.js";
import { HearthError } from "../core/errors.js";
import type { Job } from "./job.js";
import {
  isUnfinished,
  type StoredItem,
  type StoredResponse,
} from "../inference/responses/stored-response.js";
import { createResponseEncoder, type ResponseEncoder } from "../dialects/openai-responses/encode.js";
import { endedResponse, endingEvent } from "../dialects/openai-responses/ending.js";
import { type ResponsesRequest, withToolsOfItems } from "../dialects/openai-responses/parse.js";
import type { ResponseObject } from "../dialects/openai-responses/response-schema.js";
import { type JobEnding, type JobHandler, type PreparedJob, toJobRun } from "./handler.js";
import type { RunRecorder } from "../inference/run/run-record.js";
import type { StoredResponses } from "../inference/responses/stored-responses.js";
import { joinItems, earlierItems, read, toStore } from "../answers/responses/conversation-items.js";
import { conversationItems, endedStatus, finish } from "../answers/responses/response-recorder.js";
import { admit } from "../answers/admit.js";
import { prepareAnswer } from "../answers/deliver.js";
import type { AnswerContext } from "../answers/context.js";
import type { Presenter, TextEndpoint } from "../answers/endpoint.js";
import {
  identifyResponse,
  presentRecorded,
  type ReadResponse,
  readyResponse,
  type ResponseAnswer,
  responses,
} from "../answers/responses/responses.js";
import { readJob } from "./job-request.js";
import { parseJson } from "../core/json/parse-json.js";
import type { BodyBudget, BodyPlace } from "../core/requests/body-budget.js";
import type { Logger } from "../core/logger.js";

interface BackgroundResponseHandlerDeps extends AnswerContext {
  readonly authenticator: Authenticator;
  readonly bodyBudget: BodyBudget;
  readonly logger: Logger;
}

/** Builds the handler of background responses. */
export function backgroundResponseHandler(deps: BackgroundResponseHandlerDeps): JobHandler {
  const { storedResponses } = deps;
  return {
    kind: "background-response",
    workClass: "background",
    async prepare(job, signal, place) {
      const stored = await find(storedResponses, job);
      if (stored === null) return null;
      // A new run would generate another answer than the one whose stream its client has started to read.
      if (stored.streamed && stored.status === "in_progress") throw interrupted();
      return prepare(deps, { job, stored, signal, place });
    },
    async failure(job, error) {
      const stored = await find(storedResponses, job);
      return stored === null ? { writes: [] } : endWithoutRun(storedResponses, stored, error);
    },
  };
}

/**
 * Returns how a background response ends that has no run; clients that follow its stream see it once it is written, so that no other
 * begins to follow it then.
 * @param error null when it was cancelled.
 */
export function endWithoutRun(
  storedResponses: StoredResponses,
  stored: StoredResponse,
  error: HearthError | null,
): JobEnding {
  const response = endedResponse(JSON.parse(stored.body) as ResponseObject, error);
  const body = JSON.stringify(response);
  const ending = { status: endedStatus(response), body, output: [], events: null };
  return {
    writes: storedResponses.ending(stored.id, ending),
    written() {
      const log = storedResponses.logs.find(stored.id);
      log?.append(endingEvent(response, log.length));
      storedResponses.logs.close(stored.id);
    },
  };
}

/** Returns the response of a job; null when it has ended or was deleted. */
async function find(storedResponses: StoredResponses, { id, teamId }: Job): Promise<StoredResponse | null> {
  try {
    const stored = await storedResponses.find(id, teamId);
    return isUnfinished(stored) ? stored : null;
  } catch (thrown) {
    if (thrown instanceof HearthError && thrown.kind === "not_found") return null;
    throw thrown;
  }
}

/** A job that is prepared. */
interface Preparing {
  readonly job: Job;
  readonly stored: StoredResponse;
  /** Aborts when the job is cancelled or the server closes. */
  readonly signal: AbortSignal;
  /** Holds the bytes of its request. */
  readonly place: BodyPlace;
}

async function prepare(
  app: BackgroundResponseHandlerDeps,
  { job, stored, signal, place }: Preparing,
): Promise<PreparedJob> {
  const principal = await app.authenticator.readmit(job.apiKeyId);
  const input = await app.storedResponses.input(stored);
  await place.reserve(input.reduce((chars, item) => chars + item.body.length, job.body.length));
  const { value, text } = await app.bodyBudget.work(job.body.length, () => parseJson(Buffer.from(job.body)));
  // Stored with the contents of files and without references, which may have been deleted since.
  const whole = { ...(value as object), input: read(input) };
  const asking = readJob(app, job, principal, { value: whole, text }, signal);
  const endpoint = createEndpoint(app, { stored, input });
  const admitted = await admit(app, endpoint, asking);
  const answer = prepareAnswer(app, endpoint, admitted, { id: job.id, createTime: stored.createTime });
  const { presenter } = answer;
  return {
    principal,
    tokenReservation: admitted.reservation,
    start: (context) => toJobRun(answer.start(context)),
    recorder: presenter.recorder,
    ended(outcome) {
      admitted.ready.close?.();
      presenter.ended(outcome);
    },
  };
}

/** A response that has not ended, and the input items of its own request. */
interface StoredRequest {
  readonly stored: StoredResponse;
  readonly input: readonly StoredItem[];
}

/** Returns how a response is answered whose input is stored, and whose events are sent to those who follow its stream. */
function createEndpoint(
  app: BackgroundResponseHandlerDeps,
  { stored, input }: StoredRequest,
): TextEndpoint<ReadResponse, ResponseAnswer, BackgroundPresenter> {
  return {
    ...responses,
    takesFiles: false,
    async load(_asking, { request: parsed }) {
      const { id, previousId: previousResponseId, conversationId, teamId, createTime } = stored;
      const before = await earlierItems(app, { previousResponseId, conversationId }, teamId);
      const items = { before: read(before), ownInput: read(input) };
      const response = withToolsOfItems(parsed, joinItems(items));
      // A new run would execute calls again that the one before has executed, and charge for them again.
      if (stored.status === "in_progress" && response.serverTools.length + response.mcpServers.length > 0)
        throw interrupted();
      return readyResponse(response, items, { id, createTime });
    },
    present(ready, given) {
      const encoder = createResponseEncoder(identifyResponse(ready, given.model, app));
      return createPresenter(app, { stored, input }, ready.response, encoder);
    },
  };
}

/** Stores the answer with the end of its run. */
interface BackgroundPresenter extends Presenter {
  readonly recorder: RunRecorder;
  readonly ended: PreparedJob["ended"];
}

/** Builds what stores the answer, and appends its events to the log when its client requested a stream. */
function createPresenter(
  { storedResponses, conversations, logger }: BackgroundResponseHandlerDeps,
  { stored, input }: StoredRequest,
  request: ResponsesRequest,
  encoder: ResponseEncoder,
): BackgroundPresenter {
  const { id, conversationId } = stored;
  const log = request.stream ? storedResponses.logs.open(id) : null;
  const opening = encoder.open();
  if (log?.length === 0) log.append(...opening);
  if (log !== null) storedResponses.relay.announce(id);
  let last: readonly object[] = [];
  let started = false;
  const recorder: RunRecorder = {
    add(event) {
      const events = encoder.add(event);
      if (event.type === "generation-end") last = events;
      else log?.append(...events);
      if (started) return;
      started = true;
      storedResponses.markStarted(id, JSON.stringify(encoder.response())).catch((thrown: unknown) => {
        logger.error({ jobId: id, err: thrown }, "a response could not be marked as in progress");
      });
    },
    writes(end) {
      // Cancelled by the operator is cancelled, as it is by the client.
      const isCancelled = end.failure?.kind === "cancelled";
      last = [...last, ...(isCancelled ? encoder.cancel(end.usage) : finish(encoder, end))];
      const response = encoder.response();
      const ending = storedResponses.ending(id, {
        status: endedStatus(response),
        body: JSON.stringify(response),
        output: response.output.map(toStore),
        events: log === null ? null : deflateRawSync(JSON.stringify([...log.items(), ...last])),
      });
      if (conversationId === null) return ending;
      return [...ending, ...conversations.extension(conversationId, conversationItems(response, input))];
    },
  };
  return {
    json: () => presentRecorded(encoder),
    recorder,
    ended(outcome) {
      if (outcome === "written") log?.append(...last);
      // A requeued one that has not started continues its log.
      if (outcome === "written" || started) storedResponses.logs.close(id);
    },
  };
}

function interrupted(): HearthError {
  return new HearthError(
    "internal",
    "The server stopped while it generated this response and cannot continue it. Please send the request again.",
  );
}
