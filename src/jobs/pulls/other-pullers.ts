/** Pulls that other servers of the database do. */
import { z } from "zod";
import type { Clock } from "../../core/clock.js";
import { HearthError } from "../../core/errors.js";
import type { Logger } from "../../core/logger.js";
import type { Broadcast } from "../../core/broadcast.js";
import { isEnded, type ModelPull } from "./pull.js";
import type { PullStore } from "./store.js";

interface OtherPullersDeps {
  readonly broadcast: Broadcast;
  readonly pulls: PullStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

export type OtherPullers = ReturnType<typeof createOtherPullers>;

const topic = "cancel pull";
const cancelled = z.object({ id: z.string() });

/** How often, and how many times, it is looked whether the server has ended a pull that it was sent to cancel. */
const lookEveryMs = 100;
const looksMax = 100;
const followEveryMs = 1_000;

/** @param cancelHere does nothing with a pull of another server */
export function createOtherPullers(
  { broadcast, pulls, clock, logger }: OtherPullersDeps,
  cancelHere: (id: string) => Promise<unknown>,
) {
  broadcast.on(topic, (received) => {
    cancelHere(cancelled.parse(received).id).catch((err: unknown) =>
      logger.error({ err }, "a pull could not be cancelled"),
    );
  });
  const later = (ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve));
  return {
    /**
     * Cancels a pull of another server, and waits for its end. @returns false when there is no other server.
     * @throws HearthError `overloaded` when that server does not end it in time.
     */
    async cancel(id: string): Promise<boolean> {
      if (!broadcast.reachesOthers) return false;
      broadcast.send(topic, { id });
      for (let looks = 0; looks < looksMax; looks += 1) {
        const pull = await pulls.find(id);
        if (pull === null || isEnded(pull)) return true;
        await later(lookEveryMs);
      }
      const message = "The server that does the pull has not ended it. Please try again later.";
      throw new HearthError("overloaded", message, { retryAfterSeconds: 5 });
    },
    /** Returns each new state of a pull of another server, until it has ended or the signal is aborted. */
    async *follow(
      id: string,
      signal: AbortSignal,
    ): AsyncGenerator<{ readonly pull: ModelPull; readonly progress: null }> {
      let state = null;
      while (broadcast.reachesOthers && !signal.aborted) {
        const pull = await pulls.find(id);
        if (pull === null) return;
        if (pull.state !== state) yield { pull, progress: null };
        if (isEnded(pull)) return;
        state = pull.state;
        await later(followEveryMs);
      }
    },
  };
}
