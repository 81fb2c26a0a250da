/**
 * Converts sampled tokens to pieces of text: decodes bytes to whole characters, separates the reasoning block from the answer, finds stop
 * sequences across tokens, and counts every token once. Pure and synchronous; one instance per generation.
 *
 * Modes: opening (nothing but white space so far; a reasoning block may begin) -> reasoning -> answer; an answer without a
 * reasoning block goes from opening to answer directly, one whose prompt opened the block starts in reasoning.
 */
import type { SampledLogprob } from "../../../core/generation.js";
import type { ReasoningMarks } from "../reasoning.js";

export interface AnswerTextOptions {
  /** The markers of a reasoning block at the start of the answer; null: there is none. */
  readonly marks: ReasoningMarks | null;
  /** Marks around the text of the answer; null: there are none. */
  readonly answerMarks?: { readonly open: string; readonly close: string } | null;
  /** true when the prompt ended inside the block. */
  readonly startsInReasoning: boolean;
  readonly stop: readonly string[];
  /** Finds calls at the end of reasoning that the model has not closed; absent: there are none. */
  readonly callsInReasoning?: CallsInReasoning;
  /** The end of the prompt that belongs to the answer, and what begins a text after it; absent: nothing. */
  readonly begun?: { readonly promptEnd: string; readonly textOpening: string };
}

export interface CallsInReasoning {
  /** Texts that begin a call. */
  readonly openings: readonly string[];
  /** Whether a text is complete calls and nothing else. */
  readonly isCalls: (text: string) => boolean;
}

export type AnswerMode = "opening" | "reasoning" | "answer";

/** A piece of the answer, with the tokens sampled since the piece before. */
export interface TextPart {
  readonly type: "text" | "reasoning";
  readonly text: string;
  readonly tokens: number;
  /** One for each token of this text; markers that were removed from the text have none. */
  readonly logprobs: readonly SampledLogprob[];
}

/** A token's log probability, and where in the text the token begins and ends. */
interface PlacedLogprob {
  readonly start: number;
  readonly end: number;
  readonly logprob: SampledLogprob;
}

/** The text of one answer. */
export class AnswerText {
  readonly #options: AnswerTextOptions;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #mode: AnswerMode;
  readonly #open: string;
  readonly #close: string;
  /** What ends a text: stop texts, the mark after it, and the mark of another block if that is a control token, which no text has. */
  readonly #stops: readonly string[];
  /** What may end reasoning: its mark, and what begins a call. */
  readonly #reasoningEnds: readonly string[];
  /** Marks around the answer; "" for none. */
  #answerOpen: string;
  readonly #answerClose: string;
  /** Text that may still become part of a marker or a stop sequence. */
  #held = "";
  /** Tokens sampled since the last piece. */
  #tokens = 0;
  #logprobs: PlacedLogprob[] = [];
  /** Length of all text so far. */
  #length = 0;
  /** The answer after the reasoning as the model wrote it, since the last `takeRawAnswer`. */
  #rawAnswer = "";
  /** Whether leading white space is to be dropped, because a marker came before. */
  #atPartStart: boolean;
  #stoppedBy: string | null = null;
  #out: TextPart[] = [];

