/**
 * Downloads models in the background. A pull is written before it starts and when it has ended; one that the end of the process
 * interrupts goes on at the next start, or on another server of the database. A client that follows a pull receives its newest
 * progress, and its end; of a pull of another server it receives the end.
 */
import { auditEntry, type AuditDeps } from "../../accounts/audit/audited-change.js";
import type { Actor } from "../../accounts/audit/event.js";
import type { Broadcast } from "../../core/broadcast.js";
import { HearthError, toHearthError } from "../../core/errors.js";
import type { Logger } from "../../core/logger.js";
import type { PullProgress } from "../../models/hub/progress.js";
import type { Puller } from "../../models/hub/puller.js";
import { createOtherPullers, type OtherPullers } from "./other-pullers.js";
import { isEnded, type ModelPull } from "./pull.js";
import type { PullEnd, PullStore } from "./store.js";

const activeMax = 2;
const queuedMax = 100;
const endedMax = 1000;
const listedMax = 200;

interface PullJobsDeps extends AuditDeps {
  readonly pulls: PullStore;
  readonly broadcast: Broadcast;
  readonly openPuller: () => Promise<Puller>;
  /** Finds the new files. */
  readonly reloadModels: () => Promise<void>;
  readonly logger: Logger;
}

/** A pull with what is known of its progress in this process. */
export interface PullStatus {
  readonly pull: ModelPull;
  readonly progress: PullProgress | null;
}

/** A pull that has not ended. */
interface ActivePull {
  pull: ModelPull;
  progress: PullProgress | null;
  readonly stop: AbortController;
  /** Set by `cancel`; the process's own end leaves it false. */
  isCancelled: boolean;
  finished: Promise<void>;
  readonly listeners: Set<() => void>;
}

export class PullJobs {
  readonly #deps: PullJobsDeps;
  readonly #active = new Map<string, ActivePull>();
  readonly #others: OtherPullers;
  #puller: Promise<Puller> | null = null;
  readonly #closing = new AbortController();

  constructor(deps: PullJobsDeps) {
    this.#deps = deps;
    this.#others = createOtherPullers(deps, (id) => this.#cancelHere(id));
  }

