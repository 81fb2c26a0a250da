import type { Keywords, NodeDraft } from "./keywords.js";

/** Reads the keywords that apply other schemas to the same value. */
export function readCombined(node: NodeDraft, keywords: Keywords): void {
  const allOf = keywords.schemas("allOf");
  const anyOf = keywords.schemas("anyOf");
  const oneOf = keywords.schemas("oneOf");
  const not = keywords.schema("not");
  if (allOf !== undefined) node.allOf = [...(node.allOf ?? []), ...allOf];
  if (anyOf !== undefined) node.anyOf = anyOf;
  if (oneOf !== undefined) node.oneOf = oneOf;
  if (not !== undefined) node.not = not;
  const condition = keywords.schema("if");
  if (condition === undefined) return;
  const met = keywords.schema("then");
  const unmet = keywords.schema("else");
  node.if = condition;
  if (met !== undefined) node.then = met;
  if (unmet !== undefined) node.else = unmet;
}
