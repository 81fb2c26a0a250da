/**
 * Who runs when. Owns the queue and the slots' accounting of every model; decide.ts decides, this file carries the decisions
 * out. It does not own what runs in a slot (engine/) nor which piece of the KV cache a slot is (engine/llama).
 */
import type { Clock } from "../core/clock.js";
import { HearthError } from "../core/errors.js";
import type { Slot, SlotRequest, Slots } from "../core/slots.js";
import { arrive, close, emptyState, leave, type Decision, type SchedulerState } from "./decide.js";

export interface Scheduler extends Slots {
  /** Refuses whoever waits and whoever comes; running slots stay until released. */
  close(): void;
  /** What `hearth ps` and the tests look at. */
  readonly load: { readonly running: number; readonly waiting: number };
}

interface Waiter {
  readonly grant: () => void;
  readonly refuse: (error: HearthError) => void;
}

/**
 * Builds the scheduler.
 * @param limits.queueDepthMax runs that may wait, over all models.
 */
export function createScheduler(limits: { readonly queueDepthMax: number }, clock: Clock): Scheduler {
  let state: SchedulerState = emptyState(limits.queueDepthMax);
  let heldMsAverage = 1000;
  let lastId = 0;
  const waiters = new Map<string, Waiter>();

  function carryOut(decision: Decision): void {
    state = decision.state;
    for (const effect of decision.effects) {
      const waiter = waiters.get(effect.id);
      waiters.delete(effect.id);
      if (effect.type === "grant") waiter?.grant();
      else waiter?.refuse(refusal(effect.because, retryAfterSeconds()));
    }
  }

  function retryAfterSeconds(): number {
    const rounds = (state.waiting.length + 1) / Math.max(1, state.running.size);
    return Math.min(60, Math.max(1, Math.ceil((heldMsAverage * rounds) / 1000)));
  }

  function heldSlot(id: string, askedAt: number): Slot {
    const grantedAt = clock.monotonic();
    let held = true;
    return {
      queuedMs: grantedAt - askedAt,
      release() {
        if (!held) return;
        held = false;
        heldMsAverage += (clock.monotonic() - grantedAt - heldMsAverage) / 8;
        carryOut(leave(state, id));
      },
    };
  }

  return {
    get load() {
      return { running: state.running.size, waiting: state.waiting.length };
    },
    close: () => carryOut(close(state)),
    acquire: (request) => {
      const id = String(++lastId);
      return waitForSlot(request, waiters, id, {
        ask: () =>
          carryOut(arrive(state, { id, model: request.model, slots: request.slots, teamId: request.teamId })),
        giveUp: () => carryOut(leave(state, id)),
        hold: (askedAt) => heldSlot(id, askedAt),
        now: () => clock.monotonic(),
      });
    },
  };
}

interface WaitSteps {
  readonly ask: () => void;
  readonly giveUp: () => void;
  readonly hold: (askedAt: number) => Slot;
  readonly now: () => number;
}

function waitForSlot(request: SlotRequest, waiters: Map<string, Waiter>, id: string, steps: WaitSteps): Promise<Slot> {
  const { signal } = request;
  return new Promise<Slot>((resolve, reject) => {
    const askedAt = steps.now();
    const onAbort = (): void => {
      waiters.delete(id);
      steps.giveUp();
      reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
    };
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    const stopListening = (): void => signal.removeEventListener("abort", onAbort);
    waiters.set(id, {
      grant: () => (stopListening(), resolve(steps.hold(askedAt))),
      refuse: (error) => (stopListening(), reject(error)),
    });
    steps.ask();
  });
}

function refusal(because: "queue-full" | "closing", retryAfterSeconds: number): HearthError {
  const message =
    because === "closing"
      ? "The server is shutting down. Please try again later."
      : "The server is busy: its queue is full. Please try again later.";
  return new HearthError("overloaded", message, { retryAfterSeconds });
}
