import type { Clock } from "../../core/clock.js";
import type { GenerationEvent } from "../../core/generation.js";

/** Measurements of a run; null until known. */
export interface RunTimings {
  /** Milliseconds it waited for a slot. */
  readonly queueMs: number | null;
  /** Milliseconds from the slot to the first sampled token. */
  readonly prefillMs: number | null;
  /** Milliseconds from the accepted request to the first piece of text or reasoning. */
  readonly ttftMs: number | null;
  /** Tokens a second from the first delta to the last so far; null under two tokens. */
  readonly decodeTps: number | null;
  /** Prompt tokens whose evaluation was skipped, of all prompts started. */
  readonly cachedTokens: number | null;
}

interface Pace {
  readonly firstAt: number;
  readonly lastAt: number;
  /** Sampled after the first delta, up to the last. */
  readonly tokens: number;
}

/** Measures a run from its events; starts when it is constructed. */
export class Stopwatch implements RunTimings {
  queueMs: number | null = null;
  prefillMs: number | null = null;
  ttftMs: number | null = null;
  cachedTokens: number | null = null;
  readonly #clock: Clock;
  readonly #acceptedAt: number;
  #heldAt: number;
  #pace: Pace | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#acceptedAt = this.#heldAt = clock.monotonic();
  }

  get decodeTps(): number | null {
    if (this.#pace === null) return null;
    const { firstAt, lastAt, tokens } = this.#pace;
    return tokens > 0 && lastAt > firstAt ? (tokens * 1000) / (lastAt - firstAt) : null;
  }

  /** Records that the run has its slot. */
  slotGranted(queuedMs: number): void {
    this.queueMs = queuedMs;
    this.#heldAt = this.#clock.monotonic();
  }

  /** Records the next event of the run. */
  observe(event: GenerationEvent): void {
    if (event.type === "generation-start") {
      this.cachedTokens = (this.cachedTokens ?? 0) + event.cachedTokens;
      return;
    }
    const now = this.#clock.monotonic();
    this.prefillMs ??= now - this.#heldAt;
    if (event.type === "generation-end") return;
    if (!("text" in event) || event.text !== "") this.ttftMs ??= now - this.#acceptedAt;
    const { firstAt, tokens } = this.#pace ?? { firstAt: now, tokens: -event.tokens };
    this.#pace = { firstAt, lastAt: now, tokens: tokens + event.tokens };
  }
}
