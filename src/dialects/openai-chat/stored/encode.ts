/** Encodes stored chat completions. Pure. */
import type { z } from "zod";
import { invalidValue } from "../../field-error.js";
import type { ChatCompletion } from "../response-schema.js";
import type { ChatMessageBody } from "../schema.js";
import type { StoredPageQuery } from "./parse.js";
import type {
  deletedCompletion,
  storedCompletion,
  storedCompletions,
  storedMessages,
} from "./response-schema.js";

type StoredMessagesBody = z.infer<typeof storedMessages>;

type StoredCompletionsBody = z.infer<typeof storedCompletions>;

type StoredCompletionBody = z.infer<typeof storedCompletion>;

type DeletedCompletion = z.infer<typeof deletedCompletion>;

/** A completion as it is stored. */
interface StoredCompletion {
  /** JSON text. */
  readonly body: string;
  /** JSON text. */
  readonly metadata: string;
}

export function encodeStored({ body, metadata }: StoredCompletion): StoredCompletionBody {
  return {
    ...(JSON.parse(body) as ChatCompletion),
    metadata: JSON.parse(metadata) as StoredCompletionBody["metadata"],
  };
}

export function encodeStoredPage(
  completions: readonly StoredCompletion[],
  hasMore: boolean,
): StoredCompletionsBody {
  return toPage(completions.map(encodeStored), hasMore);
}

export function encodeDeletedCompletion(id: string): DeletedCompletion {
  return { id, object: "chat.completion.deleted", deleted: true };
}

/**
 * Returns a page of the messages of a request; their ids are made from the completion's id and the position.
 * @param messages JSON text of the messages.
 * @throws HearthError `invalid_value` if `after` is not one of them.
 */
export function storedMessagesPage(id: string, messages: string, query: StoredPageQuery): StoredMessagesBody {
  const { limit, order, after } = query;
  const all = (JSON.parse(messages) as readonly ChatMessageBody[]).map((message, index) => ({
    refusal: null,
    ...message,
    id: `${id}-${index}`,
    content: typeof message.content === "string" ? message.content : null,
    content_parts: Array.isArray(message.content) ? message.content : null,
  }));
  const ordered = order === "asc" ? all : all.toReversed();
  const start = after === null ? 0 : ordered.findIndex((message) => message.id === after) + 1;
  if (after !== null && start === 0)
    throw invalidValue("after", `there is no message '${after.slice(0, 200)}' in this completion`);
  return toPage(ordered.slice(start, start + limit), start + limit < ordered.length);
}

function toPage<Item extends { readonly id: string }>(data: readonly Item[], hasMore: boolean) {
  return {
    object: "list" as const,
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}
