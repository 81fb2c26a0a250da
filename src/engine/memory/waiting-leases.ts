/** Requests for a lease that have to wait, in order of arrival. */

interface Waiting<Entry> {
  readonly enter: () => Entry | null;
  readonly resolve: (entry: Entry) => void;
  readonly reject: (thrown: unknown) => void;
}

type Executor<T> = (resolve: (value: T) => void, reject: (thrown: unknown) => void) => void;

/** Returns a promise that rejects with the signal's reason as soon as it aborts. */
export async function promiseOrAbort<T>(
  executor: Executor<T>,
  signal?: AbortSignal,
  aborted?: () => void,
): Promise<T> {
  let onAbort = (): void => undefined;
  try {
    return await new Promise<T>((resolve, reject) => {
      onAbort = () => {
        aborted?.();
        reject(signal?.reason instanceof Error ? signal.reason : new Error("aborted"));
      };
      if (signal?.aborted === true) return onAbort();
      signal?.addEventListener("abort", onAbort, { once: true });
      executor(resolve, reject);
    });
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}

export class WaitingLeases<Entry> {
  #waiting: Waiting<Entry>[] = [];

  /**
   * Waits until `enter`, which `retry` calls, returns an entry.
   * @throws what `enter` throws. @throws the signal's reason when it aborts; `enter` is not called after that.
   */
  wait(enter: () => Entry | null, signal?: AbortSignal): Promise<Entry> {
    let waiting: Waiting<Entry> | null = null;
    const leave = (): void => {
      this.#waiting = this.#waiting.filter((each) => each !== waiting);
    };
    const join: Executor<Entry> = (resolve, reject) => {
      waiting = { enter, resolve, reject };
      this.#waiting.push(waiting);
    };
    return promiseOrAbort(join, signal, leave);
  }

  /** Calls `enter` of each request, in order of arrival. */
  retry(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const each of waiting) {
      try {
        const entry = each.enter();
        if (entry === null) this.#waiting.push(each);
        else each.resolve(entry);
      } catch (thrown) {
        each.reject(thrown);
      }
    }
  }
}
