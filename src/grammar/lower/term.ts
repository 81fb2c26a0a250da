import { spend } from "../work.js";
import type { SchemaNode } from "../schema/node.js";
import type { Literal, Term } from "./language.js";

export const anyTerm: Term = { key: "", literals: [], never: false };
export const neverTerm: Term = { key: "never", literals: [], never: true };

/** Creates terms. Equal sets of literals are the same term object. */
export type Terms = ReturnType<typeof createTerms>;

/** What a literal of a new term costs: its key is sorted and joined with the others. */
const stepsOfTerm = 5;

export function createTerms() {
  const numbers = new Map<SchemaNode, number>();
  const cache = new Map<string, Term>();

  const numberNode = (node: SchemaNode): number => {
    const number = numbers.get(node) ?? numbers.size;
    numbers.set(node, number);
    return number;
  };

  const intern = (literals: ReadonlyMap<string, Literal>): Term => {
    spend(stepsOfTerm * literals.size);
    const keys = [...literals.keys()].sort();
    for (const key of keys) if (!key.startsWith("!") && literals.has(`!${key}`)) return neverTerm;
    const key = keys.join(",");
    const term = cache.get(key) ?? { key, literals: [...literals.values()], never: false };
    cache.set(key, term);
    return term;
  };

  return {
    of(node: SchemaNode, positive: boolean = true): Term {
      const target = resolveRefs(node);
      if (target.always !== undefined) return target.always === positive ? anyTerm : neverTerm;
      if (acceptsEverything(target)) return positive ? anyTerm : neverTerm;
      return intern(new Map([[toKey(numberNode(target), positive), { node: target, positive }]]));
    },
    /** Returns the conjunction of terms. */
    all(terms: readonly Term[]): Term {
      spend(stepsOfTerm + terms.length);
      const constraining = [...new Set(terms)].filter((term) => term.literals.length > 0 || term.never);
      const [first, second] = constraining;
      if (first === undefined) return anyTerm;
      if (second === undefined) return first;
      if (constraining.some((term) => term.never)) return neverTerm;
      const literals = new Map<string, Literal>();
      for (const { node, positive } of constraining.flatMap((term) => term.literals))
        literals.set(toKey(numberNode(node), positive), { node, positive });
      return intern(literals);
    },
  };
}

function toKey(number: number, positive: boolean): string {
  return positive ? `${number}` : `!${number}`;
}

/**
 * Follows nodes whose only keyword is `ref`. Returns a node of the cycle when the references are circular.
 */
function resolveRefs(node: SchemaNode): SchemaNode {
  const seen = new Set<SchemaNode>();
  let current = node;
  while (current.ref !== undefined && keywordCount(current) === 1 && !seen.has(current)) {
    seen.add(current);
    current = current.ref;
  }
  return current;
}

function acceptsEverything(node: SchemaNode): boolean {
  return keywordCount(node) === 0;
}

function keywordCount(node: SchemaNode): number {
  return Object.keys(node).length - (node.refStandsAlone === undefined ? 1 : 2);
}
