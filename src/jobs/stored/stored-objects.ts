/**
 * What teams have stored, for those who manage it: listed, read, cancelled and deleted. This file owns who sees what: a team what is
 * stored for its keys, a member who sees only API keys of their own what is stored for these. Each kind has the other rules.
 */
import { canSeeOwned } from "../../accounts/visibility.js";
import { auditEntry, type AuditDeps } from "../../accounts/audit/audited-change.js";
import type { Actor } from "../../accounts/audit/event.js";
import type { TeamStore } from "../../accounts/teams/store.js";
import { findScope } from "../../accounts/teams/teams.js";
import { HearthError } from "../../core/errors.js";
import { encodeStored } from "../../dialects/openai-chat/stored/encode.js";
import type { StoredCompletions } from "../../inference/completions/stored-completions.js";
import type { Files } from "../../inference/files/files.js";
import type { StoredFile } from "../../inference/files/stored-file.js";
import type { StoredResponses } from "../../inference/responses/stored-responses.js";
import { isUnfinished } from "../../inference/responses/stored-response.js";
import type { BatchFormat } from "../batches/batch.js";
import type { Batches } from "../batches/batches.js";
import type { DeferredCompletions } from "../deferred/deferred-completions.js";
import type { JobQueue } from "../queue.js";
import { endWithoutRun } from "../background-responses.js";
import type { StoredObjectStore } from "./store.js";
import {
  canCancel,
  canDelete,
  type StoredKind,
  type StoredObject,
  type StoredPage,
  type StoredQuery,
} from "./stored-object.js";

/** A file, or the JSON text of an answer. */
type StoredContent =
  { readonly type: "file"; readonly file: StoredFile } | { readonly type: "json"; readonly text: string };

export type StoredObjects = ReturnType<typeof createStoredObjects>;

interface StoredObjectsDeps extends AuditDeps {
  readonly storedObjectStore: StoredObjectStore;
  readonly teams: TeamStore;
  readonly deferredCompletions: DeferredCompletions;
  readonly storedResponses: StoredResponses;
  readonly storedCompletions: StoredCompletions;
  readonly backgroundJobs: JobQueue;
  readonly batches: Batches;
  readonly files: Files;
}

/** Builds the service. */
export function createStoredObjects(deps: StoredObjectsDeps) {
  const find = async (kind: StoredKind, id: string, actor: Actor): Promise<StoredObject> => {
    const found = await deps.storedObjectStore.find(kind, id, deps.clock.now());
    if (found === null || !canSeeOwned(actor, found))
      throw new HearthError("not_found", `Cannot find ${shortNouns[kind]}`);
    return found;
  };
  return {
    /**
     * Returns at most `limit` objects of a team. A page may be shorter without being the last one, because the number of objects that
     * a page reads is bounded. @throws HearthError `not_found` for a team that does not exist or that the actor cannot see.
     */
    async page(query: Omit<StoredQuery, "userId">, actor: Actor): Promise<StoredPage> {
      const { ownerId } = await findScope(deps.teams, query.teamId, actor);
      return deps.storedObjectStore.page({ ...query, userId: ownerId }, deps.clock.now());
    },
    /** @throws HearthError `not_found`; so do all methods below. */
    find,
    /**
     * Returns the answer, the file, or the output of a batch. @throws HearthError `conflict` for a deferred completion, which only its
     * client fetches, and for a batch without an output.
     */
    content: async (kind: StoredKind, id: string, actor: Actor): Promise<StoredContent> =>
      toContent(deps, await find(kind, id, actor)),
    /** Cancels what is being worked on. Audited. @throws HearthError `conflict` when it has ended, or was not in the background. */
    async cancel(kind: StoredKind, id: string, actor: Actor): Promise<StoredObject> {
      const object = await find(kind, id, actor);
      if (!canCancel(object)) throw cannotCancel(object);
      // First, so that nothing is cancelled without an entry.
      await record(deps, actor, object, "CancelStored", "Cancelled");
      await cancel(deps, object);
      return find(kind, id, actor);
    },
    /** Cancels it where it is being worked on, and deletes it. Audited. @throws HearthError `conflict` for a batch that has not ended. */
    async delete(kind: StoredKind, id: string, actor: Actor): Promise<void> {
      const object = await find(kind, id, actor);
      if (!canDelete(object))
        throw new HearthError("conflict", `The batch '${id}' has not ended. Cancel it first.`);
      await record(deps, actor, object, "DeleteStored", "Deleted");
      await remove(deps, object);
    },
  };
}

