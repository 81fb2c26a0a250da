/** Encodes the answers of /v1/conversations. Pure. */
import type { z } from "zod";
import type { InputItem } from "../items/input-item-schema.js";
import { readStoredItem } from "../items/items.js";
import { presentItem } from "../items/listed-item.js";
import { encodeOpaque } from "../items/opaque-text.js";
import type {
  conversationSchema,
  conversationItemsSchema,
  deletedConversationSchema,
} from "./response-schema.js";

type DeletedConversation = z.infer<typeof deletedConversationSchema>;

type ConversationItems = z.infer<typeof conversationItemsSchema>;

type ConversationBody = z.infer<typeof conversationSchema>;

/** A conversation as it is stored. */
interface StoredConversation {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly createTime: number;
  /** JSON text. */
  readonly metadata: string;
}

interface StoredItem {
  readonly id: string;
  /** JSON text. */
  readonly body: string;
}

export function encodeConversation({ id, createTime, metadata }: StoredConversation): ConversationBody {
  return {
    id,
    object: "conversation",
    created_at: Math.floor(createTime / 1000),
    metadata: JSON.parse(metadata) as ConversationBody["metadata"],
  };
}

export function deletedConversation(id: string): DeletedConversation {
  return { id, object: "conversation.deleted", deleted: true };
}

/** @param include what the items include in addition */
export function encodeItems(
  items: readonly StoredItem[],
  hasMore: boolean,
  include: readonly string[],
): ConversationItems {
  return {
    object: "list",
    data: items.map((item) => encodeItem(item, include)),
    first_id: items[0]?.id ?? null,
    last_id: items.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}

/** @param include what the item includes in addition */
export function encodeItem({ body }: StoredItem, include: readonly string[]): InputItem {
  const item = presentItem(readStoredItem(body));
  if (item.type !== "reasoning" || item.encrypted_content != null) return item;
  if (!include.includes("reasoning.encrypted_content")) return item;
  const parts = [...(item.content ?? []), ...(item.summary ?? [])];
  return { ...item, encrypted_content: encodeOpaque(parts[0]?.text ?? "") };
}
