/** What a request of the responses routes is answered from: the conversation it goes on from, and what it says itself. */
import type { StoredItem } from "../../inference/responses/stored-response.js";
import type { InputItem } from "../../dialects/openai-responses/items/item-schema.js";
import {
  readStoredItem,
  referencesOf,
  resolveReferences,
  withIds,
} from "../../dialects/openai-responses/items/items.js";
import type { Memory } from "../../inference/responses/stored-responses.js";

/** A request, as far as it names what was said. */
export interface Saying {
  readonly input: readonly InputItem[];
  readonly previousResponseId: string | null;
}

export interface RequestItems {
  /** What was said before. */
  readonly before: readonly InputItem[];
  /** The request's own, references resolved. */
  readonly own: readonly InputItem[];
}

/**
 * Finds what a request refers to, among its team's responses alone.
 * @throws HearthError `invalid_value` for a response or an item that is not there.
 */
export async function findItems(memory: Memory, saying: Saying, teamId: string): Promise<RequestItems> {
  const { input, previousResponseId } = saying;
  const before = previousResponseId === null ? [] : await memory.conversation(previousResponseId, teamId);
  const references = referencesOf(input);
  if (references.length === 0) return { before: read(before), own: input };
  const bodies = await memory.items(references, teamId);
  const found = new Map([...bodies].map(([id, body]) => [id, readStoredItem(body)]));
  return { before: read(before), own: resolveReferences(input, found) };
}

/** Items as they are stored with the response that they were said for. */
export function itemsToStore(items: readonly InputItem[], responseId: string): readonly StoredItem[] {
  return withIds(items, responseId).map(toStore);
}

/** An item of an answer, likewise. */
export function toStore(item: { readonly id: string }): StoredItem {
  return { id: item.id, body: JSON.stringify(item) };
}

/** Stored items as they are on the wire. */
export function read(items: readonly StoredItem[]): readonly InputItem[] {
  return items.map(({ body }) => readStoredItem(body));
}
