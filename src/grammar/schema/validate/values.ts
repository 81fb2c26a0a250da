import { ExactNumber } from "../../regular/number/decimal.js";
import type { SchemaNode } from "../node.js";
import { canonicalText } from "./equality.js";

interface ValueSet {
  /** The canonical texts of the values. */
  readonly texts: ReadonlySet<string>;
  /** Whether one of the values is an array or an object. */
  readonly structured: boolean;
}

/** The value sets of all `enum` keywords, by node. */
export type ValueSets = ReadonlyMap<SchemaNode, ValueSet>;

export function valueSets(nodes: Iterable<SchemaNode>): ValueSets {
  const sets = new Map<SchemaNode, ValueSet>();
  for (const node of nodes)
    if (node.values !== undefined)
      sets.set(node, {
        texts: new Set(node.values.map(canonicalText)),
        structured: node.values.some((value) => isStructured(value)),
      });
  return sets;
}

/** Returns whether a value equals one of the set. */
export function isAmong(value: unknown, { texts, structured }: ValueSet): boolean {
  if (!structured && isStructured(value)) return false;
  return texts.has(canonicalText(value));
}

/** Whether a value is an array or an object. */
function isStructured(value: unknown): boolean {
  return typeof value === "object" && value !== null && !(value instanceof ExactNumber);
}
