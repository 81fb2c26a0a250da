/** Pagination of lists with opaque page tokens. */
import { z } from "zod";
import { int32Max, requiredInteger } from "../request-fields.js";
import { invalidValue } from "../field-error.js";

/** Largest page, and the size of a page without `pageSize`. */
const pageItemsMax = 10_000;

const tokenCharsMax = 500;

/** `pageSize` of a query. */
export const pageSizeField = z
  .preprocess(
    (value) => (typeof value === "string" && /^\d{1,10}$/.test(value) ? Number(value) : value),
    requiredInteger(0, int32Max).nullish(),
  )
  .describe(`Items on a page; 0 or absent means up to ${pageItemsMax}.`);

/** `paginationToken` or `pageToken` of a query. */
export const pageTokenField = z.string().nullish().describe("Token from the previous page.");

/** The token of the next page in an answer. */
export const nextPageField = z
  .string()
  .optional()
  .describe("Token of the next page; absent on the last page.");

/** Returns the number of items on a page. */
export function itemsPerPage(pageSize: number | null | undefined): number {
  return Math.min(pageSize || pageItemsMax, pageItemsMax);
}

/** Items on a page of a list that is costly: without `pageSize`, and at most. */
export interface PageSizes {
  readonly usual: number;
  readonly most: number;
}

/** `pageSize` of a query for such a list. @param items what is listed, such as `Requests` */
export function createPageSizeField(items: string, { usual, most }: PageSizes) {
  return pageSizeField.describe(`${items} on a page: at most ${most}; 0 or absent means ${usual}.`);
}

/** Returns the number of items on a page of such a list. */
export function countPageItems({ usual, most }: PageSizes, pageSize: number | null | undefined): number {
  return Math.min(pageSize || usual, most);
}

/** Encodes the position of the last item as a page token. */
export function encodePageToken(position: readonly [time: number, name: string | number]): string {
  return Buffer.from(JSON.stringify(position)).toString("base64url");
}

/**
 * Decodes a page token to a position; null if there is no token.
 * @param param name of the query parameter.
 * @throws HearthError `invalid_value` for a token that does not belong to this list.
 */
export function decodePageToken<Name extends z.ZodType<string | number>>(
  token: string | null | undefined,
  name: Name,
  param: string,
): readonly [time: number, name: z.output<Name>] | null {
  if (token === null || token === undefined || token === "") return null;
  const position = z.tuple([z.number().int(), name]).safeParse(parseJson(token));
  if (!position.success) throw invalidValue(param, "is not a token of this list");
  return position.data as [number, z.output<Name>];
}

function parseJson(token: string): unknown {
  if (token.length > tokenCharsMax) return null;
  try {
    return JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
  } catch {
    return null;
  }
}
