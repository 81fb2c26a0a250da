/** The part of the composition root that builds work done in the background: the job queues, batches, and the deletion of what has expired. */
import type { Authenticator } from "../../accounts/authentication/authenticate-key.js";
import type { RateLimits } from "../../accounts/limits/rate-limits.js";
import type { Config } from "../../config/config.js";
import type { Broadcast } from "../../core/broadcast.js";
import type { Clock } from "../../core/clock.js";
import { eventsAfter } from "../../answers/responses/stored-events.js";
import type { DeferredStore } from "../../jobs/deferred/store.js";
import { createStoredObjects } from "../../jobs/stored/stored-objects.js";
import type { StoredObjectStore } from "../../jobs/stored/store.js";
import type { AuditStore } from "../../accounts/audit/store.js";
import type { TeamStore } from "../../accounts/teams/store.js";
import type { JobStore } from "../../jobs/store.js";
import type { SignInStore } from "../../accounts/sessions/store/sessions.js";
import type { RequestBodyStore } from "../../inference/bodies/store.js";
import type { RequestStore } from "../../inference/requests/store.js";
import type { RunLabelStore } from "../../inference/run/store/run-labels.js";
import type { Files } from "../../inference/files/files.js";
import type { ImageGenerator } from "../../inference/images/generate-images.js";
import type { ImageStore } from "../../inference/images/store.js";
import type { McpConnector } from "../../core/tools/mcp-servers.js";
import type { ModelRegistry } from "../../core/model.js";
import type { ConversationLimits } from "../../inference/conversations/conversation.js";
import { createConversations } from "../../inference/conversations/conversations.js";
import type { ConversationStore } from "../../inference/conversations/store/conversations.js";
import { createStoredCompletions } from "../../inference/completions/stored-completions.js";
import type { CompletionStore } from "../../inference/completions/store.js";
import type { ResponseStore } from "../../inference/responses/store/responses.js";
import type { NodeStore } from "../../store/nodes.js";
import type { Writes } from "../../store/writes.js";
import type { AppContext } from "../../http/server/app-context.js";
import type { Logger } from "../../core/logger.js";
import type { Tracing } from "../../core/telemetry/tracing.js";
import { deferredCompletionHandler } from "../../jobs/deferred/job-handler.js";
import { backgroundResponseHandler } from "../../jobs/background-responses.js";
import { createDeferredCompletions } from "../../jobs/deferred/deferred-completions.js";
import type { Generator } from "../../inference/run/text/generator.js";
import type { PromptFiles } from "../../answers/files/prompt-files.js";
import { createMcpApprovals } from "../../answers/mcp/approvals.js";
import type { McpApprovalStore } from "../../answers/mcp/store.js";
import { createClaims } from "../../jobs/claims.js";
import type { JobHandler } from "../../jobs/handler.js";
import { createJobQueue, type JobQueue } from "../../jobs/queue.js";
import { createStoredResponses } from "../../inference/responses/stored-responses.js";
import { buildBatches } from "./batches.js";
import type { BatchLimits } from "../../jobs/batches/limits.js";
import type { BatchStore } from "../../jobs/batches/store/batches.js";
import type { BatchLineStore } from "../../jobs/batches/store/lines.js";
import type { Embedder } from "../../inference/embeddings/embed.js";
import type { BodyBudget } from "../../core/requests/body-budget.js";
import type { Random } from "../../core/random.js";
import { createRetention, type Retention, type Sweep } from "../../jobs/retention.js";

export interface JobsDeps {
  readonly jobs: JobStore;
  readonly deferred: DeferredStore;
  readonly completions: CompletionStore;
  readonly responses: ResponseStore;
  readonly conversations: ConversationStore;
  readonly batches: BatchStore;
  readonly batchLines: BatchLineStore;
  readonly approvals: McpApprovalStore;
  readonly images: Pick<ImageStore, "deleteExpired">;
  readonly runLabels: Pick<RunLabelStore, "deleteExpired">;
  readonly requests: Pick<RequestStore, "deleteBefore">;
  readonly bodyStore: Pick<RequestBodyStore, "deleteExpired">;
  readonly signIns: Pick<SignInStore, "deleteExpired">;
  readonly storedObjectStore: StoredObjectStore;
  readonly audit: AuditStore;
  readonly teams: TeamStore;
  readonly files: Files;
  readonly promptFiles: PromptFiles;
  readonly writes: Writes;
  readonly authenticator: Authenticator;
  readonly rateLimits: RateLimits;
  readonly models: ModelRegistry;
  readonly generator: Generator;
  readonly imageGenerator: ImageGenerator;
  readonly mcp: McpConnector;
  readonly embedder: Embedder;
  readonly bodyBudget: BodyBudget;
  readonly broadcast: Broadcast;
  readonly nodes: NodeStore;
  readonly random: Random;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tracing: Tracing;
}

