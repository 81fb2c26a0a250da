/**
 * The last response of a connection that is not stored, or has run no model, with its conversation, so that the next turn can continue it by
 * `previous_response_id`. It is in memory only, and gone with the connection.
 */
import { z } from "zod";

/** Conversations of more bytes are not kept. */
const keptBytesMax = 8_388_608;
/** The limit on all connections together. */
const keptTotalBytesMax = 268_435_456;

const item = z.looseObject({});
/** The fields of a turn that make up its conversation. The route validates everything else. */
const conversationFields = z.object({
  store: z.boolean().nullish(),
  generate: z.boolean().nullish(),
  previous_response_id: z.string().nullish(),
  input: z.union([z.string(), z.array(item)]).optional(),
});
const finishedResponse = z.object({ id: z.string(), status: z.string(), output: z.array(item) });

type Item = z.infer<typeof item>;

/** A response and what it answers. */
export interface KeptResponse {
  readonly id: string;
  /** The stored response that its conversation begins with; null when it begins with `items`. */
  readonly storedId: string | null;
  readonly items: readonly Item[];
  /** Size of the items as JSON. */
  readonly bytes: number;
}

/** Keeps the responses of all connections within one limit: the connection that would exceed it keeps none. */
export class KeptResponses {
  #bytes = 0;

  /** Returns what a connection keeps from now on, in the place of what it kept before. */
  replace(before: KeptResponse | null, next: KeptResponse | null): KeptResponse | null {
    if (next === before) return before;
    this.#bytes -= before?.bytes ?? 0;
    if (next === null || this.#bytes + next.bytes > keptTotalBytesMax) return null;
    this.#bytes += next.bytes;
    return next;
  }
}

/** The conversation of one turn. */
interface TurnConversation {
  /** The kept response that the turn continues; null when it continues a stored one or none. */
  readonly continues: KeptResponse | null;
  /** Fields that replace the fields of the turn. */
  readonly replaced: Readonly<Record<string, unknown>>;
  /** Returns what is kept of the turn's response; null where it is stored, incomplete or too large. */
  readonly keep: (response: unknown) => KeptResponse | null;
}

/** Returns the conversation of a turn. @param kept the last response of the connection */
export function findTurnConversation(turn: unknown, kept: KeptResponse | null): TurnConversation {
  const parsed = conversationFields.safeParse(turn);
  if (!parsed.success) return { continues: null, replaced: {}, keep: () => null };
  const { store, generate, previous_response_id: previousId = null, input = [] } = parsed.data;
  const continues = kept !== null && previousId === kept.id ? kept : null;
  const own = typeof input === "string" ? [{ type: "message", role: "user", content: input }] : input;
  const items = [...(continues?.items ?? []), ...own];
  const storedId = continues === null ? previousId : continues.storedId;
  return {
    continues,
    replaced: continues === null ? {} : { input: items, previous_response_id: storedId },
    keep(response) {
      const finished = finishedResponse.safeParse(response);
      const isStored = store !== false && generate !== false;
      if (isStored || !finished.success || finished.data.status === "failed") return null;
      const all = [...items, ...finished.data.output];
      const bytes = Buffer.byteLength(JSON.stringify(all));
      return bytes > keptBytesMax ? null : { id: finished.data.id, storedId, items: all, bytes };
    },
  };
}
