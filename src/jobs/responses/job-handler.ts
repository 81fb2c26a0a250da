/**
 * Background responses as the queue makes them: the request is read again, answered from what was stored with it, and each
 * event told to whoever follows. The last events are told when they are written, so that what was told to be complete is there.
 */
import { deflateRawSync } from "node:zlib";
import type { Authenticator } from "../../accounts/authentication/authenticate-key.js";
import { authorise } from "../../accounts/keys/permissions.js";
import type { RateLimits } from "../../accounts/limits/rate-limits.js";
import type { Clock } from "../../core/clock.js";
import { HearthError } from "../../core/errors.js";
import type { Job } from "../job.js";
import type { ModelRegistry } from "../../core/model.js";
import { isUnended, type StoredResponse } from "../../inference/responses/stored-response.js";
import type { Write } from "../../store/write.js";
import { createResponseEncoder, type ResponseEncoder } from "../../dialects/openai-responses/encode.js";
import { endedResponse, endingEvent } from "../../dialects/openai-responses/ending.js";
import {
  generationRequest,
  parseResponsesRequest,
  type ResponsesRequest,
} from "../../dialects/openai-responses/parse.js";
import type { ResponseObject } from "../../dialects/openai-responses/wire.js";
import type { Trade, Undertaking } from "../queue.js";
import type { Keeper } from "../../inference/run/recorder.js";
import type { Memory } from "../../inference/responses/stored-responses.js";
import { usableModel } from "../../inference/run/usable-model.js";
import { read, toStore } from "./conversation-items.js";
import { endedStatus, finish } from "./response-recorder.js";
import type { Logger } from "../../core/logger.js";

export interface ResponseTradeDeps {
  readonly authenticator: Authenticator;
  readonly rateLimits: Pick<RateLimits, "takeUp">;
  readonly memory: Memory;
  readonly models: ModelRegistry;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What the queue does for a background response. */
export function responseTrade(deps: ResponseTradeDeps): Trade {
  const { memory } = deps;
  return {
    kind: "background-response",
    workClass: "background",
    async undertake(job) {
      const stored = await find(memory, job);
      if (stored === null) return null;
      // The stream that its client has begun to read would go on from another one's middle.
      if (stored.streamed && stored.status === "in_progress") throw interrupted();
      return undertake(deps, job, stored);
    },
    async failure(job, error) {
      const stored = await find(memory, job);
      return stored === null ? [] : endUnbegun(memory, stored, error);
    },
  };
}

/**
 * Ends a background response that no run is at work on, and tells whoever follows.
 * @param because an error, or null when it was cancelled. @returns what is to be written.
 */
export function endUnbegun(
  memory: Memory,
  stored: StoredResponse,
  because: HearthError | null,
): readonly Write[] {
  const response = endedResponse(JSON.parse(stored.body) as ResponseObject, because);
  const log = memory.logs.find(stored.id);
  log?.append(endingEvent(response, log.length));
  memory.logs.close(stored.id);
  const body = JSON.stringify(response);
  return memory.ending(stored.id, { status: endedStatus(response), body, output: [], events: null });
}

/** The response of a job, unless it has ended or is gone. */
async function find(memory: Memory, { id, teamId }: Job): Promise<StoredResponse | null> {
  try {
    const stored = await memory.find(id, teamId);
    return isUnended(stored) ? stored : null;
  } catch (thrown) {
    if (thrown instanceof HearthError && thrown.kind === "not_found") return null;
    throw thrown;
  }
}

async function undertake(deps: ResponseTradeDeps, job: Job, stored: StoredResponse): Promise<Undertaking> {
  const { authenticator, rateLimits, models, memory, clock } = deps;
  const request = parseResponsesRequest(JSON.parse(job.body));
  const model = usableModel(models, request.model);
  const principal = await authenticator.readmit(job.apiKeyId);
  authorise(principal, { endpoint: "chat", model: model.manifest.id, modelAsWritten: request.model });
  const encoder = createResponseEncoder({
    id: job.id,
    created: Math.floor(stored.createTime / 1000),
    model,
    request,
    now: () => Math.floor(clock.now() / 1000),
  });
  const { previousId, teamId } = stored;
  const before = previousId === null ? [] : await memory.conversation(previousId, teamId);
  return {
    principal,
    admission: await rateLimits.takeUp(job.id, principal, model.manifest.id),
    request: generationRequest(request, read([...before, ...(await memory.input(stored))])),
    ...tell(deps, job.id, request, encoder),
  };
}

/** Keeps the answer, and tells it to followers where its client asked for a stream. */
function tell(
  { memory, logger }: ResponseTradeDeps,
  id: string,
  request: ResponsesRequest,
  encoder: ResponseEncoder,
): Pick<Undertaking, "keeper" | "ended"> {
  const log = request.stream ? memory.logs.open(id) : null;
  const opening = encoder.open();
  if (log?.length === 0) log.append(...opening);
  let last: readonly object[] = [];
  let begun = false;
  const keeper: Keeper = {
    add(event) {
      const events = encoder.add(event);
      if (event.type === "generation-end") last = events;
      else log?.append(...events);
      if (event.type !== "generation-start") return;
      begun = true;
      memory.begin(id, JSON.stringify(encoder.response())).catch((thrown: unknown) => {
        logger.error({ jobId: id, err: thrown }, "a response could not be marked as begun");
      });
    },
    writes(end) {
      last = [...last, ...finish(encoder, end)];
      const response = encoder.response();
      return memory.ending(id, {
        status: endedStatus(response),
        body: JSON.stringify(response),
        output: response.output.map(toStore),
        events: log === null ? null : deflateRawSync(JSON.stringify([...log.items(), ...last])),
      });
    },
  };
  return {
    keeper,
    ended(outcome) {
      if (outcome === "written") log?.append(...last);
      // One that was put back unbegun is told of from where it was.
      if (outcome === "written" || begun) memory.logs.close(id);
    },
  };
}

function interrupted(): HearthError {
  return new HearthError(
    "internal",
    "The server stopped while it made this response, so its stream cannot go on. Please ask again.",
  );
}
