/** The smaller answers about stored responses: pages of input items, a deletion, a count of tokens. Pure. */
import { z } from "zod";
import { requiredInteger } from "../bounded.js";
import { fieldError, invalidValue } from "../field-error.js";
import type { IdentifiedItem } from "./items/items.js";
import type { DeletedResponse, InputItemsPage, InputTokens } from "./wire.js";

const pageItemsMax = 100;
const pageItemsDefault = 20;

/** Which items are asked for, as a URL says it. */
export const pageQuerySchema = z.object({
  limit: z.preprocess(
    (value) => (typeof value === "string" && /^-?\d{1,10}$/.test(value) ? Number(value) : value),
    requiredInteger(1, pageItemsMax).nullish(),
  ),
  order: z.enum(["asc", "desc"]).nullish(),
  after: z.string().nullish(),
});

export interface PageQuery {
  readonly limit: number;
  readonly order: "asc" | "desc";
  /** Id of the item that the page follows; null: it is the first. */
  readonly after: string | null;
}

/** Reads the query of a URL. @throws HearthError naming the field. */
export function parsePageQuery(query: unknown): PageQuery {
  const parsed = pageQuerySchema.safeParse(query);
  if (!parsed.success) throw fieldError(parsed.error, query);
  const { limit, order, after } = parsed.data;
  return { limit: limit ?? pageItemsDefault, order: order ?? "asc", after: after ?? null };
}

/** One page of a response's input items. @throws HearthError `invalid_value` when `after` is none of them. */
export function inputItemsPage(items: readonly IdentifiedItem[], query: PageQuery): InputItemsPage {
  const { limit, order, after } = query;
  const ordered = order === "asc" ? items : items.toReversed();
  const before = after === null ? -1 : ordered.findIndex(({ id }) => id === after);
  if (after !== null && before < 0)
    throw invalidValue("after", `there is no item '${after.slice(0, 200)}' in this response`);
  const data = ordered.slice(before + 1, before + 1 + limit);
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: before + 1 + limit < ordered.length,
  };
}

/** A response is gone. */
export function deletedResponse(id: string): DeletedResponse {
  return { id, object: "response", deleted: true };
}

/** How long the prompt of a request is. */
export function inputTokensBody(tokens: number): InputTokens {
  return { object: "response.input_tokens", input_tokens: tokens };
}
