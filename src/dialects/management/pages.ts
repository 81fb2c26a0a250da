/** Pagination of lists with opaque page tokens. */
import { z } from "zod";
import { int32Max, requiredInteger } from "../request-fields.js";
import { invalidValue } from "../field-error.js";

/** Largest page, and the size of a page without `pageSize`. */
const pageItemsMax = 10_000;

const tokenCharsMax = 500;

const pageSizeField = z.preprocess(
  (value) => (typeof value === "string" && /^\d{1,10}$/.test(value) ? Number(value) : value),
  requiredInteger(0, int32Max).nullish(),
);

/** Items on a page of a list that is costly: without `pageSize`, and at most. */
interface PageSizes {
  /** What is listed, such as `Requests`. */
  readonly items: string;
  readonly usual: number;
  readonly most: number;
}

interface PageQuery {
  readonly pageSize?: number | null | undefined;
  readonly paginationToken?: string | null | undefined;
}

/** Where an item stands in its list. */
type Position<Name> = readonly [time: number, name: Name];

/**
 * Returns the fields of queries and answers of a list in pages, and what reads and writes them.
 * @param name of an item, which distinguishes items of the same time
 */
export function createPages<Name extends z.ZodType<string | number>>(name: Name, sizes?: PageSizes) {
  const { usual, most } = sizes ?? { usual: pageItemsMax, most: pageItemsMax };
  const items = sizes === undefined ? "Items on a page" : `${sizes.items} on a page: at most ${most}`;
  const meaning = sizes === undefined ? `means up to ${pageItemsMax}` : `means ${usual}`;
  return {
    query: {
      pageSize: pageSizeField.describe(`${items}; 0 or absent ${meaning}.`),
      paginationToken: z.string().nullish().describe("Token from the previous page."),
    },
    answer: {
      paginationToken: z.string().optional().describe("Token of the next page; absent on the last page."),
    },
    /**
     * Returns the number of items on the page, and the position after which it begins; null: the beginning.
     * @param param name of the token in the query
     * @throws HearthError `invalid_value` for a token that does not belong to this list.
     */
    read({ pageSize, paginationToken }: PageQuery, param = "paginationToken") {
      return {
        limit: Math.min(pageSize || usual, most),
        after: decodePageToken(paginationToken, name, param),
      };
    },
    /** Returns the items of a page, and the token of the next one. @param found one item more than the page has, if there is one */
    cut<Item>(found: readonly Item[], limit: number, locate: (item: Item) => Position<z.output<Name>>) {
      const items = found.slice(0, limit);
      const last = found.length > limit ? items.at(-1) : undefined;
      return { items, paginationToken: last && encodePageToken(locate(last)) };
    },
  };
}

/** Encodes the position of the last item as a page token. */
export function encodePageToken(position: Position<string | number>): string {
  return Buffer.from(JSON.stringify(position)).toString("base64url");
}

function decodePageToken<Name extends z.ZodType<string | number>>(
  token: string | null | undefined,
  name: Name,
  param: string,
): Position<z.output<Name>> | null {
  if (token == null || token === "") return null;
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