  constructor(options: AnswerTextOptions) {
    this.#options = options;
    const { marks } = options;
    this.#open = marks?.open ?? "";
    this.#close = marks?.close ?? "";
    const { promptEnd = "", textOpening = "" } = options.begun ?? {};
    this.#held = promptEnd;
    this.#length = promptEnd.length;
    const answer = options.answerMarks ?? marks?.answer;
    this.#answerOpen = answer?.open ?? (promptEnd + textOpening).trim();
    this.#answerClose = answer?.close ?? "";
    const opensAgain = /^<[|｜]/.test(this.#open);
    const textEnds = [this.#answerClose, opensAgain ? this.#open : ""].filter((mark) => mark !== "");
    this.#stops = [...options.stop, ...textEnds];
    this.#reasoningEnds = [this.#close, ...(options.callsInReasoning?.openings ?? [])];
    this.#mode = marks === null ? "answer" : options.startsInReasoning ? "reasoning" : "opening";
    this.#atPartStart = this.#mode !== "answer";
  }

  /** The stop sequence that was found; no further tokens need to be sampled. */
  get stoppedBy(): string | null {
    return this.#stoppedBy;
  }

  get mode(): AnswerMode {
    return this.#mode;
  }

  /** Returns what the model wrote after its reasoning since the last call, including white space and stop sequences. */
  takeRawAnswer(): string {
    const written = this.#rawAnswer;
    this.#rawAnswer = "";
    return written;
  }

  /** Adds one sampled token. @returns the pieces it completed. */
  push(bytes: Uint8Array, logprob: SampledLogprob | null = null): readonly TextPart[] {
    this.#tokens += 1;
    const text = this.#decoder.decode(bytes, { stream: true });
    const start = this.#length;
    this.#length += text.length;
    if (logprob !== null) this.#logprobs.push({ start, end: this.#length, logprob });
    this.#held += text;
    if (this.#mode === "answer") this.#rawAnswer += text;
    return this.#advance(false);
  }

  /** Ends the answer: emits text that was held back. An incomplete character at the end is dropped. */
  finish(): readonly TextPart[] {
    const pieces = this.#advance(true);
    this.#flush(this.#mode === "reasoning" ? "reasoning" : "text", "");
    return [...pieces, ...this.#take()];
  }

  #advance(last: boolean): readonly TextPart[] {
    while (this.#stoppedBy === null && this.#step(last));
    return this.#take();
  }

  /** Processes the held text. @returns true when another step may find more. */
  #step(last: boolean): boolean {
    if (this.#mode === "opening") return this.#stepOpening(last);
    return this.#mode === "reasoning" ? this.#stepReasoning(last) : this.#stepAnswer(last);
  }

  #stepOpening(last: boolean): boolean {
    const text = this.#held.trimStart();
    const mayCome = [this.#open, this.#close].some(
      (mark) => text.length < mark.length && mark.startsWith(text),
    );
    if (!last && mayCome) return false;
    const opens = text.startsWith(this.#open);
    // Some models end reasoning that they have not begun.
    const closes = !opens && text.startsWith(this.#close);
    const mark = opens ? this.#open : closes ? this.#close : null;
    if (mark !== null) this.#cut(this.#held.length - text.length + mark.length);
    if (!opens) this.#rawAnswer = this.#held;
    this.#mode = opens ? "reasoning" : "answer";
    this.#atPartStart = mark !== null;
    return true;
  }

  #stepReasoning(last: boolean): boolean {
    const at = this.#held.indexOf(this.#close);
    if (at >= 0) {
      this.#emit("reasoning", this.#cut(at).trimEnd());
      this.#cut(this.#close.length);
      this.#beginAnswer();
      return true;
    }
    const { openings = [], isCalls } = this.#options.callsInReasoning ?? {};
    const call = firstStop(this.#held, openings)?.at ?? -1;
    const keep = last
      ? begunMark(this.#held, this.#close)
      : call >= 0
        ? this.#held.length - call
        : heldBack(this.#held, this.#reasoningEnds);
    if (last && call >= 0 && isCalls?.(this.#held.slice(call)) === true) {
      this.#emit("reasoning", this.#cut(call).trimEnd());
      this.#beginAnswer();
      return true;
    }
    const complete = this.#held.slice(0, this.#held.length - keep).trimEnd();
    this.#emit("reasoning", this.#cut(complete.length));
    if (last) this.#held = "";
    return false;
  }

  #beginAnswer(): void {
    this.#flush("reasoning", "");
    this.#rawAnswer = this.#held;
    this.#mode = "answer";
    this.#atPartStart = true;
  }

  #stepAnswer(last: boolean): boolean {
    if (this.#answerOpen !== "" && !this.#stepAnswerOpen(last)) return false;
    const met = firstStop(this.#held, this.#stops);
    const keep = last ? begunMark(this.#held, this.#answerClose) : heldBack(this.#held, this.#stops);
    const end = met?.at ?? this.#held.length - keep;
    this.#emit("text", this.#cut(end));
    if (last && met === null) this.#cutMark(keep);
    if (met !== null && !this.#options.stop.includes(met.stop)) {
      this.#cutMark(met.stop.length);
      if (met.stop === this.#open) {
        this.#mode = "reasoning";
        this.#atPartStart = true;
      }
      return true;
    }
    this.#stoppedBy = met?.stop ?? null;
    return false;
  }

  /** Removes the mark that begins the answer. @returns false while it is not known whether there is one */
  #stepAnswerOpen(last: boolean): boolean {
    const text = this.#held.trimStart();
    const mark = this.#answerOpen;
    if (!last && text.length < mark.length && mark.startsWith(text)) return false;
    this.#answerOpen = "";
    if (text.startsWith(mark)) {
      this.#cutMark(this.#held.length - text.length + mark.length);
      this.#atPartStart = true;
    }
    return true;
  }

  /** Removes a mark of the answer from the held text, with the log probabilities of its tokens. */
  #cutMark(length: number): void {
    this.#cut(length);
    const at = this.#length - this.#held.length;
    this.#logprobs = this.#logprobs.filter(({ end }) => end > at);
  }

  /** Removes and returns `count` characters from the front of the held text. */
  #cut(count: number): string {
    const front = this.#held.slice(0, count);
    this.#held = this.#held.slice(count);
    return front;
  }

  #emit(type: TextPart["type"], text: string): void {
    const shown = this.#atPartStart ? text.trimStart() : text;
    const from = this.#length - this.#held.length - shown.length;
    if (shown !== text)
      this.#logprobs = this.#logprobs.filter(({ start, end }) => start >= from || end > from);
    if (shown === "") return;
    this.#atPartStart = false;
    this.#flush(type, shown);
  }

  #flush(type: TextPart["type"], text: string): void {
    const end = this.#length - this.#held.length;
    const logprobs = this.#logprobs.filter(({ start }) => start < end).map(({ logprob }) => logprob);
    this.#logprobs = this.#logprobs.filter(({ start }) => start >= end);
    if (text !== "" || this.#tokens > 0) this.#out.push({ type, text, tokens: this.#tokens, logprobs });
    this.#tokens = 0;
  }

  #take(): readonly TextPart[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }
}

/** Returns the stop sequence that occurs first in `text`; the longer one if two begin at the same place. */
function firstStop(
  text: string,
  stops: readonly string[],
): { readonly at: number; readonly stop: string } | null {
  let best: { at: number; stop: string } | null = null;
  for (const stop of stops) {
    const at = text.indexOf(stop);
    if (at < 0) continue;
    if (best === null || at < best.at || (at === best.at && stop.length > best.stop.length))
      best = { at, stop };
  }
  return best;
}

/** Returns the length of the longest end of `text` that may still become one of the markers. */
function heldBack(text: string, marks: readonly string[]): number {
  let longest = 0;
  for (const mark of marks) {
    for (let size = Math.min(mark.length - 1, text.length); size > longest; size--) {
      if (text.endsWith(mark.slice(0, size))) longest = size;
    }
  }
  return longest;
}

/** Returns the length of the end of `text` that is the beginning of several marks: at least a whole one of them. */
function begunMark(text: string, marks: string): number {
  const length = heldBack(text, [marks]);
  return /^(?:<[^<>]*>|\[[^[\]]*\])/.test(text.slice(text.length - length)) ? length : 0;
}
