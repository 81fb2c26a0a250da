/**
 * Encodes generation events as the response of POST /v1/complete. One encoder turns events into the objects of a stream; the
 * JSON response is a fold of the same objects. Pure.
 */
import type { z } from "zod";
import type { FinishReason } from "../../core/generation.js";
import type { Model } from "../../core/model.js";
import type { AnswerEvent } from "../../core/tools/server-call.js";
import type { anthropicCompletion } from "./response-schema.js";

type AnthropicCompletion = z.infer<typeof anthropicCompletion>;

/** The values that every object of one answer repeats. */
interface CompleteIdentity {
  readonly id: string;
  readonly model: Model;
  /** The name of the model in the request: its id or an alias. */
  readonly modelName: string;
}

/** Returns the stream object of an event, or null if there is none. */
export function encodeCompletion(identity: CompleteIdentity, event: AnswerEvent): AnthropicCompletion | null {
  if (event.type === "generation-end") return completion(identity, "", stopReasons[event.finishReason]);
  return event.type === "text-delta" && event.text !== "" ? completion(identity, event.text, null) : null;
}

/** Folds the events of one answer into the JSON response. */
export function foldComplete(identity: CompleteIdentity) {
  let text = "";
  let stopReason: AnthropicCompletion["stop_reason"] = null;
  return {
    add(event: AnswerEvent): void {
      const part = encodeCompletion(identity, event);
      text += part?.completion ?? "";
      stopReason = part?.stop_reason ?? stopReason;
    },
    result: (): AnthropicCompletion => completion(identity, text, stopReason),
  };
}

function completion(
  identity: CompleteIdentity,
  text: string,
  stopReason: AnthropicCompletion["stop_reason"],
): AnthropicCompletion {
  return {
    type: "completion",
    id: `compl_${identity.id}`,
    completion: text,
    stop_reason: stopReason,
    model: identity.modelName,
  };
}

/** The end of a turn counts as the built-in stop sequence, "\n\nHuman:", even if the model did not generate it. */
const stopReasons: Readonly<Record<FinishReason, "stop_sequence" | "max_tokens">> = {
  stop: "stop_sequence",
  stop_sequence: "stop_sequence",
  tool_calls: "stop_sequence",
  length: "max_tokens",
  content_filter: "stop_sequence",
};
