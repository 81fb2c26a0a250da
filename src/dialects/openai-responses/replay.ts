/** Rebuilds the stream of a stored response. Pure. */
import type { ResponseEvent } from "./event-schema.js";
import {
  createSequence,
  itemStartEvents,
  itemEndEvents,
  itemDeltaEvents,
  type ItemPosition,
} from "./items/item-events.js";
import { encodeOpaque } from "./items/opaque-text.js";
import { isServerItem, serverItemContentEvents } from "./items/server-items.js";
import type { OutputItem, ResponseObject } from "./response-schema.js";

/** Returns the events of a response that has ended, with one delta for each of its parts. */
export function replayResponse(response: ResponseObject): readonly ResponseEvent[] {
  const nextSequenceNumber = createSequence();
  const lifecycleEvent = (type: LifecycleEventType, state: ResponseObject): ResponseEvent => ({
    type,
    sequence_number: nextSequenceNumber(),
    response: state,
  });
  const running = startOfResponse(response);
  const queued: ResponseObject = { ...running, status: "queued" };
  const opening = response.background
    ? [lifecycleEvent("response.created", queued), lifecycleEvent("response.queued", queued)]
    : [lifecycleEvent("response.created", running)];
  const inProgress = lifecycleEvent("response.in_progress", running);
  const itemEvents = response.output.flatMap((item, index) => {
    const position = { index, nextSequenceNumber };
    const start = itemStartEvents(item, position);
    return [...start, ...listDeltas(item, position), ...itemEndEvents(item, position)];
  });
  const ending = endingEventTypes[response.status];
  return [
    ...opening,
    inProgress,
    ...itemEvents,
    ...(ending === null ? [] : [lifecycleEvent(ending, response)]),
  ];
}

/** Adds the fields that a request lists in `include` to a stored response. */
export function withIncludes(response: ResponseObject, include: readonly string[]): ResponseObject {
  if (!include.includes("reasoning.encrypted_content")) return response;
  const output = response.output.map((item): OutputItem =>
    item.type === "reasoning" && item.status !== "in_progress"
      ? { ...item, encrypted_content: encodeOpaque(toContent(item).text) }
      : item,
  );
  return { ...response, output };
}

type LifecycleEventType = Extract<ResponseEvent, { response: unknown }>["type"];

const endingEventTypes: Readonly<Record<ResponseObject["status"], LifecycleEventType | null>> = {
  queued: null,
  in_progress: null,
  completed: "response.completed",
  incomplete: "response.incomplete",
  failed: "response.failed",
  cancelled: "response.incomplete",
};

function startOfResponse(response: ResponseObject): ResponseObject {
  return {
    ...response,
    status: "in_progress",
    completed_at: null,
    error: null,
    incomplete_details: null,
    output: [],
    usage: null,
  };
}

function listDeltas(item: OutputItem, position: ItemPosition): readonly ResponseEvent[] {
  if (isServerItem(item)) return serverItemContentEvents(item, position);
  if (item.type === "compaction") return [];
  const { text, logprobs } = toContent(item);
  const isCall = item.type !== "message" && item.type !== "reasoning";
  const isEmpty = text === "" && logprobs.length === 0 && !isCall;
  return isEmpty ? [] : itemDeltaEvents(item, position, text, logprobs);
}

function toContent(item: OutputItem) {
  if (item.type === "function_call") return { text: item.arguments, logprobs: [] };
  if (item.type === "custom_tool_call") return { text: item.input, logprobs: [] };
  if (item.type !== "message" && item.type !== "reasoning") return { text: "", logprobs: [] };
  const [part] = item.type === "message" ? item.content : item.summary;
  return { text: part?.text ?? "", logprobs: part !== undefined && "logprobs" in part ? part.logprobs : [] };
}
