/** The part of the composition root that builds what is done when nobody waits: the two queues, what is kept, and its end. */
import type { Authenticator } from "../accounts/authentication/authenticate-key.js";
import type { RateLimits } from "../accounts/limits/rate-limits.js";
import type { Config } from "../config.js";
import type { Clock } from "../core/clock.js";
import type { DeferredStore } from "../jobs/deferred/deferred-completion.js";
import type { JobStore } from "../jobs/job.js";
import type { ImageStore } from "../inference/images/stored-image.js";
import type { ModelRegistry } from "../core/model.js";
import type { ResponseStore } from "../inference/responses/stored-response.js";
import type { Writes } from "../store/write.js";
import type { HttpDeps } from "../http/deps.js";
import type { Logger } from "../core/logger.js";
import { deferredTrade } from "../jobs/deferred/job-handler.js";
import { responseTrade } from "../jobs/responses/job-handler.js";
import { createDeferrals } from "../jobs/deferred/deferred-completions.js";
import type { Generator } from "../inference/run/generate.js";
import { createJobQueue, type JobQueue, type Trade } from "../jobs/queue.js";
import { createMemory } from "../inference/responses/stored-responses.js";
import { createRetention } from "../jobs/retention.js";

export interface UnattendedDeps {
  readonly jobs: JobStore;
  readonly deferred: DeferredStore;
  readonly responses: ResponseStore;
  readonly images: Pick<ImageStore, "deleteExpired">;
  readonly writes: Writes;
  readonly authenticator: Authenticator;
  readonly rateLimits: RateLimits;
  readonly models: ModelRegistry;
  readonly generator: Generator;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Unattended extends Pick<HttpDeps, "deferrals" | "memory" | "background"> {
  /** Goes on with what the process before this one left. */
  start(): Promise<void>;
  /** Puts back what is in hand. */
  close(): Promise<void>;
}

export type UnattendedLimits = Pick<Config, "jobsQueuedMax" | "jobsActiveMax" | "responsesMax">;

/** Builds it all; nothing is worked on before `start`. */
export function buildUnattended(limits: UnattendedLimits, deps: UnattendedDeps): Unattended {
  const { deferred, responses, images, clock, logger } = deps;
  const queueOf = (trade: Trade): JobQueue =>
    createJobQueue({
      ...deps,
      trade,
      queuedMax: limits.jobsQueuedMax,
      activeMax: limits.jobsActiveMax,
      onTrouble: (jobId, thrown) => logger.error({ jobId, err: thrown }, "a job could not be brought on"),
    });
  const memory = createMemory({ responses, responsesMax: limits.responsesMax });
  const background = queueOf(responseTrade({ ...deps, memory }));
  const completions = queueOf(deferredTrade(deps));
  const retention = createRetention(
    clock,
    [deferred, responses, images].map((each) => (now, most) => each.deleteExpired(now, most)),
    (thrown) => logger.error({ err: thrown }, "what has expired could not be deleted"),
  );
  return {
    memory,
    background,
    deferrals: createDeferrals({ deferred, queue: completions, clock }),
    async start() {
      await Promise.all([background.start(), completions.start()]);
      retention.start();
    },
    async close() {
      await Promise.all([background.close(), completions.close(), retention.close()]);
      memory.logs.closeAll();
    },
  };
}
