/**
 * The output items of one answer: one after another, each begun, told and ended before the next. A block of reasoning is an
 * item, so is a text, and so is a call. Pure.
 */
import type { SampledLogprob, TokenLogprob } from "../../../core/generation.js";
import type { ResponseEvent } from "../event-schema.js";
import { outputItemId } from "./ids.js";
import { itemBegins, itemEnds, itemGrows, textPart, type Place } from "./item-events.js";
import { seal } from "./sealed.js";
import type { OutputItem, OutputItemStatus, SampledLogprobBody } from "../wire.js";

export interface OutputSettings {
  readonly responseId: string;
  /** Whether a reasoning item that has ended carries its text sealed as well. */
  readonly sealsReasoning: boolean;
  /** Gives the next event's number. */
  readonly next: () => number;
}

interface OpenItem {
  readonly id: string;
  readonly type: OutputItem["type"];
  /** Of a call: its number in the answer, and what it is told with. */
  readonly call: { readonly index: number; readonly id: string; readonly name: string } | null;
  /** The text, or the arguments. */
  text: string;
  readonly logprobs: SampledLogprobBody[];
}

export class OutputWriter {
  readonly #settings: OutputSettings;
  readonly #ended: OutputItem[] = [];
  #open: OpenItem | null = null;

  constructor(settings: OutputSettings) {
    this.#settings = settings;
  }

  /** A piece of the reasoning. */
  reasoning(text: string): readonly ResponseEvent[] {
    return text === "" ? [] : this.#grow("reasoning", text, []);
  }

  /** A piece of the answer's text, with the log probabilities of its tokens. */
  text(text: string, logprobs: readonly SampledLogprob[]): readonly ResponseEvent[] {
    return text === "" && logprobs.length === 0 ? [] : this.#grow("message", text, logprobs.map(wireLogprob));
  }

  /** A tool is called. */
  call(index: number, id: string, name: string): readonly ResponseEvent[] {
    return this.#begin("function_call", { index, id, name });
  }

  /** A piece of the JSON of a call's arguments. */
  argument(index: number, json: string): readonly ResponseEvent[] {
    const open = this.#open;
    if (json === "" || open?.call?.index !== index) return [];
    open.text += json;
    return [itemGrows(open, this.#place(), json)];
  }

  /** The arguments of a call are whole. */
  callEnd(index: number): readonly ResponseEvent[] {
    return this.#open?.call?.index === index ? this.close("completed") : [];
  }

  /** Ends the item that is open, if one is. */
  close(status: Exclude<OutputItemStatus, "in_progress">): readonly ResponseEvent[] {
    const open = this.#open;
    if (open === null) return [];
    const item = this.#itemOf(open, status);
    // Clients wait for a piece of the arguments, also where there is nothing in them.
    const piece =
      open.type === "function_call" && open.text === "" ? [itemGrows(open, this.#place(), "")] : [];
    const events = [...piece, ...itemEnds(item, this.#place())];
    this.#ended.push(item);
    this.#open = null;
    return events;
  }

  /** The items as they stand now. */
  items(): readonly OutputItem[] {
    const open = this.#open;
    return open === null ? [...this.#ended] : [...this.#ended, this.#itemOf(open, "in_progress")];
  }

  #grow(
    type: "reasoning" | "message",
    text: string,
    logprobs: readonly SampledLogprobBody[],
  ): readonly ResponseEvent[] {
    const begun = this.#open?.type === type ? [] : this.#begin(type, null);
    const open = this.#open;
    if (open === null) return begun;
    open.text += text;
    open.logprobs.push(...logprobs);
    return [...begun, itemGrows(open, this.#place(), text, logprobs)];
  }

  /** A call that something else follows before its end was cut. */
  #begin(type: OpenItem["type"], call: OpenItem["call"]): readonly ResponseEvent[] {
    const closed = this.close(this.#open?.type === "function_call" ? "incomplete" : "completed");
    const id = outputItemId(itemKinds[type], this.#settings.responseId, this.#ended.length);
    this.#open = { id, type, call, text: "", logprobs: [] };
    return [...closed, ...itemBegins(this.#itemOf(this.#open, "in_progress"), this.#place())];
  }

  #place(): Place {
    return { index: this.#ended.length, next: this.#settings.next };
  }

  #itemOf({ id, type, call, text, logprobs }: OpenItem, status: OutputItemStatus): OutputItem {
    if (type === "message")
      return { id, type, status, role: "assistant", content: [textPart(text, [...logprobs])] };
    if (type === "function_call")
      return { id, type, status, call_id: call?.id ?? "", name: call?.name ?? "", arguments: text };
    const sealed =
      this.#settings.sealsReasoning && status !== "in_progress" ? { encrypted_content: seal(text) } : {};
    return { id, type, status, summary: [{ type: "summary_text", text }], ...sealed };
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
