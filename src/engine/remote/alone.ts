/** Generations that run alone on a server, and those that share it; both in the order in which they come. */

interface Waiting {
  readonly isAlone: boolean;
  readonly enter: () => void;
}

export class AloneGate {
  #sharing = 0;
  #isTaken = false;
  readonly #waiting: Waiting[] = [];

  /** Waits until it may begin. @returns what ends it. @throws the signal's reason when it aborts while it waits */
  async enter(isAlone: boolean, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const leaveQueue = (): void => {
        const at = this.#waiting.indexOf(waiting);
        if (at >= 0) this.#waiting.splice(at, 1);
        this.#admit();
        reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
      };
      const enter = (): void => {
        signal.removeEventListener("abort", leaveQueue);
        resolve();
      };
      const waiting = { isAlone, enter };
      signal.addEventListener("abort", leaveQueue, { once: true });
      this.#waiting.push(waiting);
      this.#admit();
    });
    return () => {
      if (isAlone) this.#isTaken = false;
      else this.#sharing -= 1;
      this.#admit();
    };
  }

  #admit(): void {
    for (;;) {
      const [next] = this.#waiting;
      if (next === undefined || this.#isTaken || (next.isAlone && this.#sharing > 0)) return;
      this.#waiting.shift();
      if (next.isAlone) this.#isTaken = true;
      else this.#sharing += 1;
      next.enter();
    }
  }
}
