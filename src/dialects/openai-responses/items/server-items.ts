/**
 * The items of calls that the server executes. Their calls can overlap: an item stays open from the model's call until the call has been
 * executed, while other items begin and end. Pure.
 */
import type { ServerCallResult } from "../../../core/tools/server-call.js";
import type { ResponseEvent } from "../event-schema.js";
import type { ServerItem } from "../response-schema.js";
import type { ServerCallType } from "../tools/call-forms.js";
import type { ItemKind } from "./ids.js";

export const serverItemTypes = { image_generation: "image_generation_call" } as const;
export const serverItemKinds: Readonly<Record<ServerCallType, ItemKind>> = { image_generation: "ig" };

/** Returns the item of a call that has just begun. */
export function openServerItem({ id, type }: Pick<ServerItem, "id" | "type">): ServerItem {
  return { id, type, status: "in_progress", action: "generate", result: null };
}

/** Returns the item while its call is executed. */
export function runningServerItem(item: ServerItem): ServerItem {
  return { ...item, status: "generating" };
}

/** @param result null when the answer ended before the call was executed. */
export function endedServerItem(item: ServerItem, result: ServerCallResult | null): ServerItem {
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

type ServerItemState = "in_progress" | "generating" | "completed";

/** Returns the event for a state of an item; none for one that has failed. */
export function serverItemEvents(
  { id: item_id, type, status }: ServerItem,
  {
    index: output_index,
    nextSequenceNumber,
  }: { readonly index: number; readonly nextSequenceNumber: () => number },
): readonly ResponseEvent[] {
  if (status === "failed") return [];
  const state: ServerItemState = status;
  return [
    { type: `response.${type}.${state}`, sequence_number: nextSequenceNumber(), item_id, output_index },
  ];
}
