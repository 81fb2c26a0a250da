/**
 * One run of any kind, from its admission until its end is written. A run does not depend on a reader: it takes its slots, does its work
 * and is settled exactly once, whether or not anyone reads the result. What it produces is the business of its kind: a text
 * (text/text-run.ts), images (images/generate-images.ts), or vectors (embeddings/embed.ts).
 *
 * States: loading -> queued -> running -> settled; it can fail or be aborted in any of the first three.
 */
import { setMaxListeners } from "node:events";
import { HearthError, toHearthError, type ErrorKind } from "../../core/errors.js";
import type { FinishedRun } from "../../core/metrics.js";
import type { Model } from "../../core/model.js";
import type { RequestLabels } from "../../core/requests/labels.js";
import type { RunOperation } from "../../core/telemetry/run-operation.js";
import type { EndedRun, RunParameters, Span, StartedRun } from "../../core/telemetry/tracing.js";
import type { Write } from "../../store/writes.js";
import { hold } from "../abortable.js";
import { limited } from "../content/limited.js";
import type { RunContent } from "../content/messages.js";
import { labelsText, withLabels } from "./labels.js";
import type { BillableRun, RunContext, RunServices } from "./run-context.js";
import { RunMoney, type Settlement } from "./run-money.js";
import type { RunEnd } from "./run-record.js";
import type { SettleRetries } from "./settle-retries.js";

/** A slot that a run holds. */
export interface HeldSlot {
  /** Milliseconds the run waited for it. */
  readonly queuedMs: number;
  /** Tokens that the run was served on this slot, prompt included: the measure of fairness between teams. */
  tokensServed: number;
}

/** What a request says of the run that it starts. */
interface RunRequest {
  /** An alias of the model, or its id. */
  readonly model: string;
  readonly labels?: RequestLabels;
  readonly ephemeral?: boolean;
}

/** Characters of each text that a span holds: collectors refuse large ones. */
export const contentCharsMax = 64 * 1024;

export abstract class Run implements BillableRun {
  readonly id: string;
  readonly model: Model;
  readonly requestedModel: string;
  readonly context: RunContext;
  readonly labels: string | null;
  readonly createTime: number;
  readonly money: RunMoney;
  abstract readonly operation: RunOperation;
  abstract readonly parameters: RunParameters;
  readonly timings: Pick<FinishedRun, "ttftMs" | "decodeTps"> = { ttftMs: null, decodeTps: null };
  readonly #services: RunServices;
  readonly #acceptedAt: number;
  readonly #aborting = new AbortController();
  #settling: Promise<unknown> | null = null;
  /** Milliseconds that it waited for slots; null while it has had none. */
  #queuedMs: number | null = null;
  #failure: HearthError | null = null;
  #loaded: { release(keepAliveMs?: number): void } | null = null;
  /** Whether its work has ended. */
  #isOver = false;

  constructor(services: RunServices, model: Model, request: RunRequest, context: RunContext) {
    const { random, clock, withoutSecrets } = services;
    this.#services = services;
    this.id = context.runId ?? random.id();
    this.model = model;
    this.requestedModel = request.model;
    this.context = withLabels(context, request, withoutSecrets);
    this.labels = labelsText(request, withoutSecrets);
    this.createTime = clock.now();
    this.#acceptedAt = clock.monotonic();
    this.money = new RunMoney(services, this);
    // Every choice adds listeners.
    setMaxListeners(0, this.signal);
  }

  /** Whether everything that was requested was produced. */
  abstract isComplete(): boolean;

  /** What it has read and written; null: nobody may see it. */
  protected abstract content(): RunContent | null;

  /** Why the choices ended that did, in that order. */
  protected finishReasons(): readonly string[] {
    return [];
  }

  /** Returns what is written together with the run's end; null when the work will be done again, so that this run is void. */
  protected abstract writes(end: RunEnd): readonly Write[] | null;

  /** Called once when the run is settled, or its settlement is being retried. */
  protected ended(_end: RunEnd): void | Promise<void> {
    return undefined;
  }

