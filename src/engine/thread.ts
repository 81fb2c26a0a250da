/**
 * A thread for work that may take too much, of time or of memory: a piece of it that does ends the thread and not the server.
 * One piece is in hand at a time, the others wait in line. The thread starts with the first piece, again after every death,
 * and ends when nothing was asked of it for a while. What the work is belongs to whoever owns the thread and to its worker.
 */
import { parentPort, Worker } from "node:worker_threads";
import type { Clock } from "../core/clock.js";
import { HearthError } from "../core/errors.js";

export interface WorkThreadOptions {
  readonly clock: Clock;
  /** Compiled worker, which calls `answerWork`. */
  readonly workerUrl: URL;
  /** What it works on, in the plural: for the log and for refusals. */
  readonly subject: string;
  /** Time that one piece of work may take in the thread. */
  readonly workMsMax: number;
  /** Memory of its objects; what WebAssembly takes comes on top. */
  readonly memoryMbMax: number;
  /** Pieces of work that may wait. */
  readonly lineMax: number;
  /** Silence after which the thread ends; null: never. */
  readonly idleMsMax: number | null;
  readonly log: (message: string) => void;
}

/** The thread had to be ended, or ended by itself, with this piece in hand. */
export interface WorkLost {
  readonly type: "lost";
  readonly why: "time" | "death";
}

interface Typed {
  readonly type: string;
}

/** The worker's first message; every other is an outcome. */
const ready = { type: "ready" } as const;

interface Waiting<Work, Outcome> {
  readonly work: Work;
  readonly resolve: (outcome: Outcome | WorkLost) => void;
  readonly reject: (error: Error) => void;
}

/** The owner's side of a thread. Its states: no worker, one that starts, idle, one piece in hand, closed. */
export class WorkThread<Work, Outcome extends Typed> {
  readonly #options: WorkThreadOptions;
  readonly #line: Waiting<Work, Outcome>[] = [];
  #worker: Worker | null = null;
  #ready = false;
  #inHand: Waiting<Work, Outcome> | null = null;
  #stopTimer = (): void => undefined;
  #closed = false;

  constructor(options: WorkThreadOptions) {
    this.#options = options;
  }

  /**
   * @throws HearthError `overloaded` when the line is full or the thread is closed; `internal` when it does not start.
   * @throws the signal's reason when it aborts; a piece that is in hand then is still worked to its end, for nobody.
   */
  run(work: Work, signal?: AbortSignal): Promise<Outcome | WorkLost> {
    if (this.#closed) return Promise.reject(closing());
    if (this.#line.length >= this.#options.lineMax) return Promise.reject(this.#tooMany());
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        const at = this.#line.indexOf(waiting);
        if (at >= 0) this.#line.splice(at, 1);
        reject(signal?.reason instanceof Error ? signal.reason : new Error("aborted"));
      };
      const answered = (): void => signal?.removeEventListener("abort", onAbort);
      const waiting: Waiting<Work, Outcome> = {
        work,
        resolve: (outcome) => (answered(), resolve(outcome)),
        reject: (error) => (answered(), reject(error)),
      };
      if (signal?.aborted === true) return onAbort();
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#line.push(waiting);
      this.#next();
    });
  }

  /** Ends the thread; whatever it had to do is refused. */
  async close(): Promise<void> {
    this.#closed = true;
    const left = [...(this.#inHand === null ? [] : [this.#inHand]), ...this.#line.splice(0)];
    this.#inHand = null;
    for (const waiting of left) waiting.reject(closing());
    await this.#end();
  }

  #next(): void {
    if (this.#inHand !== null) return;
    if (this.#line.length === 0) return this.#rest();
    this.#worker ??= this.#start();
    if (!this.#ready) return;
    const waiting = this.#line.shift();
    if (waiting === undefined) return;
    this.#inHand = waiting;
    this.#stopTimer();
    this.#stopTimer = this.#options.clock.after(this.#options.workMsMax, () => this.#lose("time"));
    this.#worker.postMessage(waiting.work);
  }

  #start(): Worker {
    const { workerUrl, memoryMbMax, subject, log } = this.#options;
    const worker = new Worker(workerUrl, { resourceLimits: { maxOldGenerationSizeMb: memoryMbMax } });
    worker.unref();
    worker.on("message", (report: Outcome | typeof ready) => {
      if (worker !== this.#worker) return;
      if (isReady(report)) this.#ready = true;
      else this.#finish(report);
      this.#next();
    });
    worker.on("error", (error) => log(`thread of the ${subject}: ${error.message}`));
    worker.on("exit", () => {
      if (worker === this.#worker) this.#lose("death");
    });
    return worker;
  }

  #finish(outcome: Outcome | WorkLost): void {
    this.#stopTimer();
    this.#inHand?.resolve(outcome);
    this.#inHand = null;
  }

  #rest(): void {
    const { clock, idleMsMax } = this.#options;
    if (idleMsMax === null || this.#worker === null) return;
    this.#stopTimer();
    this.#stopTimer = clock.after(idleMsMax, () => void this.#end());
  }

  /** The thread is gone, or is to go: what it had in hand is lost, the others go on in a new one. */
  #lose(why: WorkLost["why"]): void {
    const started = this.#ready;
    void this.#end();
    // A thread that cannot start would be started for ever: each start that fails costs somebody in the line their answer.
    if (started) this.#finish({ type: "lost", why });
    else this.#line.shift()?.reject(this.#notStarted());
    this.#next();
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#stopTimer();
    this.#worker = null;
    this.#ready = false;
    await worker?.terminate();
  }

  #tooMany(): HearthError {
    const message = `Too many ${this.#options.subject} are waiting to be read. Please try again later.`;
    return new HearthError("overloaded", message, { retryAfterSeconds: 1 });
  }

  #notStarted(): HearthError {
    const cause = new Error(`the thread of the ${this.#options.subject} ended before it was ready`);
    return new HearthError("internal", "An internal error occurred.", { cause });
  }
}

/** The worker's side: every piece of work is answered by its outcome, in order. What `work` throws ends the thread. */
export function answerWork<Work, Outcome extends Typed>(work: (piece: Work) => Outcome): void {
  parentPort?.on("message", (piece: Work) => parentPort?.postMessage(work(piece)));
  parentPort?.postMessage(ready);
}

function isReady(report: Typed): report is typeof ready {
  return report.type === ready.type;
}

function closing(): HearthError {
  return new HearthError("overloaded", "The server is shutting down. Please try again later.", {
    retryAfterSeconds: 1,
  });
}
