/** What the owner of a worker thread decides: its limits, and what happens to calls that abort or are lost. */
import type { Clock } from "../../core/clock.js";
import { HearthError } from "../../core/errors.js";

/** @typeParam Request the requests of its calls. */
export interface WorkerClientOptions<Request = unknown> {
  readonly clock: Clock;
  /** Name of the worker, for the log. */
  readonly name: string;
  /** Compiled entry of the worker, which calls `hostWorker`. */
  readonly workerUrl: URL;
  /** A thread, unless the worker may do what ends its process. Calls to a process have no signal. */
  readonly runsIn?: "thread" | "process";
  /** Given to a thread; a process gets none. */
  readonly workerData?: unknown;
  /** Limit of the thread's JavaScript heap; memory of native code and WebAssembly is not included. */
  readonly memoryMbMax?: number;
  /** Calls in flight; further calls wait in order. Absent: no limit. */
  readonly concurrencyMax?: number;
  /** Calls that may wait, and the message of the error for further ones. Absent: no limit. */
  readonly waiting?: { readonly max: number; readonly overloadedMessage: string };
  /** Time limit of a call, from when it is in flight; its thread is terminated. Requires a `concurrencyMax` of 1. Absent: no limit. */
  readonly callMsMax?: number;
  /**
   * Time of a call after which the worker, if it is a process, gets a low priority, as do its successors. Requires a `concurrencyMax`
   * of 1. Absent: never.
   */
  readonly slowCallMs?: number;
  /** Time after a loss of the worker in which no other is started, because starting one delays this thread. Absent: none. */
  readonly restartMsMin?: number;
  /**
   * Seconds that the worker's event loop may be blocked before it is ended, by the requests in flight. Absent: it is not watched.
   */
  readonly blockedSecondsMax?: (inFlight: readonly Request[]) => number;
  /** Time without calls after which the thread ends. Absent: never. */
  readonly idleMsMax?: number;
  /**
   * What happens when a call in flight aborts. `stop`: the worker is notified, and the call rejects when the worker has ended it.
   * `leave`: the call rejects at once, and the worker finishes it without a receiver.
   */
  readonly onAbort: "stop" | "leave";
  /** Time that `close` waits before it terminates the thread; null: it waits until the worker has closed, however long that takes. */
  readonly closeMsMax: number | null;
  /**
   * Called when a thread that was ended has not exited in time, because native code hangs in it. It never does, then: its memory and its
   * thread are lost until the process ends.
   */
  readonly onHang?: () => void;
  /** Called when the thread has exited unexpectedly: everything in it is lost. */
  readonly onExit?: () => void;
  readonly log: (level: "warn" | "error", message: string) => void;
}

/** A call was lost because its thread exceeded the time limit, exited, or did not start. */
export class WorkerLostError extends HearthError {
  constructor(
    readonly reason: "timeout" | "exit" | "start",
    cause: Error,
  ) {
    super("internal", "An internal error occurred.", { cause });
  }
}

/** Returns the error of a call to a client that closes. */
export function shuttingDown(): HearthError {
  return new HearthError("overloaded", "The server is shutting down. Please try again later.", {
    retryAfterSeconds: 1,
  });
}

/** Returns the error of a call that was aborted. */
export function readAbortReason(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error("aborted");
}

export interface CallOptions<News> {
  readonly signal?: AbortSignal;
  readonly onNews?: (news: News) => void;
}
