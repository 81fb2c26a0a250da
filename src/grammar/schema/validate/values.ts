import { ExactNumber } from "../../regular/number/decimal.js";
import type { SchemaNode } from "../node.js";
import { canonicalText } from "./equality.js";

interface ValueSet {
  /** The canonical texts of the values. */
  readonly texts: ReadonlySet<string>;
  /** Whether one of the values is an array or an object. */
  readonly structured: boolean;
}

/** The value sets of `enum` keywords, by node. */
export type ValueSets = ReturnType<typeof createValueSets>;

/** Each set is read once, when it is first needed. */
export function createValueSets() {
  const sets = new WeakMap<SchemaNode, ValueSet>();
  return {
    of(node: SchemaNode): ValueSet | null {
      if (node.values === undefined) return null;
      let known = sets.get(node);
      if (known === undefined) {
        const structured = node.values.some((value) => isStructured(value));
        known = { texts: new Set(node.values.map(canonicalText)), structured };
        sets.set(node, known);
      }
      return known;
    },
  };
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
