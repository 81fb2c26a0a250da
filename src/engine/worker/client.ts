/**
 * The owner's side of a worker: a thread, or a process. Starts the thread at the first call, sends calls and their aborts, delivers results and news,
 * rejects the calls in flight when the thread exits, starts a new thread at the next call, and closes it at the end. The worker's side is
 * host.ts.
 *
 * States: no thread -> starting (calls wait) -> ready (idle, or calls in flight) -> no thread (exit, timeout, idle limit); closed.
 */
import { HearthError, toHearthError } from "../../core/errors.js";
import { fromWireError } from "./wire-error.js";
import {
  readAbortReason,
  shuttingDown,
  WorkerLostError,
  type CallOptions,
  type WorkerClientOptions,
} from "./client-options.js";
import type { FromWorker } from "./protocol.js";
import { WorkerWatch } from "./watch.js";
import { hangsAtEnd, RestartPause, startProcess, startThread, type StartedWorker } from "./start.js";

interface Call<Request, News> {
  readonly id: number;
  readonly request: Request;
  readonly signal: AbortSignal | undefined;
  readonly abortFlag: Int32Array | null;
  readonly onNews: ((news: News) => void) | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** @typeParam Replies the results by the `type` of the request. @typeParam News what the worker reports during a call. */
export class WorkerClient<
  Request extends { readonly type: string },
  Replies extends Readonly<Record<Request["type"], unknown>>,
  News = never,
> {
  readonly #options: WorkerClientOptions<Request>;
  readonly #concurrencyMax: number;
  readonly #waiting: Call<Request, News>[] = [];
  readonly #inFlight = new Map<number, Call<Request, News>>();
  readonly #pause: RestartPause;
  #worker: StartedWorker | null = null;
  #isReady = false;
  #isSlow = false;
  /** Whether a thread has not exited that was ended. */
  #hangs = false;
  #watch: WorkerWatch | null = null;
  #lastId = 0;
  #stopTimer = (): void => undefined;
  #onClosed = (): void => undefined;
  #closing: Promise<void> | null = null;

  constructor(options: WorkerClientOptions<Request>) {
    this.#options = options;
    this.#concurrencyMax = options.concurrencyMax ?? Number.POSITIVE_INFINITY;
    this.#pause = new RestartPause(options.clock, options.restartMsMin);
  }

  /** Whether a watched worker has not answered for some seconds, or hangs after it was ended. */
  get isBlocked(): boolean {
    return this.#hangs || this.#watch?.isLate === true;
  }

  /**
   * Sends a request to the worker.
   * @throws HearthError what the worker threw; `overloaded` when too many calls wait or the client is closed.
   * @throws WorkerLostError when the thread ends before it has answered.
   * @throws the signal's reason when it aborts.
   */
  call<R extends Request>(
    request: R,
    { signal, onNews }: CallOptions<News> = {},
  ): Promise<Replies[R["type"]]> {
    if (this.#closing !== null) return Promise.reject(shuttingDown());
    if (signal?.aborted === true) return Promise.reject(readAbortReason(signal));
    const { waiting } = this.#options;
    if (waiting !== undefined && this.#waiting.length >= waiting.max)
      return Promise.reject(
        new HearthError("overloaded", waiting.overloadedMessage, { retryAfterSeconds: 1 }),
      );
    return new Promise((resolve, reject) => {
      const onAbort = (): void => this.#abort(call);
      const stopListening = (): void => signal?.removeEventListener("abort", onAbort);
      const call: Call<Request, News> = {
        id: ++this.#lastId,
        request,
        signal,
        abortFlag: signal === undefined ? null : new Int32Array(new SharedArrayBuffer(4)),
        onNews,
        resolve: (value) => {
          stopListening();
          resolve(value as Replies[R["type"]]);
        },
        reject: (error) => {
          stopListening();
          reject(error);
        },
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#waiting.push(call);
      this.#dispatch();
    });
  }

  /**
   * Rejects waiting calls and later ones, aborts the calls in flight, lets the worker free its resources, and ends the thread. Resolves
   * after `closeMsMax` at the latest.
   */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    const worker = this.#worker;
    for (const call of this.#waiting.splice(0)) call.reject(shuttingDown());
    if (worker !== null && this.#isReady && this.#options.closeMsMax !== 0) await this.#closeWorker(worker);
    for (const call of this.#inFlight.values()) call.reject(shuttingDown());
    await this.#end();
  }

  async #closeWorker(worker: StartedWorker): Promise<void> {
    const { clock, closeMsMax } = this.#options;
    worker.ref();
    const closed = new Promise<void>((resolve) => (this.#onClosed = resolve));
    for (const call of this.#inFlight.values()) this.#stop(call);
    this.#worker?.post({ type: "close" });
    const stopTimer = closeMsMax === null ? null : clock.after(closeMsMax, this.#onClosed);
    await closed;
    stopTimer?.();
  }

  #dispatch(): void {
    if (this.#waiting.length === 0) {
      if (this.#inFlight.size === 0) this.#rest();
      return;
    }
    if (this.#worker === null && !this.#pause.isOver) return;
    this.#worker ??= this.#start();
    if (!this.#isReady) return;
    while (this.#inFlight.size < this.#concurrencyMax) {
      const call = this.#waiting.shift();
      if (call === undefined) return;
      this.#send(call);
    }
  }

  #send(call: Call<Request, News>): void {
    const { clock, callMsMax, slowCallMs } = this.#options;
    const { id, request, abortFlag } = call;
    // A call in flight keeps the process alive.
    if (this.#inFlight.size === 0) this.#worker?.ref();
    this.#inFlight.set(id, call);
    this.#stopTimer();
    const stops = [
      callMsMax === undefined ? null : clock.after(callMsMax, () => this.#timeOut(callMsMax)),
      slowCallMs === undefined ? null : clock.after(slowCallMs, () => this.#lowerPriority()),
    ];
    this.#stopTimer = () => stops.forEach((stop) => stop?.());
    try {
      this.#worker?.post({ type: "call", id, request, abortFlag });
    } catch (thrown) {
      this.#inFlight.delete(id);
      call.reject(toHearthError(thrown));
    }
  }

  #start(): StartedWorker {
    const { name, runsIn, log } = this.#options;
    const start = runsIn === "process" ? startProcess : startThread;
    const worker: StartedWorker = start(this.#options, {
      onMessage: (message) => {
        if (worker === this.#worker) this.#receive(message);
      },
      onError: (error) => log("error", `${name} worker: ${error.message}`),
      onExit: (reason) => {
        if (worker === this.#worker) this.#exited(reason);
      },
    });
    if (this.#isSlow) worker.lowerPriority();
    return worker;
  }

  #lowerPriority(): void {
    this.#isSlow = true;
    this.#worker?.lowerPriority();
  }

  #receive(message: FromWorker): void {
    switch (message.type) {
      case "news":
        for (const { id, news } of message.news) this.#inFlight.get(id)?.onNews?.(news as News);
        return;
      case "result":
        return this.#finish(message.id, (call) => call.resolve(message.value));
      case "error":
        return this.#finish(message.id, (call) => call.reject(fromWireError(message.error)));
      case "log":
        return this.#options.log(message.level, message.message);
      case "pong":
        return this.#watch?.answered();
      case "ready":
        this.#isReady = true;
        this.#startWatch();
        return this.#dispatch();
      case "closed":
        return this.#onClosed();
    }
  }

  #finish(id: number, finish: (call: Call<Request, News>) => void): void {
    const call = this.#inFlight.get(id);
    this.#inFlight.delete(id);
    if (this.#concurrencyMax === 1) this.#stopTimer();
    if (call?.signal?.aborted === true) call.reject(readAbortReason(call.signal));
    else if (call !== undefined && this.#closing !== null) call.reject(shuttingDown());
    else if (call !== undefined) finish(call);
    this.#resume();
  }

  #abort(call: Call<Request, News>): void {
    const index = this.#waiting.indexOf(call);
    if (index >= 0) this.#waiting.splice(index, 1);
    if (index < 0 && this.#options.onAbort === "stop") this.#stop(call);
    else if (call.signal !== undefined) call.reject(readAbortReason(call.signal));
    if (this.#waiting.length === 0 && this.#inFlight.size === 0) this.#rest();
  }

  /** Notifies the worker that a call in flight is aborted. */
  #stop({ id, abortFlag }: Call<Request, News>): void {
    if (abortFlag === null) return;
    Atomics.store(abortFlag, 0, 1);
    this.#worker?.post({ type: "abort", id });
  }

  /** Lets the process exit while the thread is idle, and starts the idle limit. */
  #rest(): void {
    const { clock, idleMsMax } = this.#options;
    if (this.#worker === null) return;
    this.#worker.unref();
    this.#stopTimer();
    if (idleMsMax !== undefined) this.#stopTimer = clock.after(idleMsMax, () => void this.#end());
  }

  #startWatch(): void {
    const { clock, blockedSecondsMax, name, log } = this.#options;
    if (blockedSecondsMax === undefined) return;
    this.#watch = new WorkerWatch({
      clock,
      secondsMax: () => blockedSecondsMax([...this.#inFlight.values()].map(({ request }) => request)),
      ping: () => this.#worker?.post({ type: "ping" }),
      onGivenUp: (seconds) => {
        log("error", `the ${name} worker has not answered for ${seconds} s and is ended`);
        this.#timeOut(seconds * 1000);
      },
    });
  }

  #timeOut(unansweredMs: number): void {
    const cause = new Error(`the ${this.#options.name} worker did not answer within ${unansweredMs} ms`);
    const lost = this.#takeInFlight();
    this.#lose(lost, new WorkerLostError("timeout", cause));
  }

  #exited(reason: string): void {
    const cause = new Error(`the ${this.#options.name} worker exited with ${reason}`);
    const isStarted = this.#isReady;
    // A thread that cannot start would be started again and again: each attempt rejects the calls that it was started for.
    const lost = isStarted ? this.#takeInFlight() : this.#waiting.splice(0, this.#concurrencyMax);
    this.#lose(lost, new WorkerLostError(isStarted ? "exit" : "start", cause));
  }

  #takeInFlight(): readonly Call<Request, News>[] {
    const calls = [...this.#inFlight.values()];
    this.#inFlight.clear();
    return calls;
  }

  #lose(calls: readonly Call<Request, News>[], error: WorkerLostError): void {
    void this.#end();
    this.#onClosed();
    this.#options.onExit?.();
    for (const call of calls) call.reject(this.#closing === null ? error : shuttingDown());
    this.#pause.begin(() => this.#resume());
    this.#resume();
  }

  #resume(): void {
    if (this.#closing === null) this.#dispatch();
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#stopTimer();
    this.#watch?.stop();
    this.#watch = null;
    this.#worker = null;
    this.#isReady = false;
    if (worker !== null) this.#hangs = await hangsAtEnd(worker, this.#options);
  }
}
