import type { JsonValue } from "./node.js";
import { SchemaRefusal } from "./refusal.js";

/** What differs between the drafts; every keyword that a later draft added is understood in all of them. */
export interface Dialect {
  /** The keywords that name a resource. */
  readonly idKeywords: readonly string[];
  /** Up to draft 7: an object with `$ref` is that reference and nothing else. */
  readonly refStandsAlone: boolean;
  /** Up to draft 7: `$id: "#name"` is what `$anchor: "name"` became. */
  readonly idNamesAnchors: boolean;
  /** From 2020-12 on: what `contains` accepts counts as evaluated. */
  readonly containsEvaluates: boolean;
}

const draft4: Dialect = {
  idKeywords: ["id", "$id"],
  refStandsAlone: true,
  idNamesAnchors: true,
  containsEvaluates: true,
};
const draft6: Dialect = { ...draft4, idKeywords: ["$id"] };
const draft2020: Dialect = { ...draft6, refStandsAlone: false, idNamesAnchors: false };
const draft2019: Dialect = { ...draft2020, containsEvaluates: false };
/** A document that does not say: the newest draft, and what older ones wrote where the newest knows no such form. */
const unsaid: Dialect = { ...draft2020, idKeywords: ["$id", "id"], idNamesAnchors: true };

/** The rules a document is read by: its `$schema`, or those of the newest draft. @throws SchemaRefusal for drafts before 4 */
export function dialectOf(document: JsonValue): Dialect {
  if (typeof document !== "object" || document === null) return unsaid;
  const said = Object.hasOwn(document, "$schema") ? (document as { $schema?: JsonValue }).$schema : undefined;
  if (typeof said !== "string") return unsaid;
  const name = /json-schema\.org\/(?:draft\/([0-9-]+)|draft-0([0-9]))\/schema/.exec(said);
  const draft = name?.[1] ?? name?.[2];
  if (draft === undefined) return unsaid;
  if (draft === "2020-12") return draft2020;
  if (draft === "2019-09") return draft2019;
  if (draft === "6" || draft === "7") return draft6;
  if (draft === "4") return draft4;
  throw new SchemaRefusal(
    `$schema ${said} is not supported; write the schema in draft 2020-12, or in 2019-09, 7, 6 or 4.`,
    { keyword: "$schema", pointer: "" },
  );
}
