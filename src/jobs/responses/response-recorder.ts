/** How a response that somebody waits for is kept: written whole, in one go with the end of its run. */
import { HearthError } from "../../core/errors.js";
import type { ResponseEncoder } from "../../dialects/openai-responses/encode.js";
import type { InputItem } from "../../dialects/openai-responses/items/item-schema.js";
import type { ResponseObject } from "../../dialects/openai-responses/wire.js";
import type { Keeper, RunEnd } from "../../inference/run/recorder.js";
import type { Memory } from "../../inference/responses/stored-responses.js";
import { itemsToStore, toStore } from "./conversation-items.js";

export interface KeptResponse {
  readonly memory: Memory;
  /** Not opened yet; nobody else may add to it. */
  readonly encoder: ResponseEncoder;
  readonly teamId: string;
  /** Milliseconds since the epoch. */
  readonly createTime: number;
  /** The request's own items. */
  readonly own: readonly InputItem[];
  /** Whether the client knows its id from the first event on; else from the whole answer alone. */
  readonly streamed: boolean;
}

/** Keeps a response that its client knows of, also one that failed on the way or whose client left. */
export function keepResponse(kept: KeptResponse): Keeper {
  const { memory, encoder, teamId, createTime, own, streamed } = kept;
  let begun = false;
  return {
    add(event) {
      if (!begun) encoder.open();
      begun = true;
      encoder.add(event);
    },
    writes(end) {
      if (!begun || (!streamed && end.state !== "completed")) return [];
      finish(encoder, end);
      const response = encoder.response();
      return memory.insertion({
        id: response.id,
        teamId,
        previousId: response.previous_response_id,
        status: endedStatus(response),
        background: false,
        streamed: false,
        body: JSON.stringify(response),
        createTime,
        input: itemsToStore(own, response.id),
        output: response.output.map(toStore),
      });
    },
  };
}

/** Ends an answer that did not come to its own end. @returns the events of that. */
export function finish(encoder: ResponseEncoder, { state, failure }: RunEnd): readonly object[] {
  if (failure !== null) return encoder.fail(failure);
  return state === "aborted" ? encoder.cancel() : [];
}

/** @throws HearthError `internal` when the response has not ended. */
export function endedStatus({ status }: ResponseObject) {
  if (status !== "queued" && status !== "in_progress") return status;
  throw new HearthError("internal", "An internal error occurred.", {
    cause: new Error(`a run is over and its response is ${status}`),
  });
}
