/** Pages of lists: how many, and where the next one goes on, in a token that means nothing to whoever holds it. */
import { z } from "zod";
import { int32Max, requiredInteger } from "../../dialects/bounded.js";
import { invalidValue } from "../../dialects/field-error.js";

/** More are never told at once; without `pageSize` it is as many as this. */
const pageItemsMax = 10_000;

const tokenCharsMax = 500;

/** `pageSize` of a query. */
export const pageSizeField = z
  .preprocess(
    (value) => (typeof value === "string" && /^\d{1,10}$/.test(value) ? Number(value) : value),
    requiredInteger(0, int32Max).nullish(),
  )
  .describe(`At most so many; 0 or none is as many as there are, up to ${pageItemsMax}.`);

/** `paginationToken` of a query, or whatever it is called. */
export const pageTokenField = z.string().nullish().describe("Of the page before.");

/** How many a page may have. */
export function pageItems(pageSize: number | null | undefined): number {
  return Math.min(pageSize || pageItemsMax, pageItemsMax);
}

/** The token of a place. */
export function pageToken(place: readonly [time: number, name: string | number]): string {
  return Buffer.from(JSON.stringify(place)).toString("base64url");
}

/**
 * The place of a token; null when there is none.
 * @param param name of the query's field.
 * @throws HearthError `invalid_value` for what is no token of such a list.
 */
export function placeOf<Name extends z.ZodType<string | number>>(
  token: string | null | undefined,
  name: Name,
  param: string,
): readonly [time: number, name: z.output<Name>] | null {
  if (token === null || token === undefined || token === "") return null;
  const place = z.tuple([z.number().int(), name]).safeParse(jsonOf(token));
  if (!place.success) throw invalidValue(param, "is not one that this server gave");
  return place.data as [number, z.output<Name>];
}

function jsonOf(token: string): unknown {
  if (token.length > tokenCharsMax) return null;
  try {
    return JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
  } catch {
    return null;
  }
}
