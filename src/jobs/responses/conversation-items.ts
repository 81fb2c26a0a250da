/** The items that a request of the responses routes is answered from: the conversation it continues, and its own input. */
import type { StoredItem } from "../../inference/responses/stored-response.js";
import type { InputItem } from "../../dialects/openai-responses/items/input-item-schema.js";
import {
  readStoredItem,
  referencesOf,
  resolveReferences,
  withIds,
} from "../../dialects/openai-responses/items/items.js";
import type { StoredResponses } from "../../inference/responses/stored-responses.js";

/** The parts of a request that refer to a conversation. */
export interface ConversationReference {
  readonly input: readonly InputItem[];
  readonly previousResponseId: string | null;
}

export interface RequestItems {
  /** Items of the conversation that the request continues. */
  readonly before: readonly InputItem[];
  /** The request's own items, with references resolved. */
  readonly ownInput: readonly InputItem[];
}

/**
 * Finds the items that a request refers to, among its team's responses only.
 * @throws HearthError `invalid_value` for a response or an item that does not exist.
 */
export async function findItems(
  storedResponses: StoredResponses,
  reference: ConversationReference,
  teamId: string,
): Promise<RequestItems> {
  const { input, previousResponseId } = reference;
  const before =
    previousResponseId === null ? [] : await storedResponses.conversation(previousResponseId, teamId);
  const references = referencesOf(input);
  if (references.length === 0) return { before: read(before), ownInput: input };
  const bodies = await storedResponses.items(references, teamId);
  const found = new Map([...bodies].map(([id, body]) => [id, readStoredItem(body)]));
  return { before: read(before), ownInput: resolveReferences(input, found) };
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
