/** Work that several callers ask for at the same time is done once: each gets its events and its result. */

export interface SharedWork<Event, Result> {
  /**
   * Runs the work, or joins the one that runs for the same key. A caller that aborts leaves; the work ends when the last one has left.
   * @throws what the work throws; the reason of the caller's signal.
   */
  run(
    key: string,
    signal: AbortSignal,
    listener: (event: Event) => void,
    work: (signal: AbortSignal, emit: (event: Event) => void) => Promise<Result>,
  ): Promise<Result>;
}

interface Running<Event, Result> {
  readonly listeners: Set<(event: Event) => void>;
  readonly stop: AbortController;
  readonly result: Promise<Result>;
}

export function createSharedWork<Event, Result>(): SharedWork<Event, Result> {
  const running = new Map<string, Running<Event, Result>>();

  function start(key: string, work: Parameters<SharedWork<Event, Result>["run"]>[3]): Running<Event, Result> {
    const listeners = new Set<(event: Event) => void>();
    const stop = new AbortController();
    const emit = (event: Event): void => {
      for (const listener of listeners) listener(event);
    };
    const result = work(stop.signal, emit).finally(() => {
      if (running.get(key) === started) running.delete(key);
    });
    const started = { listeners, stop, result };
    running.set(key, started);
    return started;
  }

  return {
    async run(key, signal, listener, work) {
      signal.throwIfAborted();
      const joined = running.get(key) ?? start(key, work);
      joined.listeners.add(listener);
      const leave = new AbortController();
      const left = new Promise<never>((_, reject) => {
        const abort = (): void => {
          joined.listeners.delete(listener);
          const isLast = joined.listeners.size === 0;
          if (isLast) {
            running.delete(key);
            joined.stop.abort(signal.reason);
          }
          // The last one waits until the work has ended and what it holds is released.
          const ended = isLast ? joined.result.then(undefined, () => undefined) : Promise.resolve();
          void ended.then(() => reject(signal.reason as Error));
        };
        signal.addEventListener("abort", abort, { once: true, signal: leave.signal });
      });
      try {
        return await Promise.race([joined.result, left]);
      } finally {
        leave.abort();
        joined.listeners.delete(listener);
      }
    },
  };
}
