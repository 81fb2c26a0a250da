/**
 * How the queue processes a background response: its request is parsed again, answered from the items stored with it, and each event
 * is sent to the clients that follow its stream. The last events are sent once they are written, so that a response that was reported
 * as complete can be fetched.
 */
import { endUserOf } from "../../core/requests/labels.js";
import { deflateRawSync } from "node:zlib";
import type { Authenticator } from "../../accounts/authentication/authenticate-key.js";
import { authorise, modelNames } from "../../accounts/keys/permissions.js";
import type { Principal } from "../../accounts/keys/api-key.js";
import type { RateLimits } from "../../accounts/limits/rate-limits.js";
import type { Clock } from "../../core/clock.js";
import { HearthError } from "../../core/errors.js";
import type { TokenReservation } from "../../core/limits.js";
import type { Model } from "../../core/model.js";
import type { Job } from "../job.js";
import type { Conversations } from "../../inference/conversations/conversations.js";
import {
  isUnfinished,
  type StoredItem,
  type StoredResponse,
} from "../../inference/responses/stored-response.js";
import { createResponseEncoder, type ResponseEncoder } from "../../dialects/openai-responses/encode.js";
import { endedResponse, endingEvent } from "../../dialects/openai-responses/ending.js";
import {
  generationRequest,
  parseResponsesRequest,
  withToolsOfItems,
  type ResponsesRequest,
} from "../../dialects/openai-responses/parse.js";
import type { ResponseObject } from "../../dialects/openai-responses/response-schema.js";
import type { Generator } from "../../inference/run/generate.js";
import { toJobRun, type JobEnding, type JobHandler, type PreparedJob } from "../handler.js";
import type { RunRecorder } from "../../inference/run/recorder.js";
import type { StoredResponses } from "../../inference/responses/stored-responses.js";
import { usableModel } from "../../inference/run/usable-model.js";
import { allOf, earlierItems, read, toStore, type RequestItems } from "../../answers/responses/conversation-items.js";
import { conversationItems, endedStatus, finish } from "../../answers/responses/response-recorder.js";
import { listMcpTools, type ListedRequest, type McpDeps } from "../../answers/responses/mcp.js";
import { serverToolOffer, serverToolsOf, type ServerToolDeps } from "../../answers/responses/server-tools.js";
import { parseJson } from "../../core/json/parse-json.js";
import type { BodyBudget, BodyPlace } from "../../core/requests/body-budget.js";
import type { Logger } from "../../core/logger.js";
import { noUsage } from "../../core/usage.js";
import type { McpApprovals } from "../../answers/mcp/approvals.js";

export interface BackgroundResponseHandlerDeps extends ServerToolDeps, McpDeps {
  readonly authenticator: Authenticator;
  readonly rateLimits: Pick<RateLimits, "resume" | "park" | "admitRequest" | "admitModelRequest">;
  readonly storedResponses: StoredResponses;
  readonly conversations: Conversations;
  readonly generator: Pick<Generator, "start" | "refuse">;
  readonly mcpApprovals: McpApprovals;
  readonly bodyBudget: BodyBudget;
  readonly clock: Clock;
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
      if (stored.streams && stored.status === "in_progress") throw interrupted();
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
  deps: BackgroundResponseHandlerDeps,
  { job, stored, signal, place }: Preparing,
): Promise<PreparedJob> {
  const { authenticator, rateLimits, models, storedResponses } = deps;
  const principal = await authenticator.readmit(job.apiKeyId);
  const input = await storedResponses.input(stored);
  await place.reserve(input.reduce((chars, item) => chars + item.body.length, job.body.length));
  const { value, text } = await deps.bodyBudget.work(job.body.length, () => parseJson(Buffer.from(job.body)));
  // Stored with the contents of files and without references, which may have been deleted since.
  const body = { ...(value as object), input: read(input) };
  const { previousId: previousResponseId, conversationId, teamId } = stored;
  const before = await earlierItems(deps, { previousResponseId, conversationId }, teamId);
  const items = { before: read(before), ownInput: read(input) };
  const parsed = withToolsOfItems(
    parseResponsesRequest(body, text, serverToolOffer(deps, principal)),
    allOf(items),
  );
  // A new run would execute calls again that the one before has executed, and charge for them again.
  if (stored.status === "in_progress" && parsed.serverTools.length + parsed.mcpServers.length > 0)
    throw interrupted();
  const model = usableModel(models, parsed.model);
  authorise(principal, { endpoint: "chat", model: modelNames(parsed.model, model) });
  const endUser = endUserOf(parsed.generation.labels);
  const tokenReservation = await rateLimits.resume(job.id, principal, model.manifest.id, endUser);
  let listed: ListedRequest | null = null;
  try {
    // MCP servers are asked only for a request that may run.
    if (parsed.mcpServers.length > 0) await deps.generator.refuse(parsed, principal);
    listed = await listMcpTools(deps, parsed, items, signal);
    return preparedRun(deps, { job, stored, principal, model, items, input, listed, tokenReservation });
  } catch (thrown) {
    listed?.close();
    // The job may start again, with the same estimate.
    if (signal.aborted) rateLimits.park(job.id, tokenReservation);
    else tokenReservation.reconcile(noUsage);
    throw thrown;
  }
}

interface ListedJob extends Omit<Preparing, "signal" | "place">, Input {
  readonly principal: Principal;
  readonly model: Model;
  readonly items: RequestItems;
  readonly listed: ListedRequest;
  readonly tokenReservation: TokenReservation;
}

function preparedRun(deps: BackgroundResponseHandlerDeps, prepared: ListedJob): PreparedJob {
  const { job, stored, principal, model, items, input, listed, tokenReservation } = prepared;
  const { request } = listed;
  const serverTools = [...serverToolsOf(deps, request, principal), ...listed.mcpTools];
  const allowedCalls = listed.allowedCalls(deps.mcpApprovals, stored.teamId);
  const encoder = createResponseEncoder({
    id: job.id,
    created: Math.floor(stored.createTime / 1000),
    model,
    modelName: request.model,
    request,
    now: () => Math.floor(deps.clock.now() / 1000),
  });
  const generation = generationRequest(request, allOf(items));
  const { conversationId } = stored;
  const recording = recorderFor(deps, { id: job.id, conversationId, input }, request, encoder);
  return {
    principal,
    tokenReservation,
    start: (context) => toJobRun(deps.generator.start(generation, { ...context, serverTools, allowedCalls })),
    ...recording,
    ended(outcome) {
      listed.close();
      recording.ended(outcome);
    },
  };
}

interface Input {
  readonly input: readonly StoredItem[];
}

/** Builds what stores the answer, and appends its events to the log when its client requested a stream. */
function recorderFor(
  { storedResponses, conversations, logger }: BackgroundResponseHandlerDeps,
  { id, conversationId, input }: Pick<StoredResponse, "id" | "conversationId"> & Input,
  request: ResponsesRequest,
  encoder: ResponseEncoder,
): Pick<PreparedJob, "recorder" | "ended"> {
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
