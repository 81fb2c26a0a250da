/** How a response is stored whose client waits for it: as a whole, in the transaction that ends its run. */
import { HearthError } from "../../core/errors.js";
import type { ResponseEncoder } from "../../dialects/openai-responses/encode.js";
import type { InputItem } from "../../dialects/openai-responses/items/input-item-schema.js";
import type { ResponseObject } from "../../dialects/openai-responses/response-schema.js";
import type { RunRecorder, RunEnd } from "../../inference/run/run-record.js";
import type { StoredResponses } from "../../inference/responses/stored-responses.js";
import type { Conversations } from "../../inference/conversations/conversations.js";
import type { StoredItem } from "../../inference/responses/stored-response.js";
import type { StoredOwner } from "../../inference/stored-owner.js";
import { itemsToStore, toStore } from "./conversation-items.js";

interface ResponseRecorderDeps {
  readonly storedResponses: StoredResponses;
  /** Not opened yet; only the recorder may add to it. */
  readonly encoder: ResponseEncoder;
  readonly owner: StoredOwner;
  /** Milliseconds since the epoch. */
  readonly createTime: number;
  /** The request's own items. */
  readonly ownInput: readonly InputItem[];
  readonly conversations: Conversations;
  /** The conversation that the response belongs to. */
  readonly conversationId: string | null;
  /** Whether the client learns the id with the first event; otherwise it learns it with the whole answer. */
  readonly streamed: boolean;
}

/** Stores every response whose id its client knows, also one that failed or whose client left. */
export function createResponseRecorder(deps: ResponseRecorderDeps): RunRecorder {
  const { storedResponses, encoder, owner, createTime, ownInput, streamed, conversationId } = deps;
  let started = false;
  return {
    add(event) {
      if (!started) encoder.open();
      started = true;
      encoder.add(event);
    },
    writes(end) {
      if (!started || (!streamed && end.state !== "completed")) return [];
      finish(encoder, end);
      const response = encoder.response();
      const input = itemsToStore(ownInput, response.id);
      const insertion = storedResponses.insertion({
        id: response.id,
        ...owner,
        previousId: response.previous_response_id,
        conversationId,
        status: endedStatus(response),
        background: false,
        streamed: false,
        body: JSON.stringify(response),
        createTime,
        input,
        output: response.output.map(toStore),
      });
      const items = conversationItems(response, input);
      const extension = conversationId === null ? [] : deps.conversations.extension(conversationId, items);
      return [...insertion, ...extension];
    },
  };
}

/** Returns what a response adds to its conversation: nothing when it failed or was cancelled. */
export function conversationItems(
  response: ResponseObject,
  input: readonly StoredItem[],
): readonly StoredItem[] {
  const isWhole = response.status === "completed" || response.status === "incomplete";
  return isWhole ? [...input, ...response.output.map(toStore)] : [];
}

/** Ends an answer that failed or was aborted. @returns the events that report it. */
export function finish(encoder: ResponseEncoder, { state, failure, usage }: RunEnd): readonly object[] {
  if (failure !== null) return encoder.fail(failure, usage);
  return state === "aborted" ? encoder.cancel(usage) : [];
}

/** @throws HearthError `internal` when the response has not ended. */
export function endedStatus({ status }: ResponseObject) {
  if (status !== "queued" && status !== "in_progress") return status;
  throw new HearthError("internal", "An internal error occurred.", {
    cause: new Error(`the run has ended and its response is ${status}`),
  });
}