export interface Jobs {
  /** What the HTTP server uses of them. */
  readonly services: Pick<
    AppContext,
    | "deferredCompletions"
    | "storedCompletions"
    | "storedResponses"
    | "conversations"
    | "mcpApprovals"
    | "backgroundJobs"
    | "batches"
    | "storedObjects"
  >;
  /** Starts the queues, beginning with the jobs that the previous process left. */
  start(): Promise<void>;
  /** Looks for jobs of servers that have ended. */
  wake(): void;
  /** Ends the runs of the jobs in flight and puts the jobs back into the queues. */
  close(): Promise<void>;
}

export type JobLimits = BatchLimits & ConversationLimits & Config;

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

/** Days for which a used approval of a call is remembered, at least. */
const approvalsKeptDaysMin = 90;

/** How long a batch can be looked at after its end. */
const batchRetentionMs = 30 * dayMs;

/** Builds the queues and the retention; no job is started before `start`. */
export function buildJobs(limits: JobLimits, deps: JobsDeps): Jobs {
  const { deferred, clock, logger } = deps;
  const claims = createClaims(deps.jobs, clock);
  const createQueue = (handler: JobHandler): JobQueue =>
    createJobQueue({
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
  const batches = buildBatches({
    ...deps,
    ...stored,
    lines: deps.batchLines,
    createQueue,
    limits,
    linesQueued: limits.jobsActiveMax,
    pricePercent: limits.batchPricePercent,
    onError: (batchId, thrown) => logger.error({ batchId, err: thrown }, "a batch could not be continued"),
  });
  const retention = buildRetention(limits, deps);
  const services = {
    ...stored,
    backgroundJobs,
    batches: batches.batches,
    deferredCompletions: createDeferredCompletions({ deferred, queue: deferredJobs, clock, outcomeKeptMs }),
  };
  return {
    services: { ...services, storedObjects: createStoredObjects({ ...deps, ...services }) },
    async start() {
      await Promise.all([backgroundJobs.start(), deferredJobs.start(), batches.start()]);
      retention.start();
    },
    wake() {
      for (const queue of [backgroundJobs, deferredJobs, batches]) queue.wake();
    },
    async close() {
      await Promise.all([backgroundJobs.close(), deferredJobs.close(), batches.close(), retention.close()]);
      storedResponses.logs.closeAll();
    },
  };
}

/** Builds what stores responses, chat completions and conversations. */
function buildStored(limits: JobLimits, deps: JobsDeps) {
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

function buildRetention({ runsKeptDays }: JobLimits, deps: JobsDeps): Retention {
  const { deferred, completions, responses, runLabels, requests, signIns } = deps;
  const { images, files, batches, batchLines, approvals, bodyStore, nodes, clock, logger } = deps;
  const expired =
    (store: { deleteExpired: Sweep }): Sweep =>
    (now, limit) =>
      store.deleteExpired(now, limit);
  const oldRuns: Sweep = (now, limit) => requests.deleteBefore(now - runsKeptDays * dayMs, limit);
  const sweeps: readonly Sweep[] = [
    ...[deferred, responses, completions, runLabels, bodyStore, signIns, files, approvals].map(expired),
    (_, limit) => batchLines.deleteEnded(limit),
    (now, limit) => batches.deleteEnded(now - batchRetentionMs, limit),
    ...(runsKeptDays === 0 ? [] : [oldRuns]),
    // Last, because it reads a folder: what follows would start at another time in every run of the simulation.
    expired(images),
  ];
  const ours = sweeps.map(
    (sweep): Sweep =>
      async (now, limit) =>
        (await nodes.leads("retention")) ? sweep(now, limit) : 0,
  );
  return createRetention(clock, ours, (thrown) =>
    logger.error({ err: thrown }, "expired rows could not be deleted"),
  );
}
