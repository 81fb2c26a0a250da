/** The events that one output item is told with: its beginning, its pieces, its end. A text is always its item's only part. Pure. */
import type { ResponseEvent } from "../event-schema.js";
import type { OutputItem, OutputText, SampledLogprobBody } from "../wire.js";

/** Where an item is told. */
export interface Place {
  /** Among the response's items. */
  readonly index: number;
  /** Gives the next event's number. */
  readonly next: () => number;
}

/** Numbers events from 0. */
export function createNumbering(): () => number {
  let last = -1;
  return () => (last += 1);
}

/** An item begins, whatever it will hold. */
export function itemBegins(item: OutputItem, { index: output_index, next }: Place): readonly ResponseEvent[] {
  const added: ResponseEvent = {
    type: "response.output_item.added",
    sequence_number: next(),
    output_index,
    item: emptied(item),
  };
  const place = { item_id: item.id, output_index };
  if (item.type === "function_call") return [added];
  if (item.type === "reasoning") {
    const type = "response.reasoning_summary_part.added";
    const part = { type: "summary_text", text: "" } as const;
    return [added, { type, sequence_number: next(), ...place, summary_index: 0, part }];
  }
  const part = textPart("", []);
  const type = "response.content_part.added";
  return [added, { type, sequence_number: next(), ...place, content_index: 0, part }];
}

/** More of an item's text or arguments. */
export function itemGrows(
  { id: item_id, type: kind }: Pick<OutputItem, "id" | "type">,
  { index: output_index, next }: Place,
  delta: string,
  logprobs: readonly SampledLogprobBody[] = [],
): ResponseEvent {
  const [sequence_number, place] = [next(), { item_id, output_index }];
  switch (kind) {
    case "reasoning":
      return {
        type: "response.reasoning_summary_text.delta",
        sequence_number,
        ...place,
        summary_index: 0,
        delta,
      };
    case "message":
      return {
        type: "response.output_text.delta",
        sequence_number,
        ...place,
        content_index: 0,
        delta,
        logprobs,
      };
    case "function_call":
      return { type: "response.function_call_arguments.delta", sequence_number, ...place, delta };
  }
}

/** An item ends, as it is. */
export function itemEnds(item: OutputItem, { index: output_index, next }: Place): readonly ResponseEvent[] {
  const place = { item_id: item.id, output_index };
  return [
    ...contentEnds(item, place, next),
    { type: "response.output_item.done", sequence_number: next(), output_index, item },
  ];
}

/** The one part of a message. */
export function textPart(text: string, logprobs: readonly SampledLogprobBody[]): OutputText {
  return { type: "output_text", text, annotations: [], logprobs };
}

function contentEnds(
  item: OutputItem,
  place: { readonly item_id: string; readonly output_index: number },
  next: () => number,
): readonly ResponseEvent[] {
  if (item.type === "function_call") {
    const { name, arguments: json } = item;
    const type = "response.function_call_arguments.done";
    return [{ type, sequence_number: next(), ...place, name, arguments: json }];
  }
  if (item.type === "reasoning") {
    const at = { ...place, summary_index: 0 };
    const part = item.summary[0] ?? { type: "summary_text", text: "" };
    return [
      {
        type: "response.reasoning_summary_text.done",
        sequence_number: next(),
        ...at,
        text: part.text,
      },
      { type: "response.reasoning_summary_part.done", sequence_number: next(), ...at, part },
    ];
  }
  const at = { ...place, content_index: 0 };
  const part = item.content[0] ?? textPart("", []);
  const { text, logprobs } = part;
  return [
    { type: "response.output_text.done", sequence_number: next(), ...at, text, logprobs },
    { type: "response.content_part.done", sequence_number: next(), ...at, part },
  ];
}

/** As it is when nothing is in it yet. */
function emptied(item: OutputItem): OutputItem {
  const status = "in_progress";
  if (item.type === "function_call") return { ...item, status, arguments: "" };
  if (item.type === "message") return { ...item, status, content: [] };
  return { id: item.id, type: item.type, status, summary: [] };
}
