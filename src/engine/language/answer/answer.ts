/**
 * Converts sampled tokens to the events of one answer: text, reasoning and tool calls, with every token counted once. A call that is not
 * constrained by a grammar is emitted only when complete, since it may turn out to be text. Pure and synchronous; one instance per
 * generation.
 */
import type { GenerationEvent, SampledLogprob } from "../../../core/generation.js";
import { AnswerText, type AnswerMode, type TextPart, type AnswerTextOptions } from "./answer-text.js";
import type { ToolEvent } from "../tools/parse/output.js";
import type { ToolParser } from "../tools/parse.js";

export interface AnswerOptions extends AnswerTextOptions {
  /** Parses the calls of the text; null: all of it is text. */
  readonly parser: ToolParser | null;
  /** Prefix of call ids; the call's number follows. */
  readonly callIdPrefix: string;
  /** The answer consists of calls only: an incomplete call at the token limit is not emitted as text. */
  readonly onlyCalls?: boolean;
  /** Calls, complete or not, are left out of the answer. */
  readonly hidesCalls?: boolean;
}

/** The event builder of one answer. */
export class AnswerBuilder {
  readonly #options: AnswerOptions;
  readonly #text: AnswerText;
  /** Tokens and log probabilities that belong to no event yet. */
  #tokens = 0;
  #logprobs: SampledLogprob[] = [];
  /** Events of a call that is not emitted yet. */
  #pendingCallEvents: ToolEvent[] = [];
  #calls = 0;
  #reasoningTokens = 0;
  /** The end of the prompt that the answer's text does not begin with. */
  #promptEnd: string;
  /** Set while a grammar guarantees that a started call is completed. */
  callsAreGuaranteed = false;

  constructor(options: AnswerOptions) {
    this.#options = options;
    this.#text = new AnswerText(options);
    this.#promptEnd = options.begun?.promptEnd ?? "";
  }

  get stoppedBy(): string | null {
    return this.#text.stoppedBy;
  }

  get mode(): AnswerMode {
    return this.#text.mode;
  }

  /** Whether the answer so far ends inside reasoning, which marks or the parser separate. */
  get isReasoning(): boolean {
    return this.mode === "reasoning" || this.#options.parser?.isReasoning === true;
  }

  /** Complete calls emitted so far. */
  get calls(): number {
    return this.#calls;
  }

  get reasoningTokens(): number {
    return this.#reasoningTokens;
  }

  /** See AnswerText. */
  takeRawAnswer(): string {
    return this.#text.takeRawAnswer();
  }

  /** Adds one sampled token. @returns the events it completed. */
  push(bytes: Uint8Array, logprob: SampledLogprob | null): readonly GenerationEvent[] {
    if (this.isReasoning) this.#reasoningTokens += 1;
    return this.#text.push(bytes, logprob).flatMap((piece) => this.#read(piece));
  }

  /** Ends the answer. @param isCut whether a limit ends it, and not the model @returns the remaining events */
  finish(isCut = false): readonly GenerationEvent[] {
    const events = this.#text.finish().flatMap((piece) => this.#read(piece));
    const { parser } = this.#options;
    if (parser !== null) events.push(...this.#emit(parser.finish(isCut)));
    if (this.#tokens > 0) events.push(this.#withTokens({ type: "text-delta", choice: 0, text: "" }));
    return events;
  }

  #read({ type, text, tokens, logprobs }: TextPart): GenerationEvent[] {
    this.#tokens += tokens;
    this.#logprobs.push(...logprobs);
    const { parser } = this.#options;
    if (type === "reasoning") return [this.#withTokens({ type: "reasoning-delta", choice: 0, text })];
    if (parser === null)
      return [this.#withTokens({ type: "text-delta", choice: 0, text: this.#withoutPromptEnd(text) })];
    return this.#emit(parser.push(text));
  }

  #emit(found: readonly ToolEvent[]): GenerationEvent[] {
    const emitted: GenerationEvent[] = [];
    for (const event of found) {
      if (event.type === "text" || event.type === "reasoning") {
        const type = event.type === "text" ? "text-delta" : "reasoning-delta";
        const isLeftOut = type === "text-delta" && this.#options.onlyCalls === true;
        const text = isLeftOut ? "" : this.#withoutPromptEnd(event.text);
        emitted.push(this.#withTokens({ type, choice: 0, text }));
      } else if (this.#options.hidesCalls === true) {
        // Their tokens belong to the next event.
      } else if (event.type === "call-broken" && !event.cut) {
        this.#pendingCallEvents = [];
        const text = this.#withoutPromptEnd(event.text);
        emitted.push(this.#withTokens({ type: "text-delta", choice: 0, text }));
      } else {
        this.#pendingCallEvents.push(event);
        if (this.callsAreGuaranteed || event.type === "call-end" || event.type === "call-broken")
          emitted.push(...this.#emitCall());
      }
    }
    return emitted;
  }

  /** Removes the end of the prompt from the first text. */
  #withoutPromptEnd(text: string): string {
    const promptEnd = this.#promptEnd;
    if (text !== "") this.#promptEnd = "";
    return promptEnd !== "" && text.startsWith(promptEnd) ? text.slice(promptEnd.length) : text;
  }

  #emitCall(): GenerationEvent[] {
    const events = this.#pendingCallEvents;
    this.#pendingCallEvents = [];
    const index = this.#calls;
    return events.flatMap((event): GenerationEvent[] => {
      switch (event.type) {
        case "call-start": {
          const id = `${this.#options.callIdPrefix}${index}`;
          return [this.#withTokens({ type: "tool-call-start", choice: 0, index, id, name: event.name })];
        }
        case "call-delta":
          return [
            this.#withTokens({ type: "tool-call-delta", choice: 0, index, arguments: event.arguments }),
          ];
        case "call-end":
          this.#calls += 1;
          return [this.#withTokens({ type: "tool-call-end", choice: 0, index })];
        default:
          return [];
      }
    });
  }

  /** Attaches the tokens and log probabilities since the last event to this event. */
  #withTokens<Event extends object>(event: Event): Event & { readonly tokens: number } {
    const tokens = this.#tokens;
    const logprobs = this.#logprobs;
    this.#tokens = 0;
    this.#logprobs = [];
    return { ...event, tokens, ...(logprobs.length === 0 ? {} : { logprobs }) };
  }
}
