/** Parses the requests of /v1/conversations. Pure. */
import { fieldError, invalidValue, validFields } from "../../field-error.js";
import { addedTools } from "../items/added-tools.js";
import type { InputItem } from "../items/input-item-schema.js";
import { parsePage, type PageQuery } from "../pages.js";
import { parseResponsesTools } from "../tools/parse.js";
import { noServerTools } from "../tools/server-tools.js";
import { rejectUnsupportedItems } from "../unsupported-fields.js";
import {
  conversationRequestSchema,
  conversationUpdateSchema,
  includeQuerySchema,
  itemsQuerySchema,
  newItemsSchema,
} from "./schema.js";

type Metadata = Readonly<Record<string, string>>;

interface NewConversation {
  /** Items of the request; references are not yet resolved. */
  readonly items: readonly InputItem[];
  readonly metadata: Metadata;
}

/** Parses the body of a new conversation. @throws HearthError that names the field; so do all functions below. */
export function parseConversation(body: unknown): NewConversation {
  const { items, metadata } = validFields(conversationRequestSchema, body);
  return { items: acceptedItems(items ?? []), metadata: metadata ?? {} };
}

/** Parses the body of an update. @returns the new metadata */
export function parseConversationUpdate(body: unknown): Metadata {
  return validFields(conversationUpdateSchema, body).metadata ?? {};
}

/** Parses the body of added items. */
export function parseNewItems(body: unknown): readonly InputItem[] {
  const { items } = validFields(newItemsSchema, body);
  if (items.length === 0) throw invalidValue("items", "must not be empty");
  return acceptedItems(items);
}

/** Returns the items. @throws HearthError for one that no response could be answered with. */
function acceptedItems(items: readonly InputItem[]): readonly InputItem[] {
  rejectUnsupportedItems(items, "items");
  parseResponsesTools(
    {},
    noServerTools,
    addedTools(items, (index) => `items.${index}.tools`),
  );
  return items;
}

interface ItemsListQuery extends PageQuery {
  readonly include: readonly string[];
}

/** Parses the query of a list of items, whose newest item is the first unless the query says otherwise. */
export function parseItemsQuery(query: unknown): ItemsListQuery {
  const parsed = itemsQuerySchema.safeParse(query);
  if (!parsed.success) throw fieldError(parsed.error, query);
  return { ...parsePage(parsed.data, "desc"), include: listIncludes(parsed.data) };
}

/** Parses the query of a request for items. @returns what the items include in addition */
export function parseInclude(query: unknown): readonly string[] {
  const parsed = includeQuerySchema.safeParse(query);
  if (!parsed.success) throw fieldError(parsed.error, query);
  return listIncludes(parsed.data);
}

type Includes = ReturnType<typeof includeQuerySchema.parse>;

function listIncludes({ include = [], "include[]": more = [] }: Includes): readonly string[] {
  return [include, more].flat();
}
