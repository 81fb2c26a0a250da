import type { Dialect } from "./dialect.js";
import type { Keywords, NodeDraft } from "./keywords.js";
import { isArray } from "./location.js";

/** Reads the keywords of arrays. Tuples of older drafts become `prefixItems` and `items`. */
export function readArray(node: NodeDraft, keywords: Keywords, dialect: Dialect): void {
  const prefixItems = keywords.schemas("prefixItems");
  const tuple = isArray(keywords.raw("items"));
  if (prefixItems !== undefined) node.prefixItems = prefixItems;
  if (tuple && prefixItems !== undefined)
    throw keywords.malformed("items", "a schema when prefixItems is present");
  if (tuple) readTuple(node, keywords);
  else {
    const items = keywords.schema("items");
    if (items !== undefined) node.items = items;
  }
  const minItems = keywords.count("minItems");
  const maxItems = keywords.count("maxItems");
  const uniqueItems = keywords.flag("uniqueItems");
  const unevaluatedItems = keywords.schema("unevaluatedItems");
  if (minItems !== undefined) node.minItems = minItems;
  if (maxItems !== undefined) node.maxItems = maxItems;
  if (uniqueItems === true) node.uniqueItems = true;
  if (unevaluatedItems !== undefined) node.unevaluatedItems = unevaluatedItems;
  readContains(node, keywords, dialect);
}

function readTuple(node: NodeDraft, keywords: Keywords): void {
  const tuple = keywords.list("items");
  const rest = keywords.schema("additionalItems");
  if (tuple !== undefined && tuple.length > 0)
    node.prefixItems = tuple.map((_, index) => keywords.schemaIn("items", index));
  if (rest !== undefined) node.items = rest;
}

function readContains(node: NodeDraft, keywords: Keywords, dialect: Dialect): void {
  const contains = keywords.schema("contains");
  const min = keywords.count("minContains") ?? 1;
  const max = keywords.count("maxContains") ?? null;
  if (contains === undefined) return;
  node.contains = { node: contains, min, max, ...(dialect.containsEvaluates ? {} : { evaluates: false }) };
}
