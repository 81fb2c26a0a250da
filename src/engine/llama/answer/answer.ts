/**
 * The events of one answer: text and reasoning apart, and tool calls apart from the text, with every token counted once. A
 * call that no grammar holds to its form is told only when it is whole, since it may turn out to be text. Pure and synchronous;
 * one instance per generation.
 */
import type { GenerationEvent, SampledLogprob } from "../../../core/generation.js";
import { AnswerText, type AnswerMode, type AnswerPiece, type AnswerTextOptions } from "./answer-text.js";
import type { ToolEvent } from "../tools/parse/output.js";
import type { ToolParser } from "../tools/parse.js";

export interface AnswerOptions extends AnswerTextOptions {
  /** Reads the calls out of the text; null: all of it is text. */
  readonly parser: ToolParser | null;
  /** Ids of calls begin with it; the call's number follows. */
  readonly callIdPrefix: string;
  /** Nothing but calls is written behind the reasoning: what a bound leaves of one that has no name yet is no text. */
  readonly onlyCalls?: boolean;
}

/** What is told of one answer. */
export class Answer {
  readonly #options: AnswerOptions;
  readonly #text: AnswerText;
  /** Tokens and log probabilities of pieces that completed no event yet. */
  #tokens = 0;
  #logprobs: SampledLogprob[] = [];
  /** Events of a call that is not told yet. */
  #untold: ToolEvent[] = [];
  #calls = 0;
  #reasoningTokens = 0;
  /** Set while a grammar guarantees that what begins as a call becomes one. */
  callsAreSure = false;

  constructor(options: AnswerOptions) {
    this.#options = options;
    this.#text = new AnswerText(options);
  }

  get stoppedBy(): string | null {
    return this.#text.stoppedBy;
  }

  get mode(): AnswerMode {
    return this.#text.mode;
  }

  /** Whole calls told so far. */
  get calls(): number {
    return this.#calls;
  }

  get reasoningTokens(): number {
    return this.#reasoningTokens;
  }

  /** See AnswerText. */
  takeWritten(): string {
    return this.#text.takeWritten();
  }

  /** Takes one sampled token. @returns what it completed. */
  push(bytes: Uint8Array, logprob: SampledLogprob | null): readonly GenerationEvent[] {
    if (this.#text.mode === "reasoning") this.#reasoningTokens += 1;
    return this.#text.push(bytes, logprob).flatMap((piece) => this.#read(piece));
  }

  /** Nothing more comes. */
  finish(): readonly GenerationEvent[] {
    const events = this.#text.finish().flatMap((piece) => this.#read(piece));
    const { parser } = this.#options;
    if (parser !== null) events.push(...this.#tell(parser.finish()));
    if (this.#tokens > 0) events.push(this.#withTokens({ type: "text-delta", choice: 0, text: "" }));
    return events;
  }

  #read({ type, text, tokens, logprobs }: AnswerPiece): GenerationEvent[] {
    this.#tokens += tokens;
    this.#logprobs.push(...logprobs);
    const { parser } = this.#options;
    if (type === "reasoning") return [this.#withTokens({ type: "reasoning-delta", choice: 0, text })];
    if (parser === null) return [this.#withTokens({ type: "text-delta", choice: 0, text })];
    return this.#tell(parser.push(text));
  }

  #tell(found: readonly ToolEvent[]): GenerationEvent[] {
    const told: GenerationEvent[] = [];
    for (const event of found) {
      if (event.type === "text" || event.type === "reasoning") {
        const type = event.type === "text" ? "text-delta" : "reasoning-delta";
        const text = type === "text-delta" && this.#options.onlyCalls === true ? "" : event.text;
        told.push(this.#withTokens({ type, choice: 0, text }));
      } else if (event.type === "call-broken" && !event.cut) {
        this.#untold = [];
        told.push(this.#withTokens({ type: "text-delta", choice: 0, text: event.text }));
      } else {
        this.#untold.push(event);
        if (this.callsAreSure || event.type === "call-end" || event.type === "call-broken")
          told.push(...this.#tellCall());
      }
    }
    return told;
  }

  #tellCall(): GenerationEvent[] {
    const events = this.#untold;
    this.#untold = [];
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

  /** The tokens since the event before go with the next one, whatever it is; log probabilities with text alone. */
  #withTokens<Event extends object>(event: Event): Event & { readonly tokens: number } {
    const tokens = this.#tokens;
    const logprobs = this.#logprobs;
    this.#tokens = 0;
    this.#logprobs = [];
    return { ...event, tokens, ...(logprobs.length === 0 ? {} : { logprobs }) };
  }
}
