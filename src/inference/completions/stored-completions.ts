/**
 * Stored chat completions: stored for some time for the team that requested them with `store: true`, listed, read, changed and
 * deleted. This file owns who may read what and for how long; bodies and messages are not parsed here.
 */
import { HearthError } from "../../core/errors.js";
import type { Write, Writes } from "../../store/writes.js";
import { createStorageLimit } from "../storage-limit.js";
import type { CompletionStore } from "./store.js";
import type { CompletionsQuery, ListedCompletion, StoredCompletion } from "./stored-completion.js";

export type StoredCompletions = ReturnType<typeof createStoredCompletions>;

interface StoredCompletionsDeps {
  readonly store: CompletionStore;
  readonly writes: Writes;
  /** Completions of all teams that may be stored. */
  readonly chatCompletionsMax: number;
  /** How long a completion is stored. */
  readonly keptMs: number;
}

/** Builds the service over its store. */
export function createStoredCompletions(deps: StoredCompletionsDeps) {
  const { store, writes, chatCompletionsMax, keptMs } = deps;
  const limit = createStorageLimit(() => store.count(), chatCompletionsMax);
  const change = async (id: string, write: Write): Promise<void> => {
    try {
      await writes.commit([write]);
    } catch (thrown) {
      throw thrown instanceof HearthError && thrown.kind === "conflict" ? notFound(id) : thrown;
    }
  };
  return {
    /** @throws HearthError `overloaded` when no further completion can be stored. */
    async refuseWhenFull(): Promise<void> {
      if (await limit.isFull()) throw storageFull();
    },
    /** Returns the write that stores a completion. */
    insertion(completion: Omit<StoredCompletion, "expireTime">): Write {
      limit.added();
      return store.insertion({ ...completion, expireTime: completion.createTime + keptMs });
    },
    /** @throws HearthError `not_found`, the same for one that does not exist and one of another team; so do all methods below. */
    async find(id: string, teamId: string): Promise<ListedCompletion> {
      const found = await store.find(id, teamId);
      if (found === null) throw notFound(id);
      return found;
    },
    /** Returns the JSON text of the messages of its request. */
    async messages(id: string, teamId: string): Promise<string> {
      const messages = await store.messages(id, teamId);
      if (messages === null) throw notFound(id);
      return messages;
    },
    /** @throws HearthError `invalid_value` when there is no completion `after`. */
    async page(
      teamId: string,
      query: CompletionsQuery,
    ): Promise<{ readonly completions: readonly ListedCompletion[]; readonly hasMore: boolean }> {
      const found = await store.page(teamId, query);
      if (found === null) throw noneAfter(query.after ?? "");
      return { completions: found.slice(0, query.limit), hasMore: found.length > query.limit };
    },
    /** Replaces the metadata. */
    update: (id: string, teamId: string, metadata: string): Promise<void> =>
      change(id, store.update(id, teamId, metadata)),
    delete: (id: string, teamId: string): Promise<void> => change(id, store.removal(id, teamId)),
  };
}

function notFound(id: string): HearthError {
  return new HearthError("not_found", `Chat completion with id '${id.slice(0, 200)}' not found.`, {
    param: "completion_id",
  });
}

function noneAfter(id: string): HearthError {
  return new HearthError("invalid_value", `after: there is no stored completion '${id.slice(0, 200)}'`, {
    param: "after",
  });
}

function storageFull(): HearthError {
  return new HearthError(
    "overloaded",
    "No more chat completions can be stored: the limit of this server (chatCompletionsMax) is reached. Send no store: true, or delete some.",
    { code: "storage_full" },
  );
}