  /** Aborts when the run is cancelled or its client leaves. */
  get signal(): AbortSignal {
    return this.#aborting.signal;
  }

  /** The error that ended the run; null while there is none. */
  get failure(): HearthError | null {
    return this.#failure;
  }

  get teamId(): string {
    return this.context.principal.team.id;
  }

  /** Who created its key. */
  get userId(): string {
    return this.context.principal.key.userId;
  }

  /** Resolves, never rejects, once the slots are free and the run is settled, or its settlement is being retried. */
  get finished(): Promise<void> {
    return Promise.resolve(this.#settling).then(() => undefined);
  }

  /** Fails the run; the first error counts. */
  fail(thrown: unknown): void {
    this.#failure ??= toHearthError(thrown);
  }

  /** Aborts the work of the run; what is produced by then is charged. */
  abort(reason?: unknown): void {
    this.#aborting.abort(reason);
  }

  /** Fails the run and aborts its work. @returns false when the work has ended already; then nothing is changed. */
  cancel(reason: HearthError): boolean {
    if (this.#isOver) return false;
    this.fail(reason);
    this.abort(reason);
    return true;
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
    this.#loaded?.release(this.context.keepAliveMs);
  }

  /**
   * Waits for a slot of the model, does the work and frees the slot.
   * @throws HearthError `overloaded`. @throws the signal's reason when it aborts while the run waits.
   */
  async withSlot(
    { slots, sharedAs }: { readonly slots: number; readonly sharedAs?: string },
    tokensExpected: number,
    work: (slot: HeldSlot) => Promise<void>,
  ): Promise<void> {
    const { team } = this.context.principal;
    const slot = await this.#services.slots.acquire({
      slots,
      sharedAs,
      tokensExpected,
      model: this.model.manifest.id,
      teamId: team.id,
      teamWeight: team.weight,
      workClass: this.context.workClass ?? "interactive",
      signal: this.signal,
    });
    this.#queuedMs = (this.#queuedMs ?? 0) + slot.queuedMs;
    const held: HeldSlot = { queuedMs: slot.queuedMs, tokensServed: 0 };
    try {
      await work(held);
    } finally {
      slot.release(held.tokensServed);
    }
  }

  /** Does the work of the run, once, and settles it. Never rejects. @param work produces the result and counts it in `money` */
  start(work: () => Promise<void>, retries: SettleRetries): Promise<Settlement> {
    const span = this.#services.tracing.startRun(() => this.#toStarted());
    const settling = span
      .within(() => this.#execute(work, retries, span))
      .catch((thrown: unknown) => this.#abandon(thrown, retries));
    this.#settling = settling;
    return settling;
  }

  /** Rejects only by a defect of the server: see `#abandon`. */
  async #execute(
    work: () => Promise<void>,
    retries: SettleRetries,
    span: Span<EndedRun>,
  ): Promise<Settlement> {
    const { money, context } = this;
    try {
      await money.refuseWithoutCredit();
      await work();
    } catch (thrown) {
      if (!this.signal.aborted) this.fail(thrown);
    }
    this.#isOver = true;
    const ending = this.#ending();
    if (this.#isServerFault()) money.dropTokens();
    // Before the end is reported: the team's next request finds the limit as it was truly used.
    context.tokenReservation?.reconcile(money.usage);
    this.releaseModel();
    const state = this.#state();
    const writes = this.writes({
      state,
      failure: this.failure,
      usage: money.toChargedUsage(money.chargeTicks),
    });
    const settlement = await this.#settle({ state, ending, writes }, retries);
    if (writes !== null) await this.#keepContent();
    // The audit log has a soft limit that was reached, also when no other request follows.
    if (money.startTime !== null) await this.#services.budgets.warnings(context.principal);
    const finished = this.#toFinished(state, ending.errorKind);
    this.#services.metrics.runFinished(finished);
    const costTicks = settlement.chargedTicks;
    span.end({
      ...finished,
      finishReasons: this.finishReasons(),
      costTicks,
      content: this.#tracedContent(),
    });
    await this.ended({ state, failure: this.failure, usage: money.toChargedUsage(costTicks) });
    return settlement;
  }

  /**
   * Ends a run in which a defect of the server has thrown after its work: the run fails and costs nothing, unless its end is already
   * written, and the server goes on. Never rejects.
   */
  async #abandon(thrown: unknown, retries: SettleRetries): Promise<Settlement> {
    const { onSettleFailure } = this.#services;
    onSettleFailure(this.id, thrown);
    this.fail(thrown);
    this.releaseModel();
    const settlement = await this.#settle({ state: "failed", ending: this.#ending(), writes: null }, retries);
    this.money.dropTokens();
    const usage = this.money.toChargedUsage(settlement.chargedTicks);
    try {
      await this.ended({ state: "failed", failure: this.failure, usage });
    } catch (again) {
      onSettleFailure(this.id, again);
    }
    return settlement;
  }

  async #settle(...[end, retries]: Parameters<RunMoney["settle"]>): Promise<Settlement> {
    const settlement = await this.money.settle(end, retries);
    if (settlement.lost !== null) this.fail(settlement.lost);
    return settlement;
  }

