/** One run while it executes: what it has produced so far, and the steps that runs of every kind take. */
import { toHearthError, type HearthError } from "../../core/errors.js";
import type { Ticks } from "../../core/money.js";
import { limitUsage, noUsage, type Usage, type UsageBound } from "../../core/usage.js";
import { hold } from "../abortable.js";
import { enlarge, record } from "./billing.js";
import { reservationFor, type Reservation, type SpendableReading } from "./reservation.js";
import type { BillableRun, ExecutorDeps } from "./run-deps.js";
import type { RunEnding } from "./run-record.js";

/** A slot that a run holds. */
export interface HeldSlot {
  /** Milliseconds the run waited for it. */
  readonly queuedMs: number;
  /** Tokens that the run was served on this slot, prompt included: the measure of fairness between teams. */
  tokensServed: number;
}

/** What a run needs of a slot. */
export interface SlotNeeds {
  /** The model, whose slots they are. */
  readonly loaded: { readonly slots: number; readonly sharedAs?: string };
  readonly tokensExpected: number;
}

/** What is written of a run before it produces anything. */
export interface RunStart {
  readonly promptTokens: number;
  /** The most that the run can consume. */
  readonly bound: UsageBound;
}

export class Execution {
  readonly run: BillableRun;
  readonly signal: AbortSignal;
  /** When its request was accepted: milliseconds since the epoch. */
  readonly createTime: number;
  /** Milliseconds that it waited for slots; null while it has had none. */
  queuedMs: number | null = null;
  /** When its row was inserted; null while it has none. */
  startTime: number | null = null;
  /** What its team could spend when the run was admitted; null when that does not matter. */
  spendable: SpendableReading | null = null;
  /** Sampled tokens of attempts at an answer that were not valid. */
  discardedTokens = 0;
  /** What the run is charged; null until it is settled. */
  chargedTicks: Ticks | null = null;
  /** Complete once the work has ended. */
  ending: RunEnding = { finishReason: null, errorKind: null, firstTokenMs: null };
  readonly #deps: ExecutorDeps;
  readonly #acceptedAt: number;
  readonly #aborting: AbortController;
  #failure: HearthError | null = null;
  #loaded: { release(keepAliveMs?: number): void } | null = null;
  #recording: Promise<void> | null = null;
  #recorded: Reservation | null = null;
  /** As it was counted. */
  #usage: Usage = noUsage;
  /** The most that is reserved; null while the run has no row. */
  #most: UsageBound | null = null;
  #isOver = false;

  constructor(deps: ExecutorDeps, run: BillableRun, aborting: AbortController) {
    this.#deps = deps;
    this.run = run;
    this.#aborting = aborting;
    this.signal = aborting.signal;
    this.createTime = deps.clock.now();
    this.#acceptedAt = deps.clock.monotonic();
  }

  /** Milliseconds since its request was accepted. */
  get elapsedMs(): number {
    return this.#deps.clock.monotonic() - this.#acceptedAt;
  }

  /** What the run has produced so far, never more than is reserved for it, whatever an engine says: what it is charged for. */
  get usage(): Usage {
    return this.#most === null ? this.#usage : limitUsage(this.#usage, this.#most);
  }

  /** Changes what the run has produced. */
  count(change: (usage: Usage) => Usage): void {
    this.#usage = change(this.#usage);
  }

  /** The error that ended the run; null while there is none. */
  get failure(): HearthError | null {
    return this.#failure;
  }

  /** What was reserved when the run's row was inserted; null while it has no row. */
  get recorded(): Reservation | null {
    return this.#recorded;
  }

  /** Fails the run; the first error counts. */
  fail(thrown: unknown): void {
    this.#failure ??= toHearthError(thrown);
  }

  abort(): void {
    this.#aborting.abort();
  }

  /** Fails the run and aborts its work. @returns false when the work has ended already; then nothing is changed. */
  cancel(reason: HearthError): boolean {
    if (this.#isOver) return false;
    this.fail(reason);
    this.#aborting.abort(reason);
    return true;
  }

  /** Called when the work has ended: from now on, the run cannot be cancelled. */
  workEnded({ finishReason, firstTokenMs }: Omit<RunEnding, "errorKind">): void {
    this.#isOver = true;
    this.ending = { finishReason, firstTokenMs, errorKind: this.#failure?.kind ?? null };
  }

  /** Waits for the model and keeps it in memory until the work has ended. @throws the signal's reason when it aborts. */
  async load<Loaded extends { release(keepAliveMs?: number): void }>(
    loading: Promise<Loaded>,
  ): Promise<Loaded> {
    const loaded = await hold(loading, this.signal);
    this.#loaded = loaded;
    return loaded;
  }

  releaseModel(): void {
    this.#loaded?.release(this.run.context.keepAliveMs);
  }

  /**
   * Checks that the team can pay for the run, and that its budgets cover it.
   * @returns a function that inserts the run's row and reserves its bound, once however often it is called. It must be called before
   * anything is produced.
   * @throws HearthError `no_credits`, `budget_exceeded`, `invalid_value`.
   */
  async prepareRecord({ promptTokens, bound }: RunStart): Promise<() => Promise<void>> {
    const reservation = await reservationFor(this.#deps, this.run, bound, this.spendable);
    const insert = async (): Promise<void> => {
      const { createTime } = this;
      this.startTime = await record(this.#deps, this.run, { promptTokens, reservation, createTime });
      this.#recorded = reservation;
      this.#most = bound;
    };
    return () => (this.#recording ??= insert());
  }

  /**
   * Reserves more for a run that has its row.
   * @param more what it can consume besides what is reserved.
   * @throws HearthError `no_credits`, `budget_exceeded`, `invalid_value`; then what was reserved before stays reserved.
   */
  async reserveMore(more: RunStart["bound"]): Promise<void> {
    if (this.#recorded === null || this.#most === null)
      throw new Error("a run without a row cannot reserve more");
    this.#recorded = await enlarge(this.#deps, this.run, this.#recorded, more);
    // What was counted beyond the bound takes nothing of what is added.
    this.#usage = this.usage;
    this.#most = sumBounds(this.#most, more);
  }

  /**
   * Waits for a slot of the model, does the work and frees the slot.
   * @throws HearthError `overloaded`. @throws the signal's reason when it aborts while the run waits.
   */
  async withSlot(
    { loaded, tokensExpected }: SlotNeeds,
    work: (slot: HeldSlot) => Promise<void>,
  ): Promise<void> {
    const { model, context } = this.run;
    const { team } = context.principal;
    const slot = await this.#deps.slots.acquire({
      slots: loaded.slots,
      sharedAs: loaded.sharedAs,
      tokensExpected,
      model: model.manifest.id,
      teamId: team.id,
      teamWeight: team.weight,
      workClass: context.workClass ?? "interactive",
      signal: this.signal,
    });
    this.queuedMs = (this.queuedMs ?? 0) + slot.queuedMs;
    const held: HeldSlot = { queuedMs: slot.queuedMs, tokensServed: 0 };
    try {
      await work(held);
    } finally {
      slot.release(held.tokensServed);
    }
  }
}

function sumBounds(one: UsageBound, other: UsageBound): UsageBound {
  return {
    prompt: one.prompt + other.prompt,
    sampled: one.sampled + other.sampled,
    images: (one.images ?? 0) + (other.images ?? 0),
  };
}
