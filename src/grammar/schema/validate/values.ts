import type { SchemaNode } from "../node.js";
import { canonical } from "./equality.js";

interface ValueSet {
  /** The values in their canonical text. */
  readonly texts: ReadonlySet<string>;
  /** Whether an array or an object is among them. */
  readonly structured: boolean;
}

/** The values of each `enum`. */
export type ValueSets = ReadonlyMap<SchemaNode, ValueSet>;

export function valueSets(nodes: Iterable<SchemaNode>): ValueSets {
  const sets = new Map<SchemaNode, ValueSet>();
  for (const node of nodes)
    if (node.values !== undefined)
      sets.set(node, {
        texts: new Set(node.values.map(canonical)),
        structured: node.values.some((value) => typeof value === "object" && value !== null),
      });
  return sets;
}

/** Whether a value equals one of the set. */
export function isAmong(value: unknown, { texts, structured }: ValueSet): boolean {
  if (!structured && typeof value === "object" && value !== null) return false;
  return texts.has(canonical(value));
}
