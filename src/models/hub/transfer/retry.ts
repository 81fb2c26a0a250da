/** When a request that failed is sent again: the waits double, and a server's `retry-after` is respected. */
import type { Clock } from "../../../core/clock.js";

const firstWaitMs = 500;
const waitMsMax = 30_000;
/** A server that asks for a longer wait is not waited for. */
const retryAfterMsMax = 300_000;

/** A request that failed in a way that may pass. */
export class PassingFailure extends Error {
  /** null: the server has not said. */
  readonly retryAfterMs: number | null;
  /** The status of the answer; null: the connection failed. */
  readonly status: number | null;

  constructor(status: number | null, retryAfterMs: number | null, cause?: unknown) {
    super(status === null ? "the connection failed" : `status ${status}`, { cause });
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Returns whether a status may be another one when the same is asked later. */
export function isPassing(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/** @returns the milliseconds of a `retry-after` header, which holds seconds or a date; null if it is absent or invalid. */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/**
 * Returns how long to wait before another attempt; null: the server asks for more patience than a person has.
 * @param failures the failures so far, 1 or more.
 */
export function waitMsBefore(failures: number, failure: PassingFailure): number | null {
  const wait = Math.min(waitMsMax, firstWaitMs * 2 ** Math.min(failures - 1, 10));
  if (failure.retryAfterMs === null) return wait;
  return failure.retryAfterMs > retryAfterMsMax ? null : Math.max(wait, failure.retryAfterMs);
}

/** Resolves after a time. @throws the reason of the signal when it aborts before */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      cancel();
      reject(signal.reason as Error);
    };
    const cancel = clock.after(ms, () => {
      signal.removeEventListener("abort", stop);
      resolve();
    });
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
