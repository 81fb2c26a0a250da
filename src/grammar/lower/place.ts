import type { SchemaNode } from "../schema/node.js";
import type { CostPlace } from "../work.js";
import type { Term } from "./language.js";

/** The keywords by how costly they usually are. */
const byCost = [
  ["oneOf", "oneOf"],
  ["anyOf", "anyOf"],
  ["allOf", "allOf"],
  ["if", "if"],
  ["not", "not"],
  ["dependentSchemas", "dependentSchemas"],
  ["patternProperties", "patternProperties"],
  ["properties", "properties"],
  ["contains", "contains"],
  ["prefixItems", "prefixItems"],
  ["items", "items"],
  ["pattern", "pattern"],
  ["format", "format"],
  ["values", "enum"],
  ["multipleOf", "multipleOf"],
  ["ref", "$ref"],
] as const satisfies readonly (readonly [keyof SchemaNode, string])[];

/** Returns the place to which the work on a node as a whole is counted: its costliest keyword. */
export function findCostPlace(node: SchemaNode): CostPlace {
  const [, keyword] = byCost.find(([key]) => node[key] !== undefined) ?? ["", "type"];
  return { keyword, pointer: node.pointer };
}

/** Returns the place of a term: the place of its first schema. */
export function placeOfTerm({ literals: [first] }: Term): CostPlace {
  return first === undefined ? { keyword: "type", pointer: "" } : findCostPlace(first.node);
}
