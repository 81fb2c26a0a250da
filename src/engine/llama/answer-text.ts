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

export interface AnswerText {
  /** Takes one sampled token. @returns the deltas it completed. */
  push(bytes: Uint8Array): readonly TextDelta[];
  /** Nothing more comes: what was held back is text after all. An incomplete character at the very end is dropped. */
  finish(): readonly TextDelta[];
  /** The stop text that was met; nothing after it is text, further tokens need not be sampled. */
  readonly stoppedBy: string | null;
  readonly inReasoning: boolean;
}

type Mode = "opening" | "reasoning" | "answer";

/** Builds the text of one answer. */
export function createAnswerText(options: AnswerTextOptions): AnswerText {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let mode: Mode = options.startsInReasoning ? "reasoning" : options.reasoning ? "opening" : "answer";
  let held = "";
  let tokens = 0;
  let stoppedBy: string | null = null;
  /** White space at the start of a part is not part of it. */
  let atPartStart = mode !== "answer";

  function emit(type: TextDelta["type"], text: string, out: TextDelta[]): void {
    const shown = atPartStart ? text.trimStart() : text;
    if (shown !== "") atPartStart = false;
    if (shown !== "") flush(type, shown, out);
  }

  function flush(type: TextDelta["type"], text: string, out: TextDelta[]): void {
    if (text !== "" || tokens > 0) out.push({ type, text, tokens });
    tokens = 0;
  }

  /** Moves on with what is held; @returns true while another look may find more. */
  function step(out: TextDelta[], last: boolean): boolean {
    if (mode === "opening") {
      const text = held.trimStart();
      if (text.startsWith(openMark)) {
        held = text.slice(openMark.length);
        mode = "reasoning";
        return true;
      }
      if (!last && openMark.startsWith(text)) return false;
      mode = "answer";
      atPartStart = false;
      return true;
    }
    return mode === "reasoning" ? stepReasoning(out, last) : stepAnswer(out, last);
  }

  function stepReasoning(out: TextDelta[], last: boolean): boolean {
    const at = held.indexOf(closeMark);
    if (at >= 0) {
      emit("reasoning-delta", held.slice(0, at).trimEnd(), out);
      flush("reasoning-delta", "", out);
      held = held.slice(at + closeMark.length);
      mode = "answer";
      atPartStart = true;
      return true;
    }
    const keep = last ? 0 : heldBack(held, [closeMark]);
    const solid = held.slice(0, held.length - keep).trimEnd();
    emit("reasoning-delta", solid, out);
    held = last ? "" : held.slice(solid.length);
    return false;
  }

  function stepAnswer(out: TextDelta[], last: boolean): boolean {
    const met = firstStop(held, options.stop);
    if (met !== null) {
      stoppedBy = met.stop;
      emit("text-delta", held.slice(0, met.at), out);
      held = "";
      return false;
    }
    const keep = last ? 0 : heldBack(held, options.stop);
    emit("text-delta", held.slice(0, held.length - keep), out);
    held = held.slice(held.length - keep);
    return false;
  }

  function advance(text: string, last: boolean): readonly TextDelta[] {
    const out: TextDelta[] = [];
    held += text;
    while (stoppedBy === null && step(out, last));
    return out;
  }

  return {
    push(bytes) {
      tokens += 1;
      return advance(decoder.decode(bytes, { stream: true }), false);
    },
    finish() {
      const out = [...(stoppedBy === null ? advance("", true) : [])];
      flush(mode === "reasoning" ? "reasoning-delta" : "text-delta", "", out);
      return out;
    },
    get stoppedBy() {
      return stoppedBy;
    },
    get inReasoning() {
      return mode === "reasoning";
    },
  };
}

/** The stop text that begins first in `text`; of two that begin together, the longer. */
function firstStop(text: string, stops: readonly string[]): { readonly at: number; readonly stop: string } | null {
  let best: { at: number; stop: string } | null = null;
  for (const stop of stops) {
    const at = text.indexOf(stop);
    if (at < 0) continue;
    if (best === null || at < best.at || (at === best.at && stop.length > best.stop.length)) best = { at, stop };
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
