/** Bodies of smaller responses: pages of input items, the deletion of a response, a token count. Pure. */
import { z } from "zod";
import { pageItemsDefault, pageLimitField } from "../request-fields.js";
import { fieldError, invalidValue } from "../field-error.js";
import type { IdentifiedItem } from "./items/items.js";
import { presentItem } from "./items/listed-item.js";
import type { InputItemsPage, deletedResponseSchema, inputTokensSchema } from "./response-schema.js";

type InputTokens = z.infer<typeof inputTokensSchema>;

type DeletedResponse = z.infer<typeof deletedResponseSchema>;

/** Schema of the query parameters of a page. */
export const pageQuerySchema = z.object({
  limit: pageLimitField,
  order: z.enum(["asc", "desc"]).nullish(),
  after: z.string().nullish(),
});

export interface PageQuery {
  readonly limit: number;
  readonly order: "asc" | "desc";
  /** Id of the item after which the page starts; null for the first page. */
  readonly after: string | null;
}

/** Parses the query of a URL. @throws HearthError that names the field. */
export function parsePageQuery(query: unknown): PageQuery {
  const parsed = pageQuerySchema.safeParse(query);
  if (!parsed.success) throw fieldError(parsed.error, query);
  return parsePage(parsed.data, "asc");
}

/** Completes a valid query. @param defaultOrder the order of a query that has none */
export function parsePage(
  { limit, order, after }: z.infer<typeof pageQuerySchema>,
  defaultOrder: PageQuery["order"],
): PageQuery {
  return { limit: limit ?? pageItemsDefault, order: order ?? defaultOrder, after: after ?? null };
}

/** Returns one page of a response's input items. @throws HearthError `invalid_value` if `after` is not one of them. */
export function inputItemsPage(items: readonly IdentifiedItem[], query: PageQuery): InputItemsPage {
  const { limit, order, after } = query;
  const ordered = order === "asc" ? items : items.toReversed();
  const afterIndex = after === null ? -1 : ordered.findIndex(({ id }) => id === after);
  if (after !== null && afterIndex < 0)
    throw invalidValue("after", `there is no item '${after.slice(0, 200)}' in this response`);
  const data = ordered.slice(afterIndex + 1, afterIndex + 1 + limit);
  return {
    object: "list",
    data: data.map(presentItem),
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: afterIndex + 1 + limit < ordered.length,
  };
}

/** Returns the body that confirms a deletion. */
export function deletedResponse(id: string): DeletedResponse {
  return { id, object: "response", deleted: true };
}

/** Returns the body with the token count of a prompt. */
export function inputTokensBody(tokens: number): InputTokens {
  return { object: "response.input_tokens", input_tokens: tokens };
}
