/**
 * One budget of bytes for all request bodies in memory, from the first byte that is read until the request has ended, and one queue for
 * the work on large ones.
 *
 * Half of the budget is for small bodies, half for large ones, so that neither waits for the other. Each half admits bodies in order of
 * arrival; a body that is larger than its half is admitted when no other one is there.
 */
import type { Clock } from "../clock.js";
import { HearthError } from "../errors.js";

/** Bytes up to which a body is small. */
export const smallBodyBytesMax = 256 * 1024;

/** How long a body waits for its bytes. */
const waitMsMax = 20_000;

/** What a client that is refused waits. */
const retryAfterSeconds = 10;

interface Waiter {
  readonly bytes: number;
  readonly admit: () => void;
}

/** One half of the budget. */
class Share {
  readonly #bytesMax: number;
  readonly #waiting = new Set<Waiter>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Takes bytes when they are free and nothing waits for them; else adds a waiter. @returns whether it took them */
  take(waiter: Waiter): boolean {
    if (this.isFree(waiter.bytes)) {
      this.#bytes += waiter.bytes;
      return true;
    }
    this.#waiting.add(waiter);
    return false;
  }

  isFree(bytes: number): boolean {
    return this.#waiting.size === 0 && this.#hasSpace(bytes);
  }

  leave(waiter: Waiter): void {
    if (this.#waiting.delete(waiter)) this.give(0);
  }

  give(bytes: number): void {
    this.#bytes -= bytes;
    for (const waiter of this.#waiting) {
      if (!this.#hasSpace(waiter.bytes)) return;
      this.#waiting.delete(waiter);
      this.#bytes += waiter.bytes;
      waiter.admit();
    }
  }

  #hasSpace(bytes: number): boolean {
    return this.#bytes === 0 || this.#bytes + bytes <= this.#bytesMax;
  }
}

/** The budget, and the queue of the work on large bodies. */
export class BodyBudget {
  readonly #clock: Clock;
  readonly #small: Share;
  readonly #large: Share;
  #work: Promise<unknown> = Promise.resolve();

  /** @param bytesMax of all bodies together */
  constructor(clock: Clock, bytesMax: number) {
    this.#clock = clock;
    this.#small = new Share(bytesMax / 2);
    this.#large = new Share(bytesMax / 2);
  }

  /** Bytes that are reserved. */
  get bytes(): number {
    return this.#small.bytes + this.#large.bytes;
  }

  /** Returns a place for one body, which has no bytes yet. */
  open(): BodyPlace {
    const chooseShare = (bytes: number): Share => (bytes <= smallBodyBytesMax ? this.#small : this.#large);
    return new BodyPlace(chooseShare, (refuse) => this.#clock.after(waitMsMax, refuse));
  }

  /** Does work on a body. The work on a large one begins when the work on the large ones before has ended. */
  async work<Result>(bytes: number, action: () => Promise<Result>): Promise<Result> {
    if (bytes <= smallBodyBytesMax) return action();
    const own = this.#work.then(action);
    this.#work = own.catch(() => undefined);
    return own;
  }
}

/** The bytes of one body in the budget. */
export class BodyPlace {
  readonly #chooseShare: (bytes: number) => Share;
  readonly #startTimer: (refuse: () => void) => () => void;
  #held: { readonly share: Share; readonly bytes: number } | null = null;
  #refuse: (() => void) | null = null;
  #isReleased = false;

  constructor(chooseShare: (bytes: number) => Share, startTimer: (refuse: () => void) => () => void) {
    this.#chooseShare = chooseShare;
    this.#startTimer = startTimer;
  }

  /**
   * Reserves bytes in place of those that are reserved, which stay so meanwhile. Waits until they are free.
   * @throws HearthError `overloaded` with `retryAfterSeconds` when they are not free in time, or the place is released.
   */
  reserve(bytes: number): Promise<void> {
    if (this.#isReleased) return Promise.reject(tooManyBodies());
    const share = this.#chooseShare(bytes);
    return new Promise((resolve, reject) => {
      let stopTimer = (): void => undefined;
      const waiter: Waiter = {
        bytes,
        admit: () => {
          stopTimer();
          this.#refuse = null;
          this.#hold({ share, bytes });
          resolve();
        },
      };
      if (share.take(waiter)) return waiter.admit();
      this.#refuse = () => {
        stopTimer();
        share.leave(waiter);
        reject(tooManyBodies());
      };
      stopTimer = this.#startTimer(this.#refuse);
    });
  }

  /** Reserves bytes when they are free. @returns whether they were */
  tryReserve(bytes: number): boolean {
    const share = this.#chooseShare(bytes);
    if (this.#isReleased || !share.isFree(bytes)) return false;
    void this.reserve(bytes);
    return true;
  }

  /** Gives back all but a number of bytes. */
  shrink(bytes: number): void {
    if (this.#held === null || bytes >= this.#held.bytes) return;
    const { share, bytes: before } = this.#held;
    this.#held = { share, bytes };
    share.give(before - bytes);
  }

  /** Gives the bytes back; refuses those that it waits for. */
  release(): void {
    this.#isReleased = true;
    this.#refuse?.();
    this.#refuse = null;
    this.#hold(null);
  }

  #hold(next: { readonly share: Share; readonly bytes: number } | null): void {
    const before = this.#held;
    this.#held = next;
    before?.share.give(before.bytes);
  }
}

/** The error for a body for which there is no memory in time. */
function tooManyBodies(): HearthError {
  return new HearthError(
    "overloaded",
    "The server is reading too many large requests. Please try again later.",
    { retryAfterSeconds },
  );
}
