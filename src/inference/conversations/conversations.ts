/**
 * Conversations: stored for the team that created them until it deletes them, within its limits. This file owns who may read what and
 * how much is stored. The format of items belongs to the dialect: bodies are not parsed here.
 *
 * One response at a time may be generated in a conversation, so that its items stay in the order in which they were said. Interactive
 * ones hold it on their server; background ones are unfinished rows of the table of responses, which survive the process.
 */
import { HearthError } from "../../core/errors.js";
import type { NodeStore } from "../../store/nodes.js";
import type { Write, Writes } from "../../store/writes.js";
import type { StoredItem } from "../responses/stored-response.js";
import { measureItem, type StoredConversation, type ItemsPage, type ItemsQuery } from "./conversation.js";
import type { ConversationStore } from "./store.js";

/** Limits of the conversations of one team. */
interface ConversationLimits {
  /** Conversations of a team. */
  readonly teamConversationsMax: number;
  /** Items of one conversation. */
  readonly conversationItemsMax: number;
  /** Bytes of the items of one conversation. */
  readonly conversationBytesMax: number;
}

export type Conversations = ReturnType<typeof createConversations>;

interface ConversationsDeps {
  readonly store: ConversationStore;
  readonly nodes: NodeStore;
  readonly writes: Writes;
  readonly limits: ConversationLimits;
}

/** Builds the service over its store. */
export function createConversations(deps: ConversationsDeps) {
  const { store, writes, limits } = deps;
  const find = async (id: string, teamId: string): Promise<StoredConversation> => {
    const found = await store.find(id, teamId);
    if (found === null) throw noSuchConversation(id);
    return found;
  };
  return {
    /** @throws HearthError `not_found`, the same for one that does not exist and one of another team; so do all methods below. */
    find,
    ...createChanges(deps, find),
    /** Returns all items, the oldest first. */
    async items(id: string, teamId: string): Promise<readonly StoredItem[]> {
      await find(id, teamId);
      return store.items.all(id);
    },
    /** @throws HearthError `invalid_value` when there is no item `after`. */
    async page(id: string, teamId: string, query: ItemsQuery): Promise<ItemsPage> {
      await find(id, teamId);
      const page = await store.items.page(id, query);
      if (page === null) throw noItemAfter(query.after ?? "");
      return page;
    },
    async findItem(id: string, teamId: string, itemId: string): Promise<StoredItem> {
      await find(id, teamId);
      const item = await store.items.find(id, itemId);
      if (item === null) throw noSuchItem(itemId);
      return item;
    },
    async deleteItem(id: string, teamId: string, itemId: string): Promise<void> {
      await find(id, teamId);
      await committed(writes, [store.items.removal(id, itemId)], () => Promise.resolve(noSuchItem(itemId)));
    },
    /**
     * Reserves the conversation for a response, until the returned function is called.
     * @throws HearthError `invalid_value` with the code `conversation_locked` while another response is generated in it.
     */
    lock: createLocks(deps, find),
    /** @throws HearthError `invalid_value` for an item that the conversation has already, or when it would become too large. */
    async refuseItems(id: string, items: readonly StoredItem[]): Promise<void> {
      const refusal = await findRefusal(store, limits, id, items);
      if (refusal !== null) throw refusal;
    },
    /** Returns the writes that add a response's items; they do nothing when the conversation was deleted. */
    extension: (id: string, items: readonly StoredItem[]): readonly Write[] => store.extension(id, items),
  };
}

type Find = (id: string, teamId: string) => Promise<StoredConversation>;

function createChanges({ store, writes, limits }: ConversationsDeps, find: Find) {
  return {
    /** @throws HearthError `invalid_value` when the team has as many as it may, or the items are too large. */
    async create(conversation: StoredConversation, items: readonly StoredItem[]): Promise<void> {
      if (sumSizes(items) > limits.conversationBytesMax) throw tooLarge(limits);
      if (items.length > limits.conversationItemsMax) throw tooLarge(limits);
      const insertion = store.insertion(conversation, items, limits.teamConversationsMax);
      await committed(writes, insertion, () => Promise.resolve(tooMany(limits)));
    },
    /** Replaces the metadata. */
    async update(id: string, teamId: string, metadata: string): Promise<void> {
      const changes = [store.update(id, teamId, metadata)];
      await committed(writes, changes, () => Promise.resolve(noSuchConversation(id)));
    },
    /** Deletes it with its items; responses keep their own. */
    async delete(id: string, teamId: string): Promise<void> {
      await committed(writes, [store.removal(id, teamId)], () => Promise.resolve(noSuchConversation(id)));
    },
    /** @throws HearthError `invalid_value` for an item that it has already, or when it would become too large. */
    async addItems(id: string, teamId: string, items: readonly StoredItem[]): Promise<void> {
      const itemLimits = {
        itemsMax: limits.conversationItemsMax - items.length,
        bytesMax: limits.conversationBytesMax - sumSizes(items),
      };
      await committed(writes, store.addition(id, teamId, items, itemLimits), async () => {
        await find(id, teamId);
        return (await findRefusal(store, limits, id, items)) ?? null;
      });
    },
  };
}

