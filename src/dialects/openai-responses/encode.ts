/**
 * The answer of POST /v1/responses, from the house's events to the wire. One encoder tells events and knows what they add up
 * to: the JSON answer is the response that the last of them carries, so that both forms always say the same. Pure.
 */
import type { HearthError } from "../../core/errors.js";
import type { FinishReason, GenerationEvent } from "../../core/generation.js";
import type { Model } from "../../core/model.js";
import { addEvent, noUsage, type Usage } from "../../core/usage.js";
import { responseError } from "./errors.js";
import type { ResponseEvent } from "./event-schema.js";
import { createNumbering } from "./items/item-events.js";
import { OutputWriter } from "./items/output.js";
import type { ResponsesRequest } from "./parse.js";
import { encodeUsage } from "./usage.js";
import type { ResponseObject } from "./wire.js";

/** What one response is known by. */
export interface ResponseIdentity {
  /** `resp_` and 32 hex digits. */
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly model: Model;
  readonly request: ResponsesRequest;
  /** Unix seconds; asked once, when the answer is complete. */
  readonly now: () => number;
}

/** Once a response has ended, nothing more is told of it. */
export interface ResponseEncoder {
  /** The events that the answer opens with; called once, first. */
  open(): readonly ResponseEvent[];
  add(event: GenerationEvent): readonly ResponseEvent[];
  /** The answer ends with an error. */
  fail(error: HearthError): readonly ResponseEvent[];
  /** Somebody ends the answer where it is. */
  cancel(): readonly ResponseEvent[];
  /** The response as it stands now. */
  response(): ResponseObject;
}

/** What changes while an answer is made. */
type Standing = Pick<ResponseObject, "status" | "completed_at" | "error" | "incomplete_details">;

type EndingType = "response.completed" | "response.incomplete" | "response.failed";

/** Encodes one answer. */
export function createResponseEncoder(identity: ResponseIdentity): ResponseEncoder {
  const { request } = identity;
  const next = createNumbering();
  const output = new OutputWriter({
    responseId: identity.id,
    sealsReasoning: request.includesEncryptedReasoning,
    next,
  });
  let usage: Usage = noUsage;
  let ended = false;
  let standing: Standing = begun(request.background ? "queued" : "in_progress");
  const response = (): ResponseObject =>
    responseOf(identity, {
      ...standing,
      output: output.items(),
      usage: ended ? encodeUsage(usage, identity.model) : null,
    });
  const tell = (
    type: "response.created" | "response.queued" | "response.in_progress" | EndingType,
  ): ResponseEvent => ({ type, sequence_number: next(), response: response() });
  const end = (type: EndingType, how: Standing): readonly ResponseEvent[] => {
    if (ended) return [];
    const closed = output.close(how.status === "completed" ? "completed" : "incomplete");
    ended = true;
    standing = how;
    return [...closed, tell(type)];
  };
  return {
    open: () => [tell("response.created"), ...(request.background ? [tell("response.queued")] : [])],
    add(event) {
      if (ended) return [];
      usage = addEvent(usage, event);
      if (event.type === "generation-start") {
        standing = begun("in_progress");
        return [tell("response.in_progress")];
      }
      if (event.type !== "generation-end") return tellOutput(output, event);
      const how = endings[event.finishReason](identity.now);
      return end(how.status === "completed" ? "response.completed" : "response.incomplete", how);
    },
    fail: (error) =>
      end("response.failed", { ...begun("in_progress"), status: "failed", error: responseError(error) }),
    cancel: () => end("response.incomplete", { ...begun("in_progress"), status: "cancelled" }),
    response,
  };
}

type OutputEvent = Exclude<GenerationEvent, { type: "generation-start" | "generation-end" }>;

function tellOutput(output: OutputWriter, event: OutputEvent): readonly ResponseEvent[] {
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
  }
}

function begun(status: Standing["status"]): Standing {
  return { status, completed_at: null, error: null, incomplete_details: null };
}

const complete = (now: () => number): Standing => ({ ...begun("completed"), completed_at: now() });
const cut = (): Standing => ({
  ...begun("incomplete"),
  incomplete_details: { reason: "max_output_tokens" },
});
const endings: Readonly<Record<FinishReason, (now: () => number) => Standing>> = {
  stop: complete,
  stop_sequence: complete,
  tool_calls: complete,
  length: cut,
};

function responseOf(
  { id, created, model, request }: ResponseIdentity,
  now: Standing & Pick<ResponseObject, "output" | "usage">,
): ResponseObject {
  const { user, ...settings } = request.settings;
  return {
    id,
    object: "response",
    created_at: created,
    completed_at: now.completed_at,
    status: now.status,
    background: request.background,
    error: now.error,
    incomplete_details: now.incomplete_details,
    model: model.manifest.id,
    output: now.output,
    previous_response_id: request.previousResponseId,
    service_tier: "default",
    store: request.store,
    ...settings,
    usage: now.usage,
    ...(user === undefined ? {} : { user }),
  };
}
