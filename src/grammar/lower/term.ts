import type { SchemaNode } from "../schema/node.js";
import type { Literal, Term } from "./language.js";

export const anyTerm: Term = { key: "", literals: [], never: false };
export const neverTerm: Term = { key: "never", literals: [], never: true };

/** Makes terms, so that equal sets of literals are the same term. */
export interface Terms {
  of(node: SchemaNode, holds?: boolean): Term;
  /** All of them at once. */
  all(terms: readonly Term[]): Term;
}

export function createTerms(): Terms {
  const numbers = new Map<SchemaNode, number>();
  const known = new Map<string, Term>();

  const numberOf = (node: SchemaNode): number => {
    const number = numbers.get(node) ?? numbers.size;
    numbers.set(node, number);
    return number;
  };

  const intern = (literals: ReadonlyMap<string, Literal>): Term => {
    const keys = [...literals.keys()].sort();
    for (const key of keys) if (!key.startsWith("!") && literals.has(`!${key}`)) return neverTerm;
    const key = keys.join(",");
    const term = known.get(key) ?? { key, literals: [...literals.values()], never: false };
    known.set(key, term);
    return term;
  };

  return {
    of(node, holds = true) {
      const target = followed(node);
      if (target.always !== undefined) return target.always === holds ? anyTerm : neverTerm;
      if (saysNothing(target)) return holds ? anyTerm : neverTerm;
      return intern(new Map([[keyOf(numberOf(target), holds), { node: target, holds }]]));
    },
    all(terms) {
      const telling = [...new Set(terms)].filter((term) => term.literals.length > 0 || term.never);
      const [first, second] = telling;
      if (first === undefined) return anyTerm;
      if (second === undefined) return first;
      if (telling.some((term) => term.never)) return neverTerm;
      const literals = new Map<string, Literal>();
      for (const { node, holds } of telling.flatMap((term) => term.literals))
        literals.set(keyOf(numberOf(node), holds), { node, holds });
      return intern(literals);
    },
  };
}

function keyOf(number: number, holds: boolean): string {
  return holds ? `${number}` : `!${number}`;
}

/** The schema that a node without any keyword but `ref` stands for; the node itself where references go in a circle. */
function followed(node: SchemaNode): SchemaNode {
  const seen = new Set<SchemaNode>();
  let current = node;
  while (current.ref !== undefined && keywordCount(current) === 1 && !seen.has(current)) {
    seen.add(current);
    current = current.ref;
  }
  return current;
}

function saysNothing(node: SchemaNode): boolean {
  return keywordCount(node) === 0;
}

function keywordCount(node: SchemaNode): number {
  return Object.keys(node).length - 1;
}