/** Commits writes. @param explain returns the error for a conflict; null: it was changed meanwhile. */
async function committed(
  writes: Writes,
  changes: readonly Write[],
  explain: () => Promise<HearthError | null>,
): Promise<void> {
  try {
    await writes.commit(changes);
  } catch (thrown) {
    if (!(thrown instanceof HearthError) || thrown.kind !== "conflict") throw thrown;
    throw (await explain()) ?? thrown;
  }
}

/** Returns why a conversation does not take these items; null when it does. */
async function findRefusal(
  store: ConversationStore,
  limits: ConversationLimits,
  id: string,
  items: readonly StoredItem[],
): Promise<HearthError | null> {
  const duplicate = await store.items.findAny(
    id,
    items.map((item) => item.id),
  );
  if (duplicate !== null) return duplicateItem(duplicate);
  const size = await store.items.size(id);
  const isFull = size.items + items.length > limits.conversationItemsMax;
  return isFull || size.bytes + sumSizes(items) > limits.conversationBytesMax ? tooLarge(limits) : null;
}

function createLocks({ store, nodes }: ConversationsDeps, find: Find) {
  return async (id: string, teamId: string): Promise<() => void> => {
    await find(id, teamId);
    const release = await nodes.hold(`conversation ${id}`);
    if (release === null) throw locked();
    try {
      if (await store.hasUnfinishedResponse(id)) throw locked();
      return release;
    } catch (thrown) {
      release();
      throw thrown;
    }
  };
}

function sumSizes(items: readonly StoredItem[]): number {
  return items.reduce((sum, item) => sum + measureItem(item), 0);
}

function noItemAfter(id: string): HearthError {
  return new HearthError(
    "invalid_value",
    `after: there is no item '${id.slice(0, 200)}' in this conversation`,
    { param: "after" },
  );
}

/** The errors of conversations. An error of a limit names its setting. A conversation that does not exist and one of another team get the same error. */
function noSuchConversation(id: string): HearthError {
  return new HearthError("not_found", `Conversation with id '${id.slice(0, 200)}' not found.`, {
    param: "conversation_id",
  });
}

function noSuchItem(id: string): HearthError {
  return new HearthError("not_found", `Item with id '${id.slice(0, 200)}' not found in this conversation.`, {
    param: "item_id",
  });
}

function duplicateItem(id: string): HearthError {
  return new HearthError(
    "invalid_value",
    `Duplicate item found with id '${id.slice(0, 200)}': the conversation has it already. Remove it from your input and try again.`,
    { param: "input", code: "duplicate_item" },
  );
}

/** The error while another response is generated in a conversation. */
function locked(): HearthError {
  return new HearthError(
    "invalid_value",
    "Another response is being generated in this conversation. Please retry when it has ended.",
    { param: "conversation", code: "conversation_locked" },
  );
}

function tooLarge({ conversationItemsMax, conversationBytesMax }: ConversationLimits): HearthError {
  return new HearthError(
    "invalid_value",
    `The conversation would be larger than a conversation may be: ${conversationItemsMax} items (conversationItemsMax) and ` +
      `${conversationBytesMax} bytes (conversationBytesMax). Delete items, or continue in another conversation.`,
    { param: "conversation", code: "conversation_too_large" },
  );
}

function tooMany({ teamConversationsMax }: ConversationLimits): HearthError {
  return new HearthError(
    "invalid_value",
    `Your team has ${teamConversationsMax} conversations, as many as a team may have (teamConversationsMax). Delete some.`,
    { code: "storage_full" },
  );
}