  /** Starts what the former process left, or another server that has ended. */
  async start(): Promise<void> {
    for (const pull of await this.#deps.pulls.claim()) this.#add(pull);
    this.#startNext();
  }

  /**
   * Starts a pull; returns the one that has not ended if the same was asked before.
   * @throws HearthError for what names no model, `overloaded` when too many wait.
   */
  async create(what: string, actor: Actor): Promise<PullStatus> {
    (await this.#open()).check(what);
    const same = [...this.#active.values()].find(
      ({ pull, isCancelled }) => pull.what === what && !isCancelled,
    );
    if (same !== undefined) return toStatus(same);
    const elsewhere = this.#deps.broadcast.reachesOthers ? await this.#deps.pulls.findActive(what) : null;
    if (elsewhere !== null) return this.#toStatus(elsewhere);
    if (this.#active.size >= queuedMax)
      throw new HearthError("overloaded", "Too many pulls wait. Please try again later.", {
        retryAfterSeconds: 60,
      });
    const { pulls, writes, random, clock } = this.#deps;
    const pull: ModelPull = {
      id: random.id(),
      what,
      state: "queued",
      actor: actor.id,
      createTime: clock.now(),
      endTime: null,
      modelId: null,
      error: null,
    };
    const active = this.#add(pull);
    try {
      const entry = auditEntry(
        this.#deps,
        actor,
        toEntry(pull, "PullModel", `Started the pull of '${what}'`),
      );
      await writes.commit([pulls.insertion(pull), pulls.trimming(endedMax), entry]);
    } catch (thrown) {
      this.#active.delete(pull.id);
      throw thrown;
    }
    this.#startNext();
    return toStatus(active);
  }

  /** Returns the newest pulls, the newest first. */
  async list(): Promise<readonly PullStatus[]> {
    const newest = await this.#deps.pulls.newest(listedMax);
    return newest.map((pull) => this.#toStatus(pull));
  }

  /** @throws HearthError `not_found`. */
  async find(id: string): Promise<PullStatus> {
    const pull = await this.#deps.pulls.find(id);
    if (pull === null) throw new HearthError("not_found", "Cannot find pull");
    return this.#toStatus(pull);
  }

  /** Stops a pull; one that has ended stays as it is. What is downloaded is kept for a later pull. @throws HearthError `not_found`. */
  async cancel(id: string, actor: Actor): Promise<PullStatus> {
    const status = await this.find(id);
    if (isEnded(status.pull)) return status;
    if (!(await this.#cancelHere(id)) && !(await this.#others.cancel(id))) return status;
    const { pull } = await this.find(id);
    const { writes } = this.#deps;
    if (pull.state === "cancelled")
      await writes.commit([
        auditEntry(
          this.#deps,
          actor,
          toEntry(pull, "CancelModelPull", `Cancelled the pull of '${pull.what}'`),
        ),
      ]);
    return this.#toStatus(pull);
  }

  /** @returns false when this server does not do it. */
  async #cancelHere(id: string): Promise<boolean> {
    const active = this.#active.get(id);
    if (active === undefined) return false;
    active.isCancelled = true;
    active.stop.abort();
    if (active.pull.state === "queued") await this.#end(active, toEnd("cancelled", this.#deps.clock.now()));
    else await active.finished;
    return true;
  }

  /** Returns the status now and after each change, until the pull has ended or the signal is aborted. @throws HearthError `not_found`. */
  async *follow(id: string, signal: AbortSignal): AsyncGenerator<PullStatus> {
    const first = await this.find(id);
    const active = this.#active.get(id);
    if (active === undefined) {
      if (isEnded(first.pull) || !this.#deps.broadcast.reachesOthers) yield first;
      else yield* this.#others.follow(id, AbortSignal.any([signal, this.#closing.signal]));
      return;
    }
    let wake = (): void => undefined;
    let hasNews = true;
    const listener = (): void => {
      hasNews = true;
      wake();
    };
    active.listeners.add(listener);
    signal.addEventListener("abort", listener);
    try {
      while (!signal.aborted) {
        if (!hasNews) await new Promise<void>((resolve) => (wake = resolve));
        hasNews = false;
        const status = toStatus(active);
        yield status;
        if (isEnded(status.pull) || this.#closing.signal.aborted) return;
      }
    } finally {
      active.listeners.delete(listener);
      signal.removeEventListener("abort", listener);
    }
  }

  /** Stops the downloads; they go on at the next start. */
  async close(): Promise<void> {
    this.#closing.abort();
    const running = [...this.#active.values()];
    for (const active of running) {
      active.stop.abort();
      notify(active);
    }
    await Promise.all(running.map(({ finished }) => finished));
  }

  #open(): Promise<Puller> {
    return (this.#puller ??= this.#deps.openPuller());
  }

  #add(pull: ModelPull): ActivePull {
    const stop = new AbortController();
    const active: ActivePull = {
      pull,
      progress: null,
      stop,
      isCancelled: false,
      finished: Promise.resolve(),
      listeners: new Set(),
    };
    this.#active.set(pull.id, active);
    return active;
  }

  #startNext(): void {
    if (this.#closing.signal.aborted) return;
    const all = [...this.#active.values()];
    const running = all.filter(({ pull }) => pull.state === "running").length;
    const waiting = all.filter(({ pull }) => pull.state === "queued");
    for (const active of waiting.slice(0, Math.max(0, activeMax - running))) {
      active.pull = { ...active.pull, state: "running" };
      notify(active);
      active.finished = this.#run(active);
    }
  }

  /** Never rejects. */
  async #run(active: ActivePull): Promise<void> {
    const { clock, logger, reloadModels } = this.#deps;
    const { id, what } = active.pull;
    try {
      const puller = await this.#open();
      const { id: named, kind } = await puller.pull(what, {
        signal: active.stop.signal,
        onProgress(progress) {
          active.progress = progress;
          notify(active);
        },
      });
      await reloadModels();
      const modelId = kind === "projector" ? null : named;
      await this.#end(active, { ...toEnd("done", clock.now()), modelId });
    } catch (thrown) {
      if (active.isCancelled) await this.#end(active, toEnd("cancelled", clock.now()));
      else if (!this.#closing.signal.aborted) {
        const error = toHearthError(thrown);
        logger.error({ pull: id, what, err: error }, "a model could not be pulled");
        await this.#end(active, { ...toEnd("failed", clock.now()), error: error.message });
      }
    }
    this.#startNext();
  }

  /** Writes the end of a pull. If that fails, the pull is tried again at the next start. */
  async #end(active: ActivePull, end: PullEnd): Promise<void> {
    const { pulls, writes, logger } = this.#deps;
    const { id } = active.pull;
    try {
      await writes.commit([pulls.ending(id, end)]);
    } catch (err) {
      logger.error({ pull: id, err }, "the end of a pull could not be written");
    }
    active.pull = { ...active.pull, ...end };
    this.#active.delete(id);
    notify(active);
  }

  #toStatus(pull: ModelPull): PullStatus {
    const active = this.#active.get(pull.id);
    return active === undefined ? { pull, progress: null } : toStatus(active);
  }
}

function toStatus({ pull, progress }: ActivePull): PullStatus {
  return { pull, progress };
}

function notify({ listeners }: ActivePull): void {
  for (const listener of listeners) listener();
}

function toEnd(state: PullEnd["state"], endTime: number): PullEnd {
  return { state, endTime, modelId: null, error: null };
}

function toEntry({ id, what }: ModelPull, action: "PullModel" | "CancelModelPull", description: string) {
  return { action, objectId: id, teamId: null, description, before: null, after: { what } };
}
