/** What the queue of one server says to the queues of the other servers of the database. */
import { z } from "zod";
import type { Broadcast } from "../core/broadcast.js";
import type { Clock } from "../core/clock.js";
import { HearthError } from "../core/errors.js";
import type { JobKind } from "./job.js";
import type { JobStore } from "./store.js";

interface OtherWorkersDeps {
  readonly broadcast: Broadcast;
  readonly jobs: JobStore;
  readonly clock: Clock;
}

/** How long it takes the server that has a job in flight to say so. */
const answerMs = 1_000;
/** How often, and how many times, it is looked whether that server has ended the job. */
const lookEveryMs = 100;
const looksMax = 300;

const message = z.object({ id: z.string() });

/** The queue of this server. */
interface OwnWorker {
  /** Cancels a job that is in flight here; returns false when it is not. */
  readonly cancel: (id: string) => boolean;
  /** Looks for jobs. */
  readonly wake: () => void;
}

export type OtherWorkers = ReturnType<typeof createOtherWorkers>;

export function createOtherWorkers(
  kind: JobKind,
  { broadcast, jobs, clock }: OtherWorkersDeps,
  own: OwnWorker,
) {
  const waiting = new Map<string, () => void>();
  const [asks, answers, news] = [`cancel ${kind}`, `cancelling ${kind}`, `enqueued ${kind}`];
  broadcast.on(asks, (received) => {
    const { id } = message.parse(received);
    if (own.cancel(id)) broadcast.send(answers, { id });
  });
  broadcast.on(answers, (received) => waiting.get(message.parse(received).id)?.());
  broadcast.on(news, () => own.wake());
  const later = (ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve));
  const isAnswered = (id: string): Promise<boolean> =>
    new Promise((resolve) => {
      const end = (answer: boolean): void => {
        stop();
        waiting.delete(id);
        resolve(answer);
      };
      const stop = clock.after(answerMs, () => end(false));
      waiting.set(id, () => end(true));
      broadcast.send(asks, { id });
    });
  const cancel = async (id: string): Promise<boolean> => {
    if (!broadcast.reachesOthers || !(await jobs.hasNode(id))) return false;
    if (!(await isAnswered(id))) return false;
    for (let looks = 0; looks < looksMax; looks += 1) {
      if ((await jobs.find(id)) === null) return true;
      await later(lookEveryMs);
    }
    throw new HearthError(
      "overloaded",
      "The server that does the work has not ended it. Please try again later.",
      { retryAfterSeconds: 5 },
    );
  };
  return {
    /**
     * Cancels a job that another server has in flight, and waits for its outcome. @returns false when none has.
     * @throws HearthError `overloaded` when that server does not end the job in time.
     */
    cancel,
    /** Reports that there is a job, for which this server may have no place. */
    enqueued: (): void => broadcast.send(news, {}),
  };
}
