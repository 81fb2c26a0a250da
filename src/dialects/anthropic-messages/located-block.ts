import type { BlockBody } from "./schema.js";

/** A block of a conversation, and its field in the request. */
export interface LocatedBlock {
  readonly block: BlockBody;
  readonly param: string;
}
