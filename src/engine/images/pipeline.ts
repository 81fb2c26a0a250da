/**
 * The owner's side of the thread that draws. It owns the thread's life: started with the first work, again after a death, and
 * ended only by itself. One piece of work is in hand at a time; the others wait in line.
 */
import { Worker } from "node:worker_threads";
import { HearthError } from "../../core/errors.js";
import type { Report, Work, WorkerData } from "./protocol.js";

export type Outcome = Exclude<Report, { readonly type: "step" }>;

export interface EaselOptions {
  /** Compiled worker.js. */
  readonly workerUrl: URL;
  readonly log: (message: string) => void;
  /** The thread has died, and what it held is lost. */
  readonly onDeath: () => void;
}

interface InHand {
  readonly onStep: () => void;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: Error) => void;
}

/** Memory of its objects; the runtime's comes on top. */
const memoryMbMax = 1024;

export class Easel {
  readonly #options: EaselOptions;
  readonly #stop = new Int32Array(new SharedArrayBuffer(4));
  #worker: Worker | null = null;
  #inHand: InHand | null = null;
  #line: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(options: EaselOptions) {
    this.#options = options;
  }

  /**
   * Does a piece of work, after those that came before.
   * @throws the signal's reason when it aborts: within a step, or when its turn comes.
   * @throws HearthError `overloaded` once the easel is closed, `internal` where the thread dies over it.
   */
  do(
    work: Work,
    { signal, onStep = noStep }: { signal?: AbortSignal; onStep?: () => void } = {},
  ): Promise<Outcome> {
    const done = this.#line.then(() => this.#begin(work, signal, onStep));
    this.#line = done.catch(() => undefined);
    return done;
  }

  /** Stops what is painted at its next step, refuses what waits, and lets the thread end. */
  async close(): Promise<void> {
    this.#closed = true;
    Atomics.store(this.#stop, 0, 1);
    await this.#line;
    const worker = this.#worker;
    if (worker === null) return;
    const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
    worker.ref();
    worker.postMessage({ type: "end" } satisfies Work);
    await exited;
  }

  async #begin(work: Work, signal: AbortSignal | undefined, onStep: () => void): Promise<Outcome> {
    signal?.throwIfAborted();
    if (this.#closed) throw closing();
    const onAbort = (): void => void Atomics.store(this.#stop, 0, 1);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      const outcome = await this.#ask(work, onStep);
      signal?.throwIfAborted();
      if (outcome.type === "stopped") throw closing();
      return outcome;
    } finally {
      signal?.removeEventListener("abort", onAbort);
      if (!this.#closed) Atomics.store(this.#stop, 0, 0);
    }
  }

  #ask(work: Work, onStep: () => void): Promise<Outcome> {
    const worker = (this.#worker ??= this.#start());
    return new Promise((resolve, reject) => {
      this.#inHand = { onStep, resolve, reject };
      // Else a process that closes would end with nothing left to do but to wait for it.
      worker.ref();
      worker.postMessage(work);
    });
  }

  #start(): Worker {
    const { workerUrl, log } = this.#options;
    const data: WorkerData = { stop: this.#stop };
    const worker = new Worker(workerUrl, {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: memoryMbMax },
    });
    worker.unref();
    worker.on("message", (report: Report) => {
      if (report.type === "step") return this.#inHand?.onStep();
      const inHand = this.#inHand;
      this.#inHand = null;
      // The close waits for its end.
      if (!this.#closed) worker.unref();
      inHand?.resolve(report);
    });
    worker.on("error", (error) => log(`thread of the drawings: ${error.message}`));
    worker.on("exit", () => this.#died());
    return worker;
  }

  #died(): void {
    this.#worker = null;
    const inHand = this.#inHand;
    this.#inHand = null;
    if (this.#closed && inHand === null) return;
    this.#options.onDeath();
    const cause = new Error("the thread of the drawings died");
    inHand?.reject(new HearthError("internal", "An internal error occurred.", { cause }));
  }
}

function noStep(): void {
  // Work that has no steps.
}

function closing(): HearthError {
  return new HearthError("overloaded", "The server is shutting down. Please try again later.", {
    retryAfterSeconds: 1,
  });
}
