import type { JsonValue } from "./node.js";
import { SchemaRefusal } from "./refusal.js";

/**
 * The differences between the drafts of JSON Schema. A keyword that a later draft added is understood in all
 * of them.
 */
export interface SchemaDialect {
  /** The keywords that give a schema resource its URI. */
  readonly idKeywords: readonly string[];
  /** Up to draft 7: the standard ignores the siblings of `$ref`, and many documents do not. */
  readonly refStandsAlone: boolean;
  /** Up to draft 7: `$id: "#name"` defines an anchor, as `$anchor: "name"` does later. */
  readonly idNamesAnchors: boolean;
  /** From 2020-12 on: the items that match `contains` count as evaluated. */
  readonly containsEvaluates: boolean;
}

const draft4: SchemaDialect = {
  idKeywords: ["id", "$id"],
  refStandsAlone: true,
  idNamesAnchors: true,
  containsEvaluates: true,
};
const draft6: SchemaDialect = { ...draft4, idKeywords: ["$id"] };
const draft2020: SchemaDialect = { ...draft6, refStandsAlone: false, idNamesAnchors: false };
const draft2019: SchemaDialect = { ...draft2020, containsEvaluates: false };
/**
 * For documents without `$schema`: the newest draft, extended by the forms of older drafts that the newest
 * does not define.
 */
const defaultDialect: SchemaDialect = { ...draft2020, idKeywords: ["$id", "id"], idNamesAnchors: true };

/** Returns the dialect that `$schema` names, or the default one. @throws SchemaRefusal for drafts before 4 */
export function readSchemaDialect(document: JsonValue): SchemaDialect {
  if (typeof document !== "object" || document === null) return defaultDialect;
  const declared = Object.hasOwn(document, "$schema")
    ? (document as { $schema?: JsonValue }).$schema
    : undefined;
  if (typeof declared !== "string") return defaultDialect;
  const name = /json-schema\.org\/(?:draft\/([0-9-]+)|draft-0([0-9]))\/schema/.exec(declared);
  const draft = name?.[1] ?? name?.[2];
  if (draft === undefined) return defaultDialect;
  if (draft === "2020-12") return draft2020;
  if (draft === "2019-09") return draft2019;
  if (draft === "6" || draft === "7") return draft6;
  if (draft === "4") return draft4;
  throw new SchemaRefusal(
    `$schema ${declared} is not supported; write the schema in draft 2020-12, or in 2019-09, 7, 6 or 4.`,
    { keyword: "$schema", pointer: "" },
  );
}
