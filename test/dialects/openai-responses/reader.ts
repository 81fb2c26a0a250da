/** A strict test client: reads a stream and checks every event against the previous ones. */
import { expect } from "vitest";
import type { ResponseEvent } from "../../../src/dialects/openai-responses/event-schema.js";
import type { OutputItem, ResponseObject } from "../../../src/dialects/openai-responses/response-schema.js";

interface Read {
  /** The response in the last event. */
  readonly last: ResponseObject;
  /** The finished items. */
  readonly items: readonly OutputItem[];
}

interface Open {
  readonly id: string;
  /** The joined deltas. */
  text: string;
  readonly logprobs: unknown[];
  deltas: number;
}

/** Reads a whole stream. */
export function readStream(events: readonly ResponseEvent[]): Read {
  const items: OutputItem[] = [];
  let open: Open | null = null;
  let last: ResponseObject | null = null;
  for (const [at, event] of events.entries()) {
    expect(event.sequence_number).toBe(at);
    if ("response" in event) {
      expect(open).toBe(null);
      last = event.response;
      continue;
    }
    expect(event.output_index).toBe(items.length);
    if (event.type === "response.output_item.added") {
      expect(open).toBe(null);
      if (event.item.type !== "compaction") expect(statusOf(event.item)).toBe("in_progress");
      expect(textOf(event.item)).toBe(null);
      open = { id: event.item.id, text: "", logprobs: [], deltas: 0 };
      continue;
    }
    if (open === null) throw new Error(`${event.type} of no open item`);
    expect("item" in event ? event.item.id : event.item_id).toBe(open.id);
    if (event.type === "response.output_item.done") {
      expect(statusOf(event.item)).not.toBe("in_progress");
      if (event.item.type !== "compaction") expect(textOf(event.item)).toBe(open.text);
      if (event.item.type === "function_call") expect(open.deltas).toBeGreaterThanOrEqual(1);
      items.push(event.item);
      open = null;
    } else readPart(event, open);
  }
  expect(open).toBe(null);
  if (last === null) throw new Error("the stream has no response");
  return { last, items };
}

type PartEvent = Extract<ResponseEvent, { item_id: string }>;

function readPart(event: PartEvent, open: Open): void {
  if ("delta" in event) {
    open.text += event.delta;
    open.deltas += 1;
  }
  if (event.type === "response.output_text.delta") {
    expect(event.delta !== "" || event.logprobs.length > 0).toBe(true);
    open.logprobs.push(...event.logprobs);
  }
  if (event.type === "response.reasoning_summary_text.delta") expect(event.delta).not.toBe("");
  if ("text" in event) expect(event.text).toBe(open.text);
  if ("arguments" in event) expect(event.arguments).toBe(open.text);
  if ("input" in event) expect(event.input).toBe(open.text);
  if (event.type === "response.output_text.done") expect(event.logprobs).toEqual(open.logprobs);
  if (event.type === "response.content_part.done" || event.type === "response.reasoning_summary_part.done")
    expect(event.part.text).toBe(open.text);
  if (event.type === "response.content_part.added" || event.type === "response.reasoning_summary_part.added")
    expect([event.part.text, open.deltas]).toEqual(["", 0]);
}

/** Returns an item's status; a compaction, which has none, counts as completed. */
export function statusOf(item: OutputItem): string {
  return "status" in item ? item.status : "completed";
}

/** Returns an item's text or arguments; null if it has no content yet. */
export function textOf(item: OutputItem): string | null {
  if (item.type === "function_call") return item.status === "in_progress" ? null : item.arguments;
  if (item.type === "custom_tool_call") return item.status === "in_progress" ? null : item.input;
  if (item.type !== "message" && item.type !== "reasoning") return null;
  const [part] = item.type === "message" ? item.content : item.summary;
  return part?.text ?? null;
}
