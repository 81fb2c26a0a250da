/**
 * Writes the output items of one response. Each item ends before the next one starts. Reasoning, text and each tool call are
 * separate items. Pure.
 */
import type { SampledLogprob, TokenLogprob } from "../../../core/generation.js";
import type { ResponseEvent } from "../event-schema.js";
import { outputItemId } from "./ids.js";
import {
  itemStartEvents,
  itemEndEvents,
  itemDeltaEvent,
  textPart,
  type ItemPosition,
} from "./item-events.js";
import { encodeOpaque } from "./opaque-text.js";
import type { OutputItem, OutputItemStatus, SampledLogprobBody } from "../response-schema.js";

export interface OutputSettings {
  readonly responseId: string;
  /** Whether a finished reasoning item also contains its text as `encrypted_content`. */
  readonly includesEncryptedReasoning: boolean;
  /** Returns the sequence number of the next event. */
  readonly nextSequenceNumber: () => number;
}

interface OpenItem {
  readonly id: string;
  readonly type: OutputItem["type"];
  /** For a tool call: its index in the answer, its id and its name. */
  readonly call: { readonly index: number; readonly id: string; readonly name: string } | null;
  /** The text or the arguments so far. */
  text: string;
  readonly logprobs: SampledLogprobBody[];
}

export class OutputWriter {
  readonly #settings: OutputSettings;
  readonly #endedItems: OutputItem[] = [];
  #open: OpenItem | null = null;

  constructor(settings: OutputSettings) {
    this.#settings = settings;
  }

  /** Adds reasoning text. */
  reasoning(text: string): readonly ResponseEvent[] {
    return text === "" ? [] : this.#append("reasoning", text, []);
  }

  /** Adds text of the answer with the log probabilities of its tokens. */
  text(text: string, logprobs: readonly SampledLogprob[]): readonly ResponseEvent[] {
    return text === "" && logprobs.length === 0
      ? []
      : this.#append("message", text, logprobs.map(wireLogprob));
  }

  /** Starts a tool call. */
  call(index: number, id: string, name: string): readonly ResponseEvent[] {
    return this.#start("function_call", { index, id, name });
  }

  /** Adds a part of the JSON of a tool call's arguments. */
  argument(index: number, json: string): readonly ResponseEvent[] {
    const open = this.#open;
    if (json === "" || open?.call?.index !== index) return [];
    open.text += json;
    return [itemDeltaEvent(open, this.#position(), json)];
  }

  /** Ends a tool call whose arguments are complete. */
  callEnd(index: number): readonly ResponseEvent[] {
    return this.#open?.call?.index === index ? this.close("completed") : [];
  }

  /** Ends the open item, if any. */
  close(status: Exclude<OutputItemStatus, "in_progress">): readonly ResponseEvent[] {
    const open = this.#open;
    if (open === null) return [];
    const item = this.#itemOf(open, status);
    // Clients expect at least one delta, even if the arguments are empty.
    const emptyDelta =
      open.type === "function_call" && open.text === "" ? [itemDeltaEvent(open, this.#position(), "")] : [];
    const events = [...emptyDelta, ...itemEndEvents(item, this.#position())];
    this.#endedItems.push(item);
    this.#open = null;
    return events;
  }

  /** Returns the items in their current state. */
  items(): readonly OutputItem[] {
    const open = this.#open;
    return open === null ? [...this.#endedItems] : [...this.#endedItems, this.#itemOf(open, "in_progress")];
  }

  #append(
    type: "reasoning" | "message",
    text: string,
    logprobs: readonly SampledLogprobBody[],
  ): readonly ResponseEvent[] {
    const started = this.#open?.type === type ? [] : this.#start(type, null);
    const open = this.#open;
    if (open === null) return started;
    open.text += text;
    open.logprobs.push(...logprobs);
    return [...started, itemDeltaEvent(open, this.#position(), text, logprobs)];
  }

  /** Starts an item. An open tool call is incomplete, because another item starts before its end. */
  #start(type: OpenItem["type"], call: OpenItem["call"]): readonly ResponseEvent[] {
    const closed = this.close(this.#open?.type === "function_call" ? "incomplete" : "completed");
    const id = outputItemId(itemKinds[type], this.#settings.responseId, this.#endedItems.length);
    this.#open = { id, type, call, text: "", logprobs: [] };
    return [...closed, ...itemStartEvents(this.#itemOf(this.#open, "in_progress"), this.#position())];
  }

  #position(): ItemPosition {
    return { index: this.#endedItems.length, nextSequenceNumber: this.#settings.nextSequenceNumber };
  }

  #itemOf({ id, type, call, text, logprobs }: OpenItem, status: OutputItemStatus): OutputItem {
    if (type === "message")
      return { id, type, status, role: "assistant", content: [textPart(text, [...logprobs])] };
    if (type === "function_call")
      return { id, type, status, call_id: call?.id ?? "", name: call?.name ?? "", arguments: text };
    const encrypted =
      this.#settings.includesEncryptedReasoning && status !== "in_progress"
        ? { encrypted_content: encodeOpaque(text) }
        : {};
    return { id, type, status, summary: [{ type: "summary_text", text }], ...encrypted };
  }
}

const itemKinds = { reasoning: "rs", message: "msg", function_call: "fc" } as const;

function wireLogprob(sampled: SampledLogprob): SampledLogprobBody {
  const { top, ...token } = sampled;
  return { ...tokenOf(token), top_logprobs: top.map(tokenOf) };
}

function tokenOf({ text, logprob, bytes }: TokenLogprob) {
  return { token: text, logprob, bytes };
}
