import type { Clock } from "../../../core/clock.js";
import type { GenerationEvent } from "../../../core/generation.js";

/** Measurements of a run; null until known. */
export interface RunTimings {
  /** Milliseconds since the accepted request. */
  readonly elapsedMs: number;
  /** Milliseconds it waited for the model to be in memory. */
  readonly loadMs: number | null;
  /** Milliseconds it waited for a slot. */
  readonly queueMs: number | null;
  /** Milliseconds from the slot to the first sampled token. */
  readonly prefillMs: number | null;
  /** Milliseconds from the accepted request to the first piece of text or reasoning. */
  readonly ttftMs: number | null;
  /** Milliseconds from the first delta to the last so far. */
  readonly decodeMs: number | null;
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
  loadMs: number | null = null;
  queueMs: number | null = null;
  prefillMs: number | null = null;
  ttftMs: number | null = null;
  cachedTokens: number | null = null;
  readonly #clock: Clock;
  readonly #acceptedAt: number;
  #heldAt: number;
  #pace: Pace | null = null;
  /** The sum over turns that have ended. */
  #earlier: { readonly ms: number; readonly tokens: number } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#acceptedAt = this.#heldAt = clock.monotonic();
  }

  get elapsedMs(): number {
    return this.#clock.monotonic() - this.#acceptedAt;
  }

  get decodeMs(): number | null {
    if (this.#pace === null) return this.#earlier?.ms ?? null;
    return (this.#earlier?.ms ?? 0) + this.#pace.lastAt - this.#pace.firstAt;
  }

  get decodeTps(): number | null {
    const ms = this.decodeMs;
    const tokens = (this.#earlier?.tokens ?? 0) + (this.#pace?.tokens ?? 0);
    return ms !== null && tokens > 0 && ms > 0 ? (tokens * 1000) / ms : null;
  }

  /** Returns what `load` resolves to, and records how long it took. */
  async measureLoad<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
    const began = this.#clock.monotonic();
    const loaded = await load();
    this.loadMs = this.#clock.monotonic() - began;
    return loaded;
  }

  /** Records that the run has its slot. */
  slotGranted(queuedMs: number): void {
    this.queueMs = queuedMs;
    this.#heldAt = this.#clock.monotonic();
  }

  /** Records that the run does not generate until it has a slot again. */
  turnEnded(): void {
    if (this.#pace === null) return;
    const tokens = (this.#earlier?.tokens ?? 0) + this.#pace.tokens;
    this.#earlier = { ms: this.decodeMs ?? 0, tokens };
    this.#pace = null;
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
