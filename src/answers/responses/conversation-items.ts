/** The items that a request of the responses routes is answered from: the conversation it continues, and its own input. */
import type { StoredItem } from "../../inference/responses/stored-response.js";
import type { InputItem } from "../../dialects/openai-responses/items/input-item-schema.js";
import {
  readStoredItem,
  listReferences,
  resolveReferences,
  withIds,
} from "../../dialects/openai-responses/items/items.js";
import { invalidValue } from "../../dialects/field-error.js";
import type { Conversations } from "../../inference/conversations/conversations.js";
import type { StoredResponses } from "../../inference/responses/stored-responses.js";

/** The parts of a request that refer to a conversation. */
interface ConversationReference {
  readonly input: readonly InputItem[];
  readonly previousResponseId: string | null;
  readonly conversationId: string | null;
}

interface ItemStores {
  readonly storedResponses: StoredResponses;
  readonly conversations: Conversations;
}

export interface RequestItems {
  /** Items of the conversation that the request continues. */
  readonly before: readonly InputItem[];
  /** The request's own items, with references resolved. */
  readonly ownInput: readonly InputItem[];
}

/** Returns the conversation: the items before the request, then its own. */
export function joinItems({ before, ownInput }: RequestItems): readonly InputItem[] {
  return [...before, ...ownInput];
}

/**
 * Finds the items that a request refers to, among its team's responses and conversations only.
 * @throws HearthError `invalid_value` for a response or an item that does not exist, or when there is nothing to answer;
 * `not_found` for a conversation that does not exist.
 */
export async function findItems(
  stores: ItemStores,
  reference: ConversationReference,
  teamId: string,
): Promise<RequestItems> {
  const before = read(await earlierItems(stores, reference, teamId));
  const ownInput = await resolved(stores, reference.input, teamId, "input");
  if (before.length + ownInput.length === 0)
    throw invalidValue("input", "must not be empty: the conversation has no items");
  return { before, ownInput };
}

/** Returns the stored items that a request continues. */
export async function earlierItems(
  { storedResponses, conversations }: ItemStores,
  { previousResponseId, conversationId }: Omit<ConversationReference, "input">,
  teamId: string,
): Promise<readonly StoredItem[]> {
  if (conversationId !== null) return conversations.items(conversationId, teamId);
  return previousResponseId === null ? [] : storedResponses.conversation(previousResponseId, teamId);
}

/**
 * Returns items with their references replaced by items of the team's responses.
 * @param field the field that the items are in.
 * @throws HearthError `invalid_value` for an item that does not exist.
 */
export async function resolved(
  { storedResponses }: ItemStores,
  items: readonly InputItem[],
  teamId: string,
  field: string,
): Promise<readonly InputItem[]> {
  const references = listReferences(items);
  if (references.length === 0) return items;
  const bodies = await storedResponses.items(references, teamId);
  const found = new Map([...bodies].map(([id, body]) => [id, readStoredItem(body)]));
  return resolveReferences(items, found, field);
}

/** Returns input items as they are stored with their response. */
export function itemsToStore(items: readonly InputItem[], responseId: string): readonly StoredItem[] {
  return withIds(items, responseId).map(toStore);
}

/** Returns an output item as it is stored. */
export function toStore(item: { readonly id: string }): StoredItem {
  return { id: item.id, body: JSON.stringify(item) };
}

/** Returns stored items as they are on the wire. */
export function read(items: readonly StoredItem[]): readonly InputItem[] {
  return items.map(({ body }) => readStoredItem(body));
}
