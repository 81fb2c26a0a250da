/**
 * The items of calls that the server executes. Their calls can overlap: an item stays open from the model's call until the call has been
 * executed, while other items begin and end. The list of a server's tools is one of them. Pure.
 */
import type { ServerCallResult } from "../../../core/tools/server-call.js";
import type { ResponseEvent } from "../event-schema.js";
import type { OutputItem, ServerItem } from "../response-schema.js";
import type { ServerCallForm } from "../tools/call-forms.js";
import type { ItemKind } from "./ids.js";

type Place = { readonly index: number; readonly nextSequenceNumber: () => number };

export const serverItemKinds: Readonly<Record<ServerItem["type"], ItemKind>> = {
  image_generation_call: "ig",
  mcp_call: "mcp",
  mcp_list_tools: "mcpl",
};

export function isServerItem(item: OutputItem): item is ServerItem {
  return Object.hasOwn(serverItemKinds, item.type);
}

/** Returns the type of the items of a form. */
export function serverItemType({ type }: ServerCallForm): Exclude<ServerItem["type"], "mcp_list_tools"> {
  return type === "mcp" ? "mcp_call" : "image_generation_call";
}

/** Returns the item of a call that has just begun. */
export function newServerItem(id: string, form: ServerCallForm): ServerItem {
  if (form.type === "image_generation")
    return { id, type: "image_generation_call", status: "in_progress", action: "generate", result: null };
  const { label: server_label, name, approvalRequestId: approval_request_id = null } = form;
  const call = { id, type: "mcp_call", status: "in_progress", server_label, name, arguments: "" } as const;
  return { ...call, approval_request_id, output: null, error: null };
}

/** Returns the item as it was when its call had just begun. */
export function openServerItem(item: ServerItem): ServerItem {
  switch (item.type) {
    case "image_generation_call":
      return newServerItem(item.id, { type: "image_generation" });
    case "mcp_call":
      return { ...item, status: "in_progress", arguments: "", output: null, error: null };
    case "mcp_list_tools":
      return { ...item, tools: [] };
  }
}

/** Returns the item while its call is executed. */
export function runningServerItem(item: ServerItem): ServerItem {
  return item.type === "image_generation_call" ? { ...item, status: "generating" } : item;
}

/** Returns the event for the begin of the execution; of calls of MCP servers, clients know none. */
export function runningItemEvents(item: ServerItem, place: Place): readonly ResponseEvent[] {
  return item.type === "image_generation_call" ? serverItemEvents(item, place) : [];
}

/** @param result null when the answer ended before the call was executed. */
export function endedServerItem(item: ServerItem, result: ServerCallResult | null): ServerItem {
  if (item.type === "mcp_list_tools") return item;
  if (item.type === "mcp_call") {
    if (result === null) return { ...item, status: "incomplete" };
    const { content, shown = content, failed } = result;
    return failed
      ? { ...item, status: "failed", error: shown }
      : { ...item, status: "completed", output: shown };
  }
  const image = result?.image;
  if (image === undefined) return { ...item, status: "failed" };
  return {
    ...item,
    status: "completed",
    result: image.base64,
    revised_prompt: image.prompt,
    background: "opaque",
    output_format: image.format,
    size: `${image.width}x${image.height}`,
  };
}

/** Returns the item with more of the arguments of its call, and the event that reports them. */
export function withArguments(
  item: ServerItem,
  json: string,
  place: Place,
): [ServerItem, readonly ResponseEvent[]] {
  if (item.type !== "mcp_call") return [item, []];
  return [{ ...item, arguments: item.arguments + json }, argumentsDelta(item.id, json, place)];
}

/** Returns the event that ends the arguments of a call. */
export function argumentsEndEvents(item: ServerItem, place: Place): readonly ResponseEvent[] {
  if (item.type !== "mcp_call") return [];
  const { id: item_id, arguments: json } = item;
  return [{ type: "response.mcp_call_arguments.done", ...toPosition(item_id, place), arguments: json }];
}

/** Returns the events that come between the start and the end of an item that has ended. */
export function serverItemContentEvents(item: ServerItem, place: Place): readonly ResponseEvent[] {
  switch (item.type) {
    case "image_generation_call":
      return item.status === "completed" ? serverItemEvents(runningServerItem(item), place) : [];
    case "mcp_call":
      return [...argumentsDelta(item.id, item.arguments, place), ...argumentsEndEvents(item, place)];
    case "mcp_list_tools":
      return [];
  }
}

function argumentsDelta(item_id: string, delta: string, place: Place): readonly ResponseEvent[] {
  return [{ type: "response.mcp_call_arguments.delta", ...toPosition(item_id, place), delta }];
}

/** Returns the event for the start of an item. */
export function serverItemStartEvents(item: ServerItem, place: Place): readonly ResponseEvent[] {
  if (item.type !== "mcp_list_tools") return serverItemEvents(openServerItem(item), place);
  return [{ type: "response.mcp_list_tools.in_progress", ...toPosition(item.id, place) }];
}

/** Returns the event for a state of an item; none for a call that was not executed, and for an image that has failed. */
export function serverItemEvents(item: ServerItem, place: Place): readonly ResponseEvent[] {
  const { id: item_id, type } = item;
  if (type === "mcp_list_tools")
    return [{ type: "response.mcp_list_tools.completed", ...toPosition(item_id, place) }];
  if (type === "mcp_call")
    return item.status === "incomplete"
      ? []
      : [{ type: `response.${type}.${item.status}`, ...toPosition(item_id, place) }];
  return item.status === "failed"
    ? []
    : [{ type: `response.${type}.${item.status}`, ...toPosition(item_id, place) }];
}

function toPosition(item_id: string, { index: output_index, nextSequenceNumber }: Place) {
  return { sequence_number: nextSequenceNumber(), item_id, output_index };
}
