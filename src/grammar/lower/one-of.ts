import { attempt } from "../work.js";
import type { SchemaNode } from "../schema/node.js";
import { breadth, withCheck, checksOf, hasNoShape, unite, type Check, type Language } from "./language.js";
import type { Scope } from "./scope.js";

/** The number of alternatives that a branch may have after the other branches are excluded from it. */
const excludedBreadthMax = 12;
/**
 * After this many exclusions that did not fit, a branch keeps its check and is not compared with the others: each attempt is costly, and
 * the validator decides anyway.
 */
const misfitsMax = 8;
/** Steps for making the branches of one oneOf disjoint. With more, their union is left to the validator. */
const exclusionStepsMax = 600_000;
/** The number of branch pairs that are compared. */
const pairsMax = 5000;

/**
 * Returns the language of `oneOf`: values in exactly one branch. Overlapping branches are made disjoint by
 * intersecting each with the complement of the others; where that is not possible, the result is the union
 * with a check.
 */
export function exactlyOne(
  before: Language,
  inner: readonly SchemaNode[],
  node: SchemaNode,
  scope: Scope,
): Language {
  const at = { keyword: "oneOf", pointer: node.pointer };
  const both = (a: Language, b: Language): Language => scope.intersect(a, b, "oneOf", node.pointer);
  const branches = inner.map((branch) => both(before, scope.satisfying(branch)));
  if ((inner.length * (inner.length - 1)) / 2 > pairsMax) return withCheck(unite(branches), at);
  const disjoint = attempt(exclusionStepsMax, () => withoutOthers(branches, inner, { both, at, scope }));
  return disjoint ?? withCheck(unite(branches), at);
}

interface OneOf {
  readonly both: (a: Language, b: Language) => Language;
  readonly at: Check;
  readonly scope: Scope;
}

/** Returns the union of the branches, each without the values of the others. */
function withoutOthers(
  branches: readonly Language[],
  inner: readonly SchemaNode[],
  { both, at, scope }: OneOf,
): Language {
  const overlapping = overlaps(branches, inner, both, scope);
  return unite(
    branches.map((branch, index) => {
      let rest = branch;
      let misfits = 0;
      for (const other of overlapping[index] ?? []) {
        if (misfits >= misfitsMax) break;
        const otherNode = inner[other];
        if (otherNode === undefined) continue;
        const without = both(rest, withCheck(scope.complement(otherNode), at, true));
        const fits = breadth(without) <= Math.max(excludedBreadthMax, breadth(branch));
        if (fits && isUseful(without, rest)) rest = without;
        else {
          rest = withCheck(rest, at);
          misfits += 1;
        }
      }
      return rest;
    }),
  );
}

/**
 * Returns whether an exclusion removed anything. One that adds only checks makes the grammar larger without
 * effect.
 */
function isUseful(after: Language, before: Language): boolean {
  return checksOf(after).length === 0 || breadth(after) <= breadth(before);
}

/** Returns for each branch the indices of the other branches that may overlap with it. */
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
      const common = both(a, b);
      const term = scope.terms.all([scope.terms.of(left), scope.terms.of(right)]);
      const values = common.values.filter((value) => scope.isValid(term, value));
      if (hasNoShape({ ...common, values })) continue;
      found[i]?.push(j);
      found[j]?.push(i);
    }
  return found;
}