async function toContent(deps: StoredObjectsDeps, object: StoredObject): Promise<StoredContent> {
  const { kind, id, teamId, outputFileId } = object;
  switch (kind) {
    case "responses":
      return { type: "json", text: (await deps.storedResponses.find(id, teamId)).body };
    case "chat-completions":
      return {
        type: "json",
        text: JSON.stringify(encodeStored(await deps.storedCompletions.find(id, teamId))),
      };
    case "files":
      return { type: "file", file: await deps.files.find(id, teamId) };
    case "batches":
      if (outputFileId === null) throw new HearthError("conflict", `The batch '${id}' has no output (yet).`);
      return { type: "file", file: await deps.files.find(outputFileId, teamId) };
    case "deferred-completions":
      throw new HearthError("conflict", "A deferred completion is fetched once, by its client.");
  }
}

async function cancel(deps: StoredObjectsDeps, { kind, id, teamId }: StoredObject): Promise<void> {
  if (kind === "deferred-completions") return deps.deferredCompletions.cancel(id);
  if (kind === "batches") {
    await deps.batches.cancel(await deps.batches.find(id, teamId, findFormat(id)));
    return;
  }
  await cancelResponse(deps, id, teamId);
}

async function cancelResponse(
  { storedResponses, backgroundJobs }: StoredObjectsDeps,
  id: string,
  teamId: string,
): Promise<void> {
  const stored = await storedResponses.find(id, teamId);
  if (isUnfinished(stored))
    await backgroundJobs.cancel(id, () => endWithoutRun(storedResponses, stored, null));
}

async function remove(deps: StoredObjectsDeps, { kind, id, teamId }: StoredObject): Promise<void> {
  switch (kind) {
    case "deferred-completions":
      return deps.deferredCompletions.delete(id, teamId);
    case "responses":
      await cancelResponse(deps, id, teamId);
      return deps.storedResponses.delete(id, teamId);
    case "chat-completions":
      return deps.storedCompletions.delete(id, teamId);
    case "batches":
      return deps.batches.delete(await deps.batches.find(id, teamId, findFormat(id)));
    case "files":
      return deps.files.delete(id);
  }
}

function findFormat(batchId: string): BatchFormat {
  return batchId.startsWith("msgbatch_") ? "anthropic" : "openai";
}

const nouns: Readonly<Record<StoredKind, string>> = {
  "deferred-completions": "deferred completion",
  responses: "response",
  "chat-completions": "chat completion",
  batches: "batch",
  files: "file",
};

/** As the parameters of paths have them. */
const shortNouns: Readonly<Record<StoredKind, string>> = {
  ...nouns,
  "deferred-completions": "request",
  "chat-completions": "completion",
};

async function record(
  deps: StoredObjectsDeps,
  actor: Actor,
  { kind, id, teamId, state, filename }: StoredObject,
  action: "CancelStored" | "DeleteStored",
  verb: string,
): Promise<void> {
  const entry = {
    action,
    objectId: id,
    teamId,
    description: `${verb} the ${nouns[kind]} '${filename ?? id}'`,
    before: { kind, state },
    after: null,
  };
  await deps.writes.commit([auditEntry(deps, actor, entry)]);
}

function cannotCancel({ kind, id, background, state }: StoredObject): HearthError {
  if (kind === "files" || kind === "chat-completions")
    return new HearthError("conflict", `The ${nouns[kind]} '${id}' is not being worked on.`);
  if (background === false)
    return new HearthError("conflict", "Only background responses can be cancelled. Cancel its request.");
  return new HearthError("conflict", `The ${nouns[kind]} '${id}' cannot be cancelled: it is ${state ?? ""}.`);
}
