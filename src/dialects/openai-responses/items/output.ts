/**
 * Writes the output items of one response. Each item ends before the next one starts, except calls that the server executes.
 * Reasoning, text and each tool call are separate items. Pure.
 */
import type { SampledLogprob, TokenLogprob } from "../../../core/generation.js";
import type { ServerCallResult } from "../../../core/tools/server-call.js";
import { TextInputReader } from "../../client-tools/text-input-reader.js";
import type { ResponseEvent } from "../event-schema.js";
import type { ResponsesRequest } from "../parse.js";
import { findCallForm, isServerForm, type ClientCallForm, type ServerCallForm } from "../tools/call-forms.js";
import { callItem, callItemKinds, callItemType } from "./call-items.js";
import { outputItemId } from "./ids.js";
import {
  itemStartEvents,
  itemEndEvents,
  itemDeltaEvents,
  textPart,
  type ItemPosition,
} from "./item-events.js";
import { encodeOpaque } from "./opaque-text.js";
import type { OpeningItem } from "./mcp/output-items.js";
import type {
  CompactionItem,
  OutputItem,
  OutputItemStatus,
  SampledLogprobBody,
  ServerItem,
} from "../response-schema.js";
import {
  argumentsEndEvents,
  endedServerItem,
  isServerItem,
  newServerItem,
  runningServerItem,
  runningItemEvents,
  serverItemKinds,
  serverItemType,
  withArguments,
} from "./server-items.js";

interface OutputSettings {
  readonly responseId: string;
  readonly request: ResponsesRequest;
  /** Returns the sequence number of the next event. */
  readonly nextSequenceNumber: () => number;
}

interface OpenCall {
  /** Index of the call in the answer. */
  readonly index: number;
  readonly id: string;
  readonly form: ClientCallForm;
  /** Reads the text of a call with a text input. */
  readonly input: TextInputReader;
}

interface OpenItem {
  readonly id: string;
  readonly type: Exclude<OutputItem, ServerItem | CompactionItem>["type"];
  /** For a tool call only. */
  readonly call: OpenCall | null;
  /** The text or the JSON of the arguments so far. */
  text: string;
  hasDelta: boolean;
  readonly logprobs: SampledLogprobBody[];
}

