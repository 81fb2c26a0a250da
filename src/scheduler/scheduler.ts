/**
 * The scheduler: decides when each run gets a slot. It owns the queue and the count of slots of every model; decide.ts decides, this
 * file executes the decisions. What runs in a slot is the engine's (engine/), and so is the slot's part of the KV cache (engine/llama).
 */
import type { Clock } from "../core/clock.js";
import { HearthError } from "../core/errors.js";
import type { Engine } from "../core/engine.js";
import type { RunLoad, ServerLoad } from "../core/metrics.js";
import { noBroadcast, type Broadcast } from "../core/broadcast.js";
import type { Slot, SlotRequest, Slots } from "../core/slots.js";
import { arrive, close, emptyState, hear, leave, type Decision, type SchedulerState } from "./decide.js";
import { summariseDemand } from "./demand.js";
import { DemandExchange } from "./exchange.js";

interface Waiter {
  readonly grant: () => void;
  readonly refuse: (error: HearthError) => void;
}

export class Scheduler implements Slots {
  readonly #clock: Clock;
  readonly #waiters = new Map<string, Waiter>();
  /** null: no other server can use the same slots. */
  readonly #exchange: DemandExchange | null;
  #state: SchedulerState;
  /** Moving average of how long a slot is held, from which `retry-after` is computed. */
  #heldMsAverage = 1000;
  #lastId = 0;

  /**
   * @param limits `queueDepthMax` bounds the runs that may wait, over all models
   * @param broadcast reaches the servers that may use the same slots (`sharedAs`)
   */
  constructor(limits: { readonly queueDepthMax: number }, clock: Clock, broadcast: Broadcast = noBroadcast) {
    this.#clock = clock;
    this.#state = emptyState(limits.queueDepthMax, broadcast.serverId);
    this.#exchange = broadcast.reachesOthers ? this.#exchangeOver(broadcast) : null;
  }

  /** Runs that hold a slot or wait for one. */
  get load(): RunLoad {
    return { running: this.#state.running.size, waiting: this.#state.waiting.length };
  }

  /** Returns the same of one team; null: of all. */
  readLoad(teamId: string | null): RunLoad {
    if (teamId === null) return this.load;
    const count = (runs: Iterable<{ readonly teamId: string }>): number =>
      [...runs].filter((run) => run.teamId === teamId).length;
    return { running: count(this.#state.running.values()), waiting: count(this.#state.waiting) };
  }

  /** Returns the load of a server. @param engines the engines that hold models in memory */
  readServerLoad(engines: readonly Pick<Engine, "residents">[]): ServerLoad {
    const residents = engines.flatMap((engine) => engine.residents());
    const models = residents.map((model) => ({ ...model, slotsHeld: this.slotsHeld(model.id) }));
    return { queueDepth: this.load.waiting, models, runs: (teamId) => this.readLoad(teamId) };
  }

  /** Returns how many slots of the model are held. */
  slotsHeld(model: string): number {
    let held = 0;
    for (const run of this.#state.running.values()) if (run.model === model) held += 1;
    return held;
  }

  /** Refuses waiting and new runs; held slots stay until released. */
  close(): void {
    this.#apply(close(this.#state));
    this.#exchange?.changedAll();
  }

  acquire({ signal, ...request }: SlotRequest): Promise<Slot> {
    const id = String(++this.#lastId);
    const { sharedAs } = request;
    this.#hear(sharedAs);
    const requestedAt = this.#clock.monotonic();
    return new Promise<Slot>((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiters.delete(id);
        this.#leave(id, sharedAs);
        reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
      };
      if (signal.aborted) return onAbort();
      signal.addEventListener("abort", onAbort, { once: true });
      const decided = (): void => signal.removeEventListener("abort", onAbort);
      this.#waiters.set(id, {
        grant: () => (decided(), resolve(this.#heldSlot(id, requestedAt, sharedAs))),
        refuse: (error) => (decided(), reject(error)),
      });
      this.#apply(arrive(this.#state, { id, ...request }), sharedAs);
    });
  }

  #exchangeOver(broadcast: Broadcast): DemandExchange {
    return new DemandExchange({
      broadcast,
      clock: this.#clock,
      readDemand: (sharedAs) => summariseDemand(this.#state, sharedAs),
      onChange: (sharedAs) => this.#hear(sharedAs),
    });
  }

  /** Regards what other servers want of shared slots now. */
  #hear(sharedAs: string | undefined): void {
    if (this.#exchange === null || sharedAs === undefined) return;
    const decision = hear(this.#state, sharedAs, this.#exchange.elsewhere(sharedAs));
    this.#apply(decision, decision.effects.length > 0 ? sharedAs : undefined);
  }

  /** @param sharedAs slots of which this server wants something else now */
  #apply(decision: Decision, sharedAs?: string): void {
    this.#state = decision.state;
    for (const effect of decision.effects) {
      const waiter = this.#waiters.get(effect.id);
      this.#waiters.delete(effect.id);
      if (effect.type === "grant") waiter?.grant();
      else waiter?.refuse(refusal(effect.because, this.#retryAfterSeconds()));
    }
    if (sharedAs !== undefined) this.#exchange?.changed(sharedAs);
  }

  #leave(id: string, sharedAs: string | undefined, tokens?: number): void {
    this.#apply(leave(this.#state, id, tokens));
    if (sharedAs === undefined) return;
    const isWaiting = this.#state.waiting.some((run) => run.sharedAs === sharedAs);
    if (isWaiting) this.#exchange?.changed(sharedAs);
    else this.#exchange?.changedToLess(sharedAs);
  }

  #heldSlot(id: string, requestedAt: number, sharedAs: string | undefined): Slot {
    const grantedAt = this.#clock.monotonic();
    let held = true;
    return {
      queuedMs: grantedAt - requestedAt,
      release: (tokens) => {
        if (!held) return;
        held = false;
        this.#heldMsAverage += (this.#clock.monotonic() - grantedAt - this.#heldMsAverage) / 8;
        this.#leave(id, sharedAs, tokens);
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
