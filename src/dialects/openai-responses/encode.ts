/**
 * Encodes generation events as the response of POST /v1/responses. One encoder emits stream events and keeps the current
 * response; the JSON response is the one in the last event, so both forms always have the same content. Pure.
 */
import type { AnswerName } from "../openai-answer.js";
import type { HearthError } from "../../core/errors.js";
import type { FinishReason } from "../../core/generation.js";
import type { RunEvent } from "../../core/run-event.js";
import type { AnswerEvent } from "../../core/tools/server-call.js";
import { noUsage, type Usage } from "../../core/usage.js";
import { responseError } from "./errors.js";
import type { ResponseEvent } from "./event-schema.js";
import { createSequence } from "./items/item-events.js";
import { OutputWriter } from "./items/output.js";
import type { ResponsesRequest } from "./parse.js";
import { repeatedFields } from "./settings.js";
import { encodeResponseUsage } from "./usage.js";
import type { ResponseObject } from "./response-schema.js";

/** The properties of a response that do not come from its events. */
export interface ResponseIdentity extends AnswerName {
  readonly request: ResponsesRequest;
  /** Returns Unix seconds; called once, when the answer is complete. */
  readonly now: () => number;
}

/** Emits no events after the response has ended. */
export interface ResponseEncoder {
  /** Returns the first events of the stream; called once, before all other methods. */
  open(): readonly ResponseEvent[];
  add(event: RunEvent): readonly ResponseEvent[];
  /** Ends the response with an error. @param finalUsage of the run that has ended; absent: as of the last event */
  fail(error: HearthError, finalUsage?: Usage | null): readonly ResponseEvent[];
  /** Ends the response as cancelled. @param finalUsage as above */
  cancel(finalUsage?: Usage | null): readonly ResponseEvent[];
  /** Returns the response in its current state. */
  response(): ResponseObject;
}

/** The fields that change while the answer is generated. */
type ResponseState = Pick<ResponseObject, "status" | "completed_at" | "error" | "incomplete_details">;

type EndingType = "response.completed" | "response.incomplete" | "response.failed";

export function createResponseEncoder(identity: ResponseIdentity): ResponseEncoder {
  const { request } = identity;
  const nextSequenceNumber = createSequence();
  const output = new OutputWriter({ responseId: identity.id, request, nextSequenceNumber });
  let usage: Usage = noUsage;
  let started = false;
  let ended = false;
  let state: ResponseState = toState(request.background ? "queued" : "in_progress");
  const response = (): ResponseObject =>
    toResponse(identity, state, output.items(), ended ? encodeResponseUsage(usage, identity.model) : null);
  const lifecycleEvent = (
    type: "response.created" | "response.queued" | "response.in_progress" | EndingType,
  ): ResponseEvent => ({ type, sequence_number: nextSequenceNumber(), response: response() });
  const begin = (): readonly ResponseEvent[] => {
    started = true;
    state = toState("in_progress");
    return [lifecycleEvent("response.in_progress"), ...output.opening(request.opening)];
  };
  const end = (type: EndingType, endState: ResponseState, final?: Usage | null): readonly ResponseEvent[] => {
    if (ended) return [];
    usage = final ?? usage;
    const closed = output.close(endState.status === "completed" ? "completed" : "incomplete");
    ended = true;
    state = endState;
    return [...closed, lifecycleEvent(type)];
  };
  return {
    open: () => openingTypes(request).map((type) => lifecycleEvent(type)),
    add(event) {
      if (ended) return [];
      usage = event.usage;
      const first = started || event.type === "generation-end" ? [] : begin();
      // Each turn of the model has one; the response starts once.
      if (event.type === "generation-start") return first;
      if (event.type !== "generation-end") return [...first, ...encodeOutput(output, event)];
      // A stop text ends the response, also where it cuts a call or a required format.
      const finished = event.stopSequence === null ? event.finishReason : "stop_sequence";
      const endState = endStates[finished](identity.now);
      return end(endState.status === "completed" ? "response.completed" : "response.incomplete", endState);
    },
    fail: (error, finalUsage) => end("response.failed", failedState(error), finalUsage),
    cancel: (finalUsage) => end("response.incomplete", cancelledState(), finalUsage),
    response,
  };
}

function failedState(error: HearthError): ResponseState {
  return { ...toState("in_progress"), status: "failed", error: responseError(error) };
}

function cancelledState(): ResponseState {
  return { ...toState("in_progress"), status: "cancelled" };
}

function openingTypes({ background }: ResponsesRequest) {
  const created = ["response.created"] as const;
  return background ? ([...created, "response.queued"] as const) : created;
}

type OutputEvent = Exclude<AnswerEvent, { type: "generation-start" | "generation-end" }>;

function encodeOutput(output: OutputWriter, event: OutputEvent): readonly ResponseEvent[] {
  switch (event.type) {
    case "reasoning-delta":
      return output.reasoning(event.text);
    case "text-delta":
      return output.text(event.text, event.logprobs ?? []);
    case "tool-call-start":
      return output.call(event.index, event.id, event.name);
    case "tool-call-delta":
      return output.argument(event.index, event.arguments);
    case "tool-call-end":
      return output.callEnd(event.index);
    case "server-call-start":
      return output.serverCallStart(event.index);
    case "server-call-end":
      return output.serverCallEnd(event.index, event.result);
    case "conversation-compacted":
      return output.compaction(event.summary);
  }
}

function toState(status: ResponseState["status"]): ResponseState {
  return { status, completed_at: null, error: null, incomplete_details: null };
}

const completed = (now: () => number): ResponseState => ({ ...toState("completed"), completed_at: now() });
const truncated = (): ResponseState => ({
  ...toState("incomplete"),
  incomplete_details: { reason: "max_output_tokens" },
});
const withheld = (): ResponseState => ({
  ...toState("incomplete"),
  incomplete_details: { reason: "content_filter" },
});
const endStates: Readonly<Record<FinishReason, (now: () => number) => ResponseState>> = {
  stop: completed,
  stop_sequence: completed,
  tool_calls: completed,
  length: truncated,
  content_filter: withheld,
};

function toResponse(
  { id, created, model, modelName, request }: ResponseIdentity,
  state: ResponseState,
  output: ResponseObject["output"],
  usage: ResponseObject["usage"],
): ResponseObject {
  const { user, ...settings } = repeatedFields(request.settings, model);
  return {
    id,
    object: "response",
    created_at: created,
    completed_at: state.completed_at,
    conversation: request.conversationId === null ? undefined : { id: request.conversationId },
    status: state.status,
    background: request.background,
    error: state.error,
    incomplete_details: state.incomplete_details,
    model: modelName,
    output,
    previous_response_id: request.previousResponseId,
    service_tier: "default",
    store: request.store,
    ...settings,
    usage,
    user,
  };
}