  #state(): FinishedRun["state"] {
    if (this.failure !== null) return "failed";
    return this.isComplete() ? "completed" : "aborted";
  }

  #ending() {
    return {
      finishReason: this.finishReasons().at(-1) ?? null,
      errorKind: this.failure?.kind ?? null,
      firstTokenMs: this.timings.ttftMs,
    };
  }

  /** Whether the run has no answer because of a fault of the server or of its engine. */
  #isServerFault(): boolean {
    const reason: unknown = this.failure ?? (this.isComplete() ? null : this.signal.reason);
    return reason instanceof HearthError && serverFaults.has(reason.kind);
  }

  /** Keeps what the run has read and written, where its team wants it, before its client has the whole answer. */
  async #keepContent(): Promise<void> {
    const { team } = this.context.principal;
    const content = team.keepsBodies && this.money.startTime !== null ? this.content() : null;
    if (content !== null) await this.#services.bodies.record({ id: this.id, teamId: team.id }, content);
  }

  #tracedContent(): EndedRun["content"] {
    const content = this.#services.tracing.takesContent ? this.content() : null;
    if (content === null) return null;
    const text = (messages: RunContent["input"]): string =>
      JSON.stringify(limited(messages, contentCharsMax).messages);
    return { input: text(content.input), output: text(content.output) };
  }

  /** Returns the run as its span shows it from the beginning. */
  #toStarted(): StartedRun {
    const { principal, requestId, endpoint, streamed = false, workClass = "interactive" } = this.context;
    return {
      id: this.id,
      requestId,
      operation: this.operation,
      model: this.model.manifest.id,
      requestedModel: this.requestedModel,
      endpoint,
      teamId: principal.team.id,
      apiKeyId: principal.key.id,
      workClass,
      streamed,
      parameters: this.parameters,
    };
  }

  /** Returns the run as metrics count it. */
  #toFinished(state: FinishedRun["state"], errorKind: ErrorKind | null): FinishedRun {
    const { team, key } = this.context.principal;
    return {
      operation: this.operation,
      teamId: team.id,
      apiKeyId: key.id,
      model: this.model.manifest.id,
      state,
      errorKind,
      usage: this.money.usage,
      durationMs: this.#services.clock.monotonic() - this.#acceptedAt,
      queueMs: this.#queuedMs,
      ttftMs: this.timings.ttftMs,
      decodeTps: this.timings.decodeTps,
    };
  }
}

/** What neither the request nor the model has caused: an error of the server or of an engine, a full queue, the end of the server. */
const serverFaults: ReadonlySet<ErrorKind> = new Set([
  "internal",
  "overloaded",
  "model_unavailable",
  "conflict",
]);
