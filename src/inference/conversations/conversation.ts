import type { Row } from "../../store/tables.js";
import type { StoredItem } from "../responses/stored-response.js";

/** A conversation of a team: its items are what a response that names it is generated from. */
export type StoredConversation = Row<"conversations">;

/** Which items of a conversation are listed. */
export interface ItemsQuery {
  readonly limit: number;
  readonly order: "asc" | "desc";
  /** Id of the item after which the page starts; null for the first page. */
  readonly after: string | null;
}

export interface ItemsPage {
  readonly items: readonly StoredItem[];
  readonly hasMore: boolean;
}

/** Returns the size of an item, as the limits count it. */
export function measureItem({ body }: StoredItem): number {
  return Buffer.byteLength(body);
}