export class OutputWriter {
  readonly #settings: OutputSettings;
  readonly #endedItems: OutputItem[] = [];
  #open: OpenItem | null = null;
  /** The places of calls that the server has not executed yet, by the index of the call in the answer. */
  readonly #serverCalls = new Map<number, number>();

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
    const { callForms, allowedCalls } = this.#settings.request;
    const allowed = allowedCalls.get(id);
    if (allowed !== undefined) return this.#startServerCall(index, { ...allowed, type: "mcp" });
    const form = findCallForm(callForms, name);
    if (isServerForm(form)) return this.#startServerCall(index, form);
    return this.#start(callItemType(form), { index, id, form, input: new TextInputReader() });
  }

  /** Adds a part of the JSON of a tool call's arguments. */
  argument(index: number, json: string): readonly ResponseEvent[] {
    if (json === "") return [];
    const at = this.#serverCalls.get(index);
    if (at !== undefined) return this.#addServerArguments(at, json);
    const open = this.#open;
    if (open?.call?.index !== index) return [];
    open.text += json;
    const delta = open.type === "custom_tool_call" ? open.call.input.push(json) : json;
    if (delta === "") return [];
    open.hasDelta = true;
    return itemDeltaEvents(open, this.#position(), delta);
  }

  /** Ends a tool call whose arguments are complete. */
  callEnd(index: number): readonly ResponseEvent[] {
    if (this.#serverCalls.has(index))
      return this.#updateServerCall(index, (item) => item, argumentsEndEvents);
    return this.#open?.call?.index === index ? this.#closeOpen("completed") : [];
  }

  /** Adds a summary of the conversation before the response. */
  compaction(summary: string): readonly ResponseEvent[] {
    const closed = this.#closeOpen("completed");
    const at = this.#position();
    const id = outputItemId("cmp", this.#settings.responseId, at.index);
    const item = { id, type: "compaction", encrypted_content: encodeOpaque(summary) } as const;
    this.#endedItems.push(item);
    return [...closed, ...itemStartEvents(item, at), ...itemEndEvents(item, at)];
  }

  /** The server begins to execute a call. */
  serverCallStart(index: number): readonly ResponseEvent[] {
    return this.#updateServerCall(index, runningServerItem, runningItemEvents);
  }

  /** The server has executed a call. */
  serverCallEnd(index: number, result: ServerCallResult | null): readonly ResponseEvent[] {
    const events = this.#updateServerCall(index, (item) => endedServerItem(item, result), itemEndEvents);
    this.#serverCalls.delete(index);
    return events;
  }

  /** Ends the response's items. Calls that the server has not executed have failed. */
  close(status: Exclude<OutputItemStatus, "in_progress">): readonly ResponseEvent[] {
    const closed = this.#closeOpen(status);
    return [...closed, ...[...this.#serverCalls.keys()].flatMap((index) => this.serverCallEnd(index, null))];
  }

  /** Adds items that ended before the model began. */
  opening(items: readonly OpeningItem[]): readonly ResponseEvent[] {
    return items.flatMap((opening) => {
      const at = this.#position();
      const id = outputItemId(serverItemKinds[opening.type], this.#settings.responseId, at.index);
      const item: ServerItem = { ...opening, id };
      this.#endedItems.push(item);
      return [...itemStartEvents(item, at), ...itemEndEvents(item, at)];
    });
  }

  #addServerArguments(at: number, json: string): readonly ResponseEvent[] {
    const item = this.#endedItems[at];
    if (item === undefined || !isServerItem(item)) return [];
    const place = { index: at, nextSequenceNumber: this.#settings.nextSequenceNumber };
    const [updated, events] = withArguments(item, json, place);
    this.#endedItems[at] = updated;
    return events;
  }

  #startServerCall(index: number, form: ServerCallForm): readonly ResponseEvent[] {
    const closed = this.#closeOpen(this.#open?.call != null ? "incomplete" : "completed");
    const at = this.#position();
    const kind = serverItemKinds[serverItemType(form)];
    const item = newServerItem(outputItemId(kind, this.#settings.responseId, at.index), form);
    this.#endedItems.push(item);
    this.#serverCalls.set(index, at.index);
    return [...closed, ...itemStartEvents(item, at)];
  }

  #updateServerCall(
    index: number,
    update: (item: ServerItem) => ServerItem,
    events: (item: ServerItem, position: ItemPosition) => readonly ResponseEvent[],
  ): readonly ResponseEvent[] {
    const at = this.#serverCalls.get(index);
    const item = at === undefined ? undefined : this.#endedItems[at];
    if (at === undefined || item === undefined || !isServerItem(item)) return [];
    const updated = update(item);
    this.#endedItems[at] = updated;
    return events(updated, { index: at, nextSequenceNumber: this.#settings.nextSequenceNumber });
  }

  #closeOpen(status: Exclude<OutputItemStatus, "in_progress">): readonly ResponseEvent[] {
    const open = this.#open;
    if (open === null) return [];
    const item = this.#toItem(open, status);
    // Clients expect at least one delta, even if the arguments or the input are empty.
    const emptyDelta =
      open.call !== null && !open.hasDelta ? itemDeltaEvents(open, this.#position(), "") : [];
    const events = [...emptyDelta, ...itemEndEvents(item, this.#position())];
    this.#endedItems.push(item);
    this.#open = null;
    return events;
  }

  /** Returns the items in their current state. */
  items(): readonly OutputItem[] {
    const open = this.#open;
    return open === null ? [...this.#endedItems] : [...this.#endedItems, this.#toItem(open, "in_progress")];
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
    return [...started, ...itemDeltaEvents(open, this.#position(), text, logprobs)];
  }

  /** Starts an item. An open tool call is incomplete, because another item starts before its end. */
  #start(type: OpenItem["type"], call: OpenItem["call"]): readonly ResponseEvent[] {
    const closed = this.#closeOpen(this.#open?.call != null ? "incomplete" : "completed");
    const id = outputItemId(itemKinds[type], this.#settings.responseId, this.#endedItems.length);
    this.#open = { id, type, call, text: "", hasDelta: false, logprobs: [] };
    return [...closed, ...itemStartEvents(this.#toItem(this.#open, "in_progress"), this.#position())];
  }

  #position(): ItemPosition {
    return { index: this.#endedItems.length, nextSequenceNumber: this.#settings.nextSequenceNumber };
  }

  #toItem({ id, type, call, text, logprobs }: OpenItem, status: OutputItemStatus): OutputItem {
    if (type === "message")
      return { id, type, status, role: "assistant", content: [textPart(text, [...logprobs])] };
    if (call !== null)
      return callItem({ itemId: id, callId: call.id, form: call.form, status, arguments: text });
    const isEncrypted = this.#settings.request.includesEncryptedReasoning && status !== "in_progress";
    return {
      id,
      type: "reasoning",
      status,
      summary: [{ type: "summary_text", text }],
      encrypted_content: isEncrypted ? encodeOpaque(text) : undefined,
    };
  }
}

const itemKinds = { reasoning: "rs", message: "msg", ...callItemKinds } as const;

function wireLogprob(sampled: SampledLogprob): SampledLogprobBody {
  const { top, ...token } = sampled;
  return { ...toToken(token), top_logprobs: top.map(toToken) };
}

function toToken({ text, logprob, bytes }: TokenLogprob) {
  return { token: text, logprob, bytes };
}
