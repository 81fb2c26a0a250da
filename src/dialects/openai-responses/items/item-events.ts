/** Builds the stream events of an output item: start, deltas and end. A text is always the only part of its item. Pure. */
import type { z } from "zod";
import type { ResponseEvent } from "../event-schema.js";
import type { OutputItem, SampledLogprobBody, ServerItem, outputTextSchema } from "../response-schema.js";
import { isServerItem, openServerItem, serverItemEvents, serverItemStartEvents } from "./server-items.js";

type OutputText = z.infer<typeof outputTextSchema>;

/** The position of an item in the stream. */
export interface ItemPosition {
  /** Index in the response's items. */
  readonly index: number;
  /** Returns the sequence number of the next event. */
  readonly nextSequenceNumber: () => number;
}

/** Returns a function that counts from 0. */
export function createSequence(): () => number {
  let last = -1;
  return () => (last += 1);
}

/** Returns the events that start an item, with empty content. */
export function itemStartEvents(
  item: OutputItem,
  { index: output_index, nextSequenceNumber }: ItemPosition,
): readonly ResponseEvent[] {
  const added: ResponseEvent = {
    type: "response.output_item.added",
    sequence_number: nextSequenceNumber(),
    output_index,
    item: emptyItem(item),
  };
  const position = { item_id: item.id, output_index };
  if (isServerItem(item))
    return [added, ...serverItemStartEvents(item, { index: output_index, nextSequenceNumber })];
  if (item.type === "reasoning") {
    const type = "response.reasoning_summary_part.added";
    const part = { type: "summary_text", text: "" } as const;
    return [added, { type, sequence_number: nextSequenceNumber(), ...position, summary_index: 0, part }];
  }
  if (item.type !== "message") return [added];
  const part = textPart("", []);
  const type = "response.content_part.added";
  return [added, { type, sequence_number: nextSequenceNumber(), ...position, content_index: 0, part }];
}

/** Which item. */
interface ItemName {
  readonly id: string;
  readonly type: OutputItem["type"];
}

/** Returns the event that adds to an item's text, arguments or input; none for calls whose content is only in their last event. */
export function itemDeltaEvents(
  { id: item_id, type: kind }: ItemName,
  { index: output_index, nextSequenceNumber }: ItemPosition,
  delta: string,
  logprobs: readonly SampledLogprobBody[] = [],
): readonly ResponseEvent[] {
  const place = () => ({ sequence_number: nextSequenceNumber(), item_id, output_index });
  switch (kind) {
    case "reasoning":
      return [{ type: "response.reasoning_summary_text.delta", ...place(), summary_index: 0, delta }];
    case "message":
      return [{ type: "response.output_text.delta", ...place(), content_index: 0, delta, logprobs }];
    case "function_call":
      return [{ type: "response.function_call_arguments.delta", ...place(), delta }];
    case "custom_tool_call":
      return [{ type: "response.custom_tool_call_input.delta", ...place(), delta }];
    default:
      return [];
  }
}

/** Returns the events that end an item. */
export function itemEndEvents(
  item: OutputItem,
  { index: output_index, nextSequenceNumber }: ItemPosition,
): readonly ResponseEvent[] {
  const position = { item_id: item.id, output_index };
  return [
    ...(isServerItem(item)
      ? serverItemEvents(item, { index: output_index, nextSequenceNumber })
      : contentEndEvents(item, position, nextSequenceNumber)),
    { type: "response.output_item.done", sequence_number: nextSequenceNumber(), output_index, item },
  ];
}

/** Returns the only part of a message. */
export function textPart(text: string, logprobs: readonly SampledLogprobBody[]): OutputText {
  return { type: "output_text", text, annotations: [], logprobs };
}

function contentEndEvents(
  item: Exclude<OutputItem, ServerItem>,
  position: { readonly item_id: string; readonly output_index: number },
  nextSequenceNumber: () => number,
): readonly ResponseEvent[] {
  if (item.type === "function_call") {
    const { name, arguments: json } = item;
    const type = "response.function_call_arguments.done";
    return [{ type, sequence_number: nextSequenceNumber(), ...position, name, arguments: json }];
  }
  if (item.type === "custom_tool_call") {
    const type = "response.custom_tool_call_input.done";
    return [{ type, sequence_number: nextSequenceNumber(), ...position, input: item.input }];
  }
  if (item.type === "reasoning") {
    const summaryPosition = { ...position, summary_index: 0 };
    const part = item.summary[0] ?? { type: "summary_text", text: "" };
    return [
      {
        type: "response.reasoning_summary_text.done",
        sequence_number: nextSequenceNumber(),
        ...summaryPosition,
        text: part.text,
      },
      {
        type: "response.reasoning_summary_part.done",
        sequence_number: nextSequenceNumber(),
        ...summaryPosition,
        part,
      },
    ];
  }
  if (item.type !== "message") return [];
  const contentPosition = { ...position, content_index: 0 };
  const part = item.content[0] ?? textPart("", []);
  const { text, logprobs } = part;
  return [
    {
      type: "response.output_text.done",
      sequence_number: nextSequenceNumber(),
      ...contentPosition,
      text,
      logprobs,
    },
    { type: "response.content_part.done", sequence_number: nextSequenceNumber(), ...contentPosition, part },
  ];
}

/** Returns the item without its content, as at its start. */
function emptyItem(item: OutputItem): OutputItem {
  const status = "in_progress";
  if (item.type === "compaction") return item;
  if (isServerItem(item)) return openServerItem(item);
  if (item.type === "mcp_approval_request") return { ...item, status, arguments: "" };
  if (item.type === "function_call") return { ...item, status, arguments: "" };
  if (item.type === "custom_tool_call") return { ...item, status, input: "" };
  if (item.type === "message") return { ...item, status, content: [] };
  if (item.type === "reasoning") return { id: item.id, type: item.type, status, summary: [] };
  return { ...item, status };
}
