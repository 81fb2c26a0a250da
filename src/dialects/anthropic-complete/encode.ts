/**
 * The answer of POST /v1/complete, from the house's events to the wire. One encoder turns events into the objects of a stream;
 * the JSON answer is a fold of the very same objects. Pure.
 */
import type { FinishReason, GenerationEvent } from "../../core/generation.js";
import type { Model } from "../../core/model.js";
import type { Completion } from "./wire.js";

/** What every part of one answer repeats. */
export interface CompleteIdentity {
  readonly id: string;
  readonly model: Model;
}

/** The object that an event makes due, or null. */
export function encodeCompletion(identity: CompleteIdentity, event: GenerationEvent): Completion | null {
  if (event.type === "generation-end") return completion(identity, "", stopReasons[event.finishReason]);
  return event.type === "text-delta" && event.text !== "" ? completion(identity, event.text, null) : null;
}

/** The JSON answer of the events put into it; `result` is whole once it has its `generation-end`. */
export interface CompleteFold {
  add(event: GenerationEvent): void;
  result(): Completion;
}

/** Folds one answer into its JSON form. */
export function foldComplete(identity: CompleteIdentity): CompleteFold {
  let text = "";
  let stopReason: Completion["stop_reason"] = null;
  return {
    add(event) {
      const piece = encodeCompletion(identity, event);
      text += piece?.completion ?? "";
      stopReason = piece?.stop_reason ?? stopReason;
    },
    result: () => completion(identity, text, stopReason),
  };
}

function completion(
  identity: CompleteIdentity,
  text: string,
  stopReason: Completion["stop_reason"],
): Completion {
  return {
    type: "completion",
    id: `compl_${identity.id}`,
    completion: text,
    stop_reason: stopReason,
    model: identity.model.manifest.id,
  };
}

/** The end of a turn is the built-in stop sequence, "\n\nHuman:", which the model has no need to write. */
const stopReasons: Readonly<Record<FinishReason, "stop_sequence" | "max_tokens">> = {
  stop: "stop_sequence",
  stop_sequence: "stop_sequence",
  tool_calls: "stop_sequence",
  length: "max_tokens",
};
