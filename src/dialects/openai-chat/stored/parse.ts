/** Parses the requests for stored chat completions. Pure. */
import { fieldError, invalidValue, validFields } from "../../field-error.js";
import { metadataPairsMax, pageItemsDefault } from "../../request-fields.js";
import { completionsQuerySchema, completionUpdateSchema, messagesQuerySchema } from "./schema.js";

export interface StoredPageQuery {
  readonly limit: number;
  readonly order: "asc" | "desc";
  /** Id after which the page starts; null for the first page. */
  readonly after: string | null;
}

interface CompletionsListQuery extends StoredPageQuery {
  /** Only completions of this model; null: of all. */
  readonly model: string | null;
  /** Only completions that have all of these pairs. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** Parses the query of a list of completions. @throws HearthError that names the field; so do all functions below. */
export function parseCompletionsQuery(query: Readonly<Record<string, unknown>>): CompletionsListQuery {
  const parsed = completionsQuerySchema.omit({ "metadata[key]": true }).safeParse(query);
  if (!parsed.success) throw fieldError(parsed.error, query);
  return { ...parsePage(parsed.data), model: parsed.data.model ?? null, metadata: readFilter(query) };
}

/** Parses the query of a list of messages. */
export function parseMessagesQuery(query: unknown): StoredPageQuery {
  const parsed = messagesQuerySchema.safeParse(query);
  if (!parsed.success) throw fieldError(parsed.error, query);
  return parsePage(parsed.data);
}

/** Parses the body of an update. @returns the new metadata */
export function parseCompletionUpdate(body: unknown): Readonly<Record<string, string>> {
  return validFields(completionUpdateSchema, body).metadata ?? {};
}

type Page = ReturnType<typeof messagesQuerySchema.parse>;

function parsePage({ limit, order, after }: Page): StoredPageQuery {
  return { limit: limit ?? pageItemsDefault, order: order ?? "asc", after: after ?? null };
}

/** Reads `metadata[key]=value`. */
function readFilter(query: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    const key = /^metadata\[(.*)\]$/s.exec(name)?.[1];
    if (key === undefined) return [];
    if (typeof value !== "string") throw invalidValue(name.slice(0, 200), "must be present once");
    return [[key, value] as const];
  });
  if (pairs.length > metadataPairsMax)
    throw invalidValue("metadata", `must hold at most ${metadataPairsMax} pairs`);
  return Object.fromEntries(pairs);
}
