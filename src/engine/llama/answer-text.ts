/**
 * From sampled tokens to deltas: bytes to whole characters, the reasoning block apart from the answer, stop texts found
 * wherever they fall, and every token counted once. Pure and synchronous; one instance per generation.
 *
 * Modes: opening (nothing but white space so far; a reasoning block may begin) -> reasoning -> answer; an answer without a
 * reasoning block goes from opening to answer directly, one whose prompt opened the block starts in reasoning.
 */
import type { TextDelta } from "../../core/generation.js";

const openMark = "<think>";
const closeMark = "</think>";

export interface AnswerTextOptions {
  /** Whether the model's answers may begin with a reasoning block. */
  readonly reasoning: boolean;
  /** true when the prompt ended inside the block. */
  readonly startsInReasoning: boolean;
  readonly stop: readonly string[];
}

type Mode = "opening" | "reasoning" | "answer";

/** The text of one answer. */
export class AnswerText {
  readonly #options: AnswerTextOptions;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #mode: Mode;
  /** Text that may still become part of a mark or a stop text. */
  #held = "";
  /** Tokens sampled since the last delta. */
  #tokens = 0;
  /** White space at the start of a part is not part of it, where a mark came before. */
  #atPartStart: boolean;
  #stoppedBy: string | null = null;
  #out: TextDelta[] = [];

  constructor(options: AnswerTextOptions) {
    this.#options = options;
    this.#mode = options.startsInReasoning ? "reasoning" : options.reasoning ? "opening" : "answer";
    this.#atPartStart = this.#mode !== "answer";
  }

  /** The stop text that was met; nothing after it is text, further tokens need not be sampled. */
  get stoppedBy(): string | null {
    return this.#stoppedBy;
  }

  get inReasoning(): boolean {
    return this.#mode === "reasoning";
  }

  /** Takes one sampled token. @returns the deltas it completed. */
  push(bytes: Uint8Array): readonly TextDelta[] {
    this.#tokens += 1;
    this.#held += this.#decoder.decode(bytes, { stream: true });
    return this.#advance(false);
  }

  /** Nothing more comes: what was held back is text after all. An incomplete character at the very end is dropped. */
  finish(): readonly TextDelta[] {
    const deltas = this.#advance(true);
    this.#flush(this.inReasoning ? "reasoning-delta" : "text-delta", "");
    return [...deltas, ...this.#take()];
  }

  #advance(last: boolean): readonly TextDelta[] {
    while (this.#stoppedBy === null && this.#step(last));
    return this.#take();
  }

  /** Moves on with what is held. @returns true while another look may find more. */
  #step(last: boolean): boolean {
    if (this.#mode === "opening") return this.#stepOpening(last);
    return this.#mode === "reasoning" ? this.#stepReasoning(last) : this.#stepAnswer(last);
  }

  #stepOpening(last: boolean): boolean {
    const text = this.#held.trimStart();
    if (!last && text.length < openMark.length && openMark.startsWith(text)) return false;
    const opens = text.startsWith(openMark);
    if (opens) this.#held = text.slice(openMark.length);
    this.#mode = opens ? "reasoning" : "answer";
    this.#atPartStart = opens;
    return true;
  }

  #stepReasoning(last: boolean): boolean {
    const at = this.#held.indexOf(closeMark);
    if (at >= 0) {
      this.#emit("reasoning-delta", this.#held.slice(0, at).trimEnd());
      this.#flush("reasoning-delta", "");
      this.#held = this.#held.slice(at + closeMark.length);
      this.#mode = "answer";
      this.#atPartStart = true;
      return true;
    }
    const keep = last ? 0 : heldBack(this.#held, [closeMark]);
    const solid = this.#held.slice(0, this.#held.length - keep).trimEnd();
    this.#emit("reasoning-delta", solid);
    this.#held = last ? "" : this.#held.slice(solid.length);
    return false;
  }

  #stepAnswer(last: boolean): boolean {
    const met = firstStop(this.#held, this.#options.stop);
    const keep = last ? 0 : heldBack(this.#held, this.#options.stop);
    const end = met?.at ?? this.#held.length - keep;
    this.#emit("text-delta", this.#held.slice(0, end));
    this.#held = met === null ? this.#held.slice(end) : "";
    this.#stoppedBy = met?.stop ?? null;
    return false;
  }

  #emit(type: TextDelta["type"], text: string): void {
    const shown = this.#atPartStart ? text.trimStart() : text;
    if (shown === "") return;
    this.#atPartStart = false;
    this.#flush(type, shown);
  }

  #flush(type: TextDelta["type"], text: string): void {
    if (text !== "" || this.#tokens > 0) this.#out.push({ type, text, tokens: this.#tokens });
    this.#tokens = 0;
  }

  #take(): readonly TextDelta[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }
}

/** The stop text that begins first in `text`; of two that begin together, the longer. */
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

/** Length of the longest end of `text` that could still become one of the marks. */
function heldBack(text: string, marks: readonly string[]): number {
  let longest = 0;
  for (const mark of marks) {
    for (let size = Math.min(mark.length - 1, text.length); size > longest; size--) {
      if (text.endsWith(mark.slice(0, size))) longest = size;
    }
  }
  return longest;
}
