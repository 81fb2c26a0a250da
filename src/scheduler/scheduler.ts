/**
 * The scheduler: decides when each run gets a slot. It owns the queue and the count of slots of every model; decide.ts decides, this
 * file executes the decisions. What runs in a slot is the engine's (engine/), and so is the slot's part of the KV cache (engine/llama).
 */
import type { Clock } from "../core/clock.js";
import { HearthError } from "../core/errors.js";
import type { Slot, SlotRequest, Slots } from "../core/slots.js";
import { arrive, close, emptyState, leave, type Decision, type SchedulerState } from "./decide.js";

export interface Scheduler extends Slots {
  /** Refuses waiting and new runs; held slots stay until released. */
  close(): void;
  /** Runs that hold a slot or wait for one. */
  readonly load: { readonly running: number; readonly waiting: number };
  /** Returns the same of one team; null: of all. */
  loadOf(teamId: string | null): { readonly running: number; readonly waiting: number };
  /** Returns how many slots of the model are held. */
  slotsHeld(model: string): number;
}

interface Waiter {
  readonly grant: () => void;
  readonly refuse: (error: HearthError) => void;
}

/** Builds the scheduler; `queueDepthMax` bounds the runs that may wait, over all models. */
export function createScheduler(limits: { readonly queueDepthMax: number }, clock: Clock): Scheduler {
  return new QueueScheduler(limits.queueDepthMax, clock);
}

class QueueScheduler implements Scheduler {
  readonly #clock: Clock;
  readonly #waiters = new Map<string, Waiter>();
  #state: SchedulerState;
  /** Moving average of how long a slot is held, from which `retry-after` is computed. */
  #heldMsAverage = 1000;
  #lastId = 0;

  constructor(queueDepthMax: number, clock: Clock) {
    this.#clock = clock;
    this.#state = emptyState(queueDepthMax);
  }

  get load(): Scheduler["load"] {
    return { running: this.#state.running.size, waiting: this.#state.waiting.length };
  }

  loadOf(teamId: string | null): Scheduler["load"] {
    if (teamId === null) return this.load;
    const count = (runs: Iterable<{ readonly teamId: string }>): number =>
      [...runs].filter((run) => run.teamId === teamId).length;
    return { running: count(this.#state.running.values()), waiting: count(this.#state.waiting) };
  }

  slotsHeld(model: string): number {
    let held = 0;
    for (const run of this.#state.running.values()) if (run.model === model) held += 1;
    return held;
  }

  close(): void {
    this.#apply(close(this.#state));
  }

  acquire({ signal, ...request }: SlotRequest): Promise<Slot> {
    const id = String(++this.#lastId);
    const requestedAt = this.#clock.monotonic();
    return new Promise<Slot>((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiters.delete(id);
        this.#apply(leave(this.#state, id));
        reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
      };
      if (signal.aborted) return onAbort();
      signal.addEventListener("abort", onAbort, { once: true });
      const decided = (): void => signal.removeEventListener("abort", onAbort);
      this.#waiters.set(id, {
        grant: () => (decided(), resolve(this.#heldSlot(id, requestedAt))),
        refuse: (error) => (decided(), reject(error)),
      });
      this.#apply(arrive(this.#state, { id, ...request }));
    });
  }

  #apply(decision: Decision): void {
    this.#state = decision.state;
    for (const effect of decision.effects) {
      const waiter = this.#waiters.get(effect.id);
      this.#waiters.delete(effect.id);
      if (effect.type === "grant") waiter?.grant();
      else waiter?.refuse(refusal(effect.because, this.#retryAfterSeconds()));
    }
  }

  #heldSlot(id: string, requestedAt: number): Slot {
    const grantedAt = this.#clock.monotonic();
    let held = true;
    return {
      queuedMs: grantedAt - requestedAt,
      release: (tokens) => {
        if (!held) return;
        held = false;
        this.#heldMsAverage += (this.#clock.monotonic() - grantedAt - this.#heldMsAverage) / 8;
        this.#apply(leave(this.#state, id, tokens));
      },
    };
  }

  #retryAfterSeconds(): number {
    const rounds = (this.#state.waiting.length + 1) / Math.max(1, this.#state.running.size);
    return Math.min(60, Math.max(1, Math.ceil((this.#heldMsAverage * rounds) / 1000)));
  }
}

function refusal(because: "queue-full" | "closing", retryAfterSeconds: number): HearthError {
  const message =
    because === "closing"
      ? "The server is shutting down. Please try again later."
      : "The server is busy: its queue is full. Please try again later.";
  return new HearthError("overloaded", message, { retryAfterSeconds });
}
