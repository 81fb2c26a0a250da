/**
 * The log of requests: the runs in the database, and those that have not ended or wait for a slot. This file owns who sees which
 * request, and their order: by the time of acceptance, so that a request keeps its place whatever becomes of it.
 */
import { z } from "zod";
import { noLabels } from "../../accounts/principals/spend-labels.js";
import { canSeeOwned, type Scope } from "../../accounts/visibility.js";
import type { RunLoad } from "../../core/metrics.js";
import { auditEntry, type AuditDeps } from "../../accounts/audit/audited-change.js";
import type { Actor } from "../../accounts/audit/event.js";
import type { TeamStore } from "../../accounts/teams/store.js";
import { findScope } from "../../accounts/teams/teams.js";
import type { Broadcast } from "../../core/broadcast.js";
import { HearthError } from "../../core/errors.js";
import type { RequestBodyStore, StoredBodies } from "../bodies/store.js";
import type { LiveRuns } from "../run/live-runs.js";
import type { Run } from "../run/run.js";
import type { LoggedRequest, RequestFilter, RequestPosition, RequestQuery } from "./logged-request.js";
import type { RequestStore } from "./store.js";

interface RequestPage {
  /** The newest first. */
  readonly requests: readonly LoggedRequest[];
  /** Where the next page starts; null when this is the last one. */
  readonly next: RequestPosition | null;
}

/** A request that the actor cannot see is treated as one that does not exist. */
export type RequestLog = ReturnType<typeof createRequestLog>;

interface RequestLogDeps extends AuditDeps {
  readonly requests: RequestStore;
  /** The live requests of this server. */
  readonly liveRuns: LiveRuns;
  /** Reaches the live requests of other servers. */
  readonly broadcast: Broadcast;
  readonly teams: TeamStore;
  readonly bodyStore: RequestBodyStore;
}

export function createRequestLog(deps: RequestLogDeps) {
  const { teams } = deps;
  onCancellation(deps);
  return {
    /**
     * Returns at most `limit` requests, live ones included. A page may be shorter without being the last one, because the number of runs
     * that a page reads is bounded. An actor who sees only API keys of their own gets the requests of these.
     * @throws HearthError `not_found` for a team that does not exist or that the actor cannot see.
     */
    async page(asked: Omit<RequestQuery, "userId">, actor: Actor): Promise<RequestPage> {
      const { teamId, ownerId } = await findScope(teams, asked.teamId, actor);
      return readPage(deps, { ...asked, teamId, userId: ownerId });
    },
    /** Counts the requests of a scope that run or wait on this server. */
    load: ({ teamId, ownerId }: Scope): RunLoad => {
      const live = deps.liveRuns
        .list()
        .filter((run) => teamId === null || run.teamId === teamId)
        .filter((run) => ownerId === null || run.userId === ownerId);
      const waiting = live.filter(({ money }) => money.startTime === null).length;
      return { running: live.length - waiting, waiting };
    },
    /** @throws HearthError `not_found`. */
    find: (id: string, actor: Actor): Promise<LoggedRequest> => find(deps, id, actor),
    /**
     * Ends a live request: its client gets an error, and what was produced is charged. Audited.
     * @returns the request, settled. @throws HearthError `not_found`, `conflict` when it has ended.
     */
    cancel: (id: string, actor: Actor): Promise<LoggedRequest> => cancel(deps, id, actor),
    /** Returns what a request and its answer had, where that was kept; else null. @throws HearthError `not_found`. */
    async bodies(id: string, actor: Actor): Promise<StoredBodies | null> {
      await find(deps, id, actor);
      return deps.bodyStore.find(id);
    },
    /** Deletes what was kept of a request and its answer. Audited. @throws HearthError `not_found`, also when nothing was kept. */
    removeBodies: (id: string, actor: Actor): Promise<void> => removeBodies(deps, id, actor),
  };
}

async function readPage({ requests, liveRuns }: RequestLogDeps, query: RequestQuery): Promise<RequestPage> {
  const { limit } = query;
  // Both first: a run that gets its row in between is in both, and in none otherwise.
  const live = liveRuns.list();
  const withoutRow = live.filter(({ money }) => money.startTime === null);
  const stored = await requests.page({ ...query, limit: limit + 1 });
  const runsById = new Map(live.map((run) => [run.id, run]));
  const rows = stored.requests.map((request) => withProgress(request, runsById.get(request.id)));
  const known = new Set(rows.map(({ id }) => id));
  const last = stored.scannedTo;
  const waiting = withoutRow
    .filter(({ id }) => !known.has(id))
    .filter((run) => isWanted(query, run))
    .map(toLogged)
    .filter((request) => last === null || newestFirst(request, last) < 0);
  const all = [...rows, ...waiting].sort(newestFirst);
  const page = all.slice(0, limit);
  return { requests: page, next: all.length > limit ? (page.at(-1) ?? null) : last };
}

function isWanted(
  { teamId, apiKeyId, userId, model, status, since, until, text, after }: RequestFilter & RequestQuery,
  run: Run,
): boolean {
  return (
    (teamId === null || run.teamId === teamId) &&
    (apiKeyId === null || run.context.principal.key.id === apiKeyId) &&
    (userId === null || run.userId === userId) &&
    (model === null || run.model.manifest.id === model || run.requestedModel === model) &&
    (status === null || status === "queued") &&
    (since === null || run.createTime >= since) &&
    (until === null || run.createTime < until) &&
    (text === null || hasText(run, text)) &&
    (after === null || newestFirst(after, run) < 0)
  );
}

