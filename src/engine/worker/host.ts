/** The worker's side of a WorkerClient: answers calls, reports news of them, and frees the worker's resources at the end. */
import { parentPort, type Transferable } from "node:worker_threads";
import { toHearthError } from "../../core/errors.js";
import { threadClock } from "./thread-clock.js";
import { toWireError } from "./wire-error.js";
import type { CallNews, FromWorker, ToWorker } from "./protocol.js";

/** A call in progress. */
export interface WorkerCall {
  readonly id: number;
  /** Aborts when the client does. It depends on messages, so it aborts only while the event loop of the worker runs. */
  readonly signal: AbortSignal;
  /** Returns whether the client has aborted the call; also works while the worker's event loop is blocked. */
  isAborted(): boolean;
}

interface WorkerHostOptions<Request> {
  /** Answers a call. It is invoked in the order of the messages; several calls may be in progress. */
  readonly answer: (request: Request, call: WorkerCall) => unknown;
  /** Frees the worker's resources, after all calls have finished. */
  readonly close?: () => Promise<void>;
  /** Whether native code hangs on another thread, so that the worker does not answer though its event loop runs. */
  readonly isStuck?: () => boolean;
  /** Whether an error ends the thread instead of being returned, because the worker's state may be corrupt after it. */
  readonly exitsOnError?: boolean;
}

/** A result whose buffers are moved to the client's thread instead of copied. */
export class TransferredResult {
  constructor(
    readonly value: unknown,
    readonly buffers: readonly Transferable[],
  ) {}
}

/** Starts to answer the calls of the client that started this thread or process. A process exits when its client does. */
export function hostWorker<Request>(options: WorkerHostOptions<Request>): void {
  const host = new WorkerHost(options);
  const receive = (message: ToWorker): void => host.receive(message);
  if (parentPort !== null) parentPort.on("message", receive);
  else {
    process.on("message", receive);
    process.on("disconnect", () => process.exit());
  }
  post({ type: "ready" });
}

/** Sends news of several calls in one message. */
export function reportNews(news: readonly CallNews[]): void {
  post({ type: "news", news });
}

/** Writes to the client's log. */
export function logToClient(level: "warn" | "error", message: string): void {
  post({ type: "log", level, message });
}

/** Time between two checks whether native code still hangs. */
const stuckMs = 500;

const neverAborts = new AbortController().signal;

class WorkerHost<Request> {
  readonly #options: WorkerHostOptions<Request>;
  readonly #inProgress = new Map<number, Promise<void>>();
  readonly #controllers = new Map<number, AbortController>();

  constructor(options: WorkerHostOptions<Request>) {
    this.#options = options;
  }

  receive(message: ToWorker): void {
    if (message.type === "call") this.#call(message);
    else if (message.type === "ping") this.#pong();
    else if (message.type === "abort") this.#controllers.get(message.id)?.abort();
    else void this.#close();
  }

  /** Answers as soon as nothing hangs. */
  #pong(): void {
    if (this.#options.isStuck?.() === true) threadClock.after(stuckMs, () => this.#pong());
    else post({ type: "pong" });
  }

  #call({ id, request, abortFlag }: Extract<ToWorker, { type: "call" }>): void {
    const call = abortFlag === null ? withoutAbort(id) : this.#abortable(id, abortFlag);
    const done = this.#answer(request as Request, call).finally(() => {
      this.#inProgress.delete(id);
      this.#controllers.delete(id);
    });
    this.#inProgress.set(id, done);
  }

  #abortable(id: number, abortFlag: Int32Array): WorkerCall {
    const controller = new AbortController();
    this.#controllers.set(id, controller);
    return { id, signal: controller.signal, isAborted: () => Atomics.load(abortFlag, 0) !== 0 };
  }

  async #answer(request: Request, call: WorkerCall): Promise<void> {
    const { id } = call;
    try {
      const value = await this.#options.answer(request, call);
      if (value instanceof TransferredResult) post({ type: "result", id, value: value.value }, value.buffers);
      else post({ type: "result", id, value });
    } catch (thrown) {
      if (this.#options.exitsOnError === true) setImmediate(() => raise(thrown));
      else post({ type: "error", id, error: toWireError(toHearthError(thrown)) });
    }
  }

  async #close(): Promise<void> {
    await Promise.all(this.#inProgress.values());
    await this.#options.close?.();
    post({ type: "closed" });
  }
}

function withoutAbort(id: number): WorkerCall {
  return { id, signal: neverAborts, isAborted: () => false };
}

/** Ends the thread with an uncaught error. */
function raise(thrown: unknown): never {
  throw thrown;
}

function post(message: FromWorker, transfer: readonly Transferable[] = []): void {
  if (parentPort !== null) parentPort.postMessage(message, transfer);
  else process.send?.(message);
}
