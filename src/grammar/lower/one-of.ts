import type { SchemaNode } from "../schema/node.js";
import { breadth, checked, checksOf, isNothing, unite, type Language } from "./language.js";
import type { Scope } from "./scope.js";

/** Alternatives that one branch may fall into when the others are excluded from it. */
const excludedBreadthMax = 12;
/** Pairs of branches that are compared. */
const pairsMax = 5000;

/**
 * What is in one of the branches, and in no other where that can be said: by the branches having nothing in common, or by
 * taking out of each what the others allow. Elsewhere it is their union, and a check.
 */
export function exactlyOne(
  before: Language,
  inner: readonly SchemaNode[],
  node: SchemaNode,
  scope: Scope,
): Language {
  const at = { keyword: "oneOf", pointer: node.pointer };
  const both = (a: Language, b: Language): Language => scope.meet(a, b, "oneOf", node.pointer);
  const branches = inner.map((branch) => both(before, scope.holding(branch)));
  if ((inner.length * (inner.length - 1)) / 2 > pairsMax) return checked(unite(branches), at);
  const overlapping = overlaps(branches, inner, both, scope);
  return unite(
    branches.map((branch, index) => {
      let rest = branch;
      for (const other of overlapping[index] ?? []) {
        const otherNode = inner[other];
        if (otherNode === undefined) continue;
        const without = both(rest, checked(scope.denying(otherNode), at, true));
        const fits = breadth(without) <= Math.max(excludedBreadthMax, breadth(branch));
        rest = fits && telling(without, rest) ? without : checked(rest, at);
      }
      return rest;
    }),
  );
}

/** Whether an exclusion said anything: one that is all check and no shape would only make the grammar larger. */
function telling(after: Language, before: Language): boolean {
  return checksOf(after).length === 0 || breadth(after) <= breadth(before);
}

/** For each branch the others that may have something in common with it. */
function overlaps(
  branches: readonly Language[],
  inner: readonly SchemaNode[],
  both: (a: Language, b: Language) => Language,
  scope: Scope,
): readonly (readonly number[])[] {
  const found: number[][] = branches.map(() => []);
  for (const [i, a] of branches.entries())
    for (let j = i + 1; j < branches.length; j++) {
      const b = branches[j];
      const [left, right] = [inner[i], inner[j]];
      if (b === undefined || left === undefined || right === undefined) continue;
      scope.step();
      const common = both(a, b);
      const term = scope.terms.all([scope.terms.of(left), scope.terms.of(right)]);
      const values = common.values.filter((value) => scope.valid(term, value));
      if (isNothing({ ...common, values })) continue;
      found[i]?.push(j);
      found[j]?.push(i);
    }
  return found;
}
