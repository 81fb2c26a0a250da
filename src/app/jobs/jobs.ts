/** The part of the composition root that builds work done in the background: the job queues, batches, and the deletion of what has expired. */
import type { Config } from "../../config/config.js";
import { eventsAfter } from "../../answers/responses/stored-events.js";
import { createStoredObjects } from "../../jobs/stored/stored-objects.js";
import { createConversations } from "../../inference/conversations/conversations.js";
import { createStoredCompletions } from "../../inference/completions/stored-completions.js";
import { deferredCompletionHandler } from "../../jobs/deferred/job-handler.js";
import { backgroundResponseHandler } from "../../jobs/background-responses.js";
import { createDeferredCompletions } from "../../jobs/deferred/deferred-completions.js";
import { createMcpApprovals } from "../../answers/mcp/approvals.js";
import { Claims } from "../../jobs/claims.js";
import type { JobHandler } from "../../jobs/handler.js";
import { JobQueue } from "../../jobs/queue.js";
import { createStoredResponses } from "../../inference/responses/stored-responses.js";
import { createBatchWork } from "../../jobs/batches/batch-work.js";
import { createRetention, listSweeps } from "../../jobs/retention.js";
import type { Authentication } from "../accounts.js";
import type { TracedDeps } from "../system-deps.js";
import type { Runners } from "../runners.js";
import type { Stores } from "../stores/stores.js";

type JobsDeps = Omit<Stores, "files"> & TracedDeps & Runners & Omit<Authentication, "keyUse">;

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

/** Days for which a used approval of a call is remembered, at least. */
const approvalsKeptDaysMin = 90;

/** Builds the queues and the retention; no job is started before `start`. */
export function buildJobs(limits: Config, deps: JobsDeps) {
  const { deferred, clock, logger } = deps;
  const claims = new Claims(deps.jobs, clock);
  const createQueue = (handler: JobHandler): JobQueue =>
    new JobQueue({
      ...deps,
      claims,
      handler,
      queuedMax: limits.jobsQueuedMax,
      activeMax: limits.jobsActiveMax,
      onError: (jobId, thrown) => logger.error({ jobId, err: thrown }, "a job could not be processed"),
    });
  const stored = buildStored(limits, deps);
  const { storedResponses } = stored;
  const backgroundJobs = createQueue(backgroundResponseHandler({ ...deps, ...stored }));
  const outcomeKeptMs = limits.deferredKeptHours * hourMs;
  const deferredJobs = createQueue(deferredCompletionHandler({ ...deps, ...stored, outcomeKeptMs }));
  const batches = createBatchWork({
    ...deps,
    ...stored,
    lines: deps.batchLines,
    createQueue,
    limits,
    linesQueued: limits.jobsActiveMax,
    pricePercent: limits.batchPricePercent,
    onError: (batchId, thrown) => logger.error({ batchId, err: thrown }, "a batch could not be continued"),
  });
  const retention = createRetention(clock, listSweeps(deps, limits.runsKeptDays), (err) =>
    logger.error({ err }, "expired rows could not be deleted"),
  );
  const services = {
    ...stored,
    backgroundJobs,
    batches: batches.batches,
    deferredCompletions: createDeferredCompletions({ deferred, queue: deferredJobs, clock, outcomeKeptMs }),
  };
  return {
    /** What the HTTP server uses of them. */
    services: { ...services, storedObjects: createStoredObjects({ ...deps, ...services }) },
    /** Starts the queues, beginning with the jobs that the previous process left. */
    async start(): Promise<void> {
      await Promise.all([backgroundJobs.start(), deferredJobs.start(), batches.start()]);
      retention.start();
    },
    /** Looks for jobs of servers that have ended. */
    wake(): void {
      for (const queue of [backgroundJobs, deferredJobs, batches]) queue.wake();
    },
    /** Ends the runs of the jobs in flight and puts the jobs back into the queues. */
    async close(): Promise<void> {
      await Promise.all([backgroundJobs.close(), deferredJobs.close(), batches.close(), retention.close()]);
      storedResponses.logs.closeAll();
    },
  };
}

/** Builds what stores responses, chat completions and conversations. */
function buildStored(limits: Config, deps: JobsDeps) {
  const storedResponses = createStoredResponses({
    responses: deps.responses,
    responsesMax: limits.responsesMax,
    keptMs: limits.responsesKeptDays * dayMs,
    eventsAfter,
    others: deps.broadcast.reachesOthers
      ? { ...deps, onError: (err) => deps.logger.error({ err }, "a response could not be followed") }
      : null,
  });
  const conversations = createConversations({ ...deps, store: deps.conversations, limits });
  const storedCompletions = createStoredCompletions({
    ...deps,
    store: deps.completions,
    chatCompletionsMax: limits.chatCompletionsMax,
    keptMs: limits.chatCompletionsKeptDays * dayMs,
  });
  const mcpApprovals = createMcpApprovals({
    ...deps,
    store: deps.approvals,
    // An approval request can be answered as long as its response is stored, or as long as its client keeps it.
    keptMs: Math.max(limits.responsesKeptDays, approvalsKeptDaysMin) * dayMs,
  });
  return { storedResponses, storedCompletions, conversations, mcpApprovals };
}