function hasText({ id, model, requestedModel, context }: Run, text: string): boolean {
  const { requestId, endpoint, principal } = context;
  const { tags, metadata, endUser } = principal.labels ?? noLabels;
  const own = [id, requestId, model.manifest.id, requestedModel, endpoint, principal.key.name];
  const searched = [...own, ...tags, ...metadata, endUser ?? ""].join("\n");
  return searched.toLowerCase().includes(text.toLowerCase());
}

async function find(
  { requests, liveRuns }: RequestLogDeps,
  id: string,
  actor: Actor,
): Promise<LoggedRequest> {
  const run = liveRuns.find(id);
  const stored = await requests.find(id);
  if (stored !== null && canSeeOwned(actor, stored)) {
    const { userId: _, ...request } = stored;
    return withProgress(request, run);
  }
  if (stored === null && run !== null && canSeeOwned(actor, run)) return toLogged(run);
  throw new HearthError("not_found", "Cannot find run", { param: "runId" });
}

async function cancel(deps: RequestLogDeps, id: string, actor: Actor): Promise<LoggedRequest> {
  const { liveRuns, writes, clock } = deps;
  const request = await find(deps, id, actor);
  const run = liveRuns.find(id);
  const isElsewhere = run === null && request.status === "running" && deps.broadcast.reachesOthers;
  if (run === null && !isElsewhere) throw hasEnded(id);
  const entry = {
    action: "CancelRequest",
    objectId: id,
    teamId: request.teamId,
    description: `Cancelled a request of the API key '${request.apiKeyName}' to ${request.endpoint}`,
    before: null,
    after: { model: request.model, requestId: request.requestId, apiKeyId: request.apiKeyId },
  } as const;
  // First, so that nothing is cancelled without an entry.
  await writes.commit([auditEntry(deps, actor, entry)]);
  if (run === null) return cancelElsewhere(deps, id, actor);
  if (!run.cancel(cancelled())) throw hasEnded(id);
  await run.finished;
  const stored = await deps.requests.find(id);
  if (stored !== null) return find(deps, id, actor);
  // It has waited, and so used nothing.
  return { ...toLogged(run), status: "cancelled", errorKind: "cancelled", endTime: clock.now() };
}

const runCancelled = "run-cancelled";
const cancellation = z.object({ id: z.string() });

/** Ends runs of this server that were cancelled on another one. */
function onCancellation({ broadcast, liveRuns }: RequestLogDeps): void {
  broadcast.on(runCancelled, (message) => {
    liveRuns.find(cancellation.parse(message).id)?.cancel(cancelled());
  });
}

/** How often, and how many times, it is looked whether another server has ended a run. */
const lookEveryMs = 100;
const looksMax = 100;

/** Ends a run of another server. @throws HearthError `overloaded` when that server does not end it in time. */
async function cancelElsewhere(deps: RequestLogDeps, id: string, actor: Actor): Promise<LoggedRequest> {
  deps.broadcast.send(runCancelled, { id });
  for (let looks = 0; looks < looksMax; looks += 1) {
    await new Promise<void>((resolve) => void deps.clock.after(lookEveryMs, resolve));
    const request = await find(deps, id, actor);
    if (request.status !== "running") return request;
  }
  throw new HearthError(
    "overloaded",
    "The server that answers the request could not be reached. Please try again later.",
    {
      retryAfterSeconds: 5,
    },
  );
}

async function removeBodies(deps: RequestLogDeps, id: string, actor: Actor): Promise<void> {
  const { writes, bodyStore } = deps;
  const { teamId, endpoint, apiKeyId, requestId } = await find(deps, id, actor);
  if ((await bodyStore.find(id)) === null)
    throw new HearthError("not_found", `Nothing was kept of the request '${id}' and its answer.`, {
      param: "runId",
    });
  const entry = {
    action: "DeleteRequestBodies",
    objectId: id,
    teamId,
    description: `Deleted what was kept of a request to ${endpoint} and its answer`,
    before: { requestId, apiKeyId },
    after: null,
  } as const;
  await writes.commit([bodyStore.removal(id), auditEntry(deps, actor, entry)]);
}

/** Returns a stored request with what its run has used since its row was inserted. */
function withProgress(request: LoggedRequest, run: Run | null | undefined): LoggedRequest {
  if (request.status !== "running" || run == null) return request;
  const { usage, costTicks } = run.money;
  return { ...request, usage, costTicks, firstTokenMs: run.timings.ttftMs };
}

/** Returns a run that has no row. */
function toLogged(run: Run): LoggedRequest {
  const { principal, requestId, endpoint, streamed = false } = run.context;
  return {
    id: run.id,
    requestId,
    teamId: run.teamId,
    apiKeyId: principal.key.id,
    apiKeyName: principal.key.name,
    model: run.model.manifest.id,
    requestedModel: run.requestedModel,
    endpoint,
    streamed,
    status: "queued",
    finishReason: null,
    errorKind: null,
    createTime: run.createTime,
    startTime: null,
    firstTokenMs: run.timings.ttftMs,
    endTime: null,
    usage: run.money.usage,
    costTicks: run.money.costTicks,
  };
}

/** The error that the client of a cancelled request gets. */
function cancelled(): HearthError {
  return new HearthError("cancelled", "The operator of this server has cancelled the request.", {
    shouldRetry: false,
  });
}

function hasEnded(id: string): HearthError {
  return new HearthError("conflict", `The request '${id}' has ended; it cannot be cancelled.`, {
    param: "runId",
  });
}

/** Orders requests, the newest first. */
function newestFirst(one: RequestPosition, other: RequestPosition): number {
  if (one.createTime !== other.createTime) return other.createTime - one.createTime;
  return one.id < other.id ? 1 : one.id > other.id ? -1 : 0;
}
