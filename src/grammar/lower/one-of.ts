import { attempt } from "../work.js";
import { ExactNumber } from "../regular/number/decimal.js";
import { isArray, isObject } from "../schema/location.js";
import type { JsonValue, SchemaNode } from "../schema/node.js";
import { memberTerm } from "./emptiness.js";
import {
  anyValue,
  breadth,
  listChecks,
  hasNoShape,
  noValue,
  unite,
  withCheck,
  type Check,
  type Language,
  type ObjectShape,
} from "./language.js";
import type { GrammarScope } from "./scope.js";

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
  scope: GrammarScope,
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
  readonly scope: GrammarScope;
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
        const excluded: Excluded = {
          language: branches[other] ?? anyValue,
          complement: withCheck(scope.complement(otherNode), at, true),
        };
        const fits = (language: Language): boolean =>
          breadth(language) <= Math.max(excludedBreadthMax, breadth(branch));
        let without = withoutOther(rest, excluded, { both, at, scope }, false);
        if (!fits(without)) without = withoutOther(rest, excluded, { both, at, scope }, true);
        if (fits(without) && isUseful(without, rest)) rest = without;
        else {
          rest = withCheck(rest, at);
          misfits += 1;
        }
      }
      return rest;
    }),
  );
}

/** A branch whose values are excluded, and all other values. */
interface Excluded {
  readonly language: Language;
  readonly complement: Language;
}

/**
 * Returns the values that are not in the other branch. Shapes that have none of its values stay as they are.
 * @param reduces whether a closed object has no more alternatives where it lacks a key that the other branch requires
 */
function withoutOther(
  from: Language,
  { language, complement }: Excluded,
  { both, scope }: OneOf,
  reduces: boolean,
): Language {
  /** Whether the branches have nothing in common there. Its listed values are part of no shape. */
  const isApart = (only: Language, isOfKind: (value: JsonValue) => boolean): boolean =>
    breadth(both(only, language)) === 0 && !language.values.some(isOfKind);
  const exclude = (only: Language, isOfKind: (value: JsonValue) => boolean): Language =>
    isApart(only, isOfKind) ? only : both(only, complement);
  const excludeFromObject = (shape: ObjectShape): Language => {
    const only = { ...noValue, objects: [shape] };
    if (isApart(only, isObject)) return only;
    const lacking = reduces ? complement.objects.find((other) => isLacking(shape, other, scope)) : undefined;
    return both(only, lacking === undefined ? complement : { ...noValue, objects: [lacking] });
  };
  return unite([
    both({ ...noValue, values: from.values }, { ...noValue, values: complement.values }),
    ...from.numbers.map((shape) => exclude({ ...noValue, numbers: [shape] }, isNumber)),
    ...from.strings.map((shape) => exclude({ ...noValue, strings: [shape] }, isText)),
    ...from.arrays.map((shape) => exclude({ ...noValue, arrays: [shape] }, isArray)),
    ...from.objects.map(excludeFromObject),
  ]);
}

function isNumber(value: JsonValue): boolean {
  return typeof value === "number" || value instanceof ExactNumber;
}

function isText(value: JsonValue): boolean {
  return typeof value === "string";
}

/** Returns whether `other` says nothing but that a key is absent, which the closed object `shape` does not declare. */
function isLacking(shape: ObjectShape, other: ObjectShape, scope: GrammarScope): boolean {
  const [members, second] = other.members;
  if (members === undefined || second !== undefined || members.additional !== null) return false;
  if (other.maxProperties !== null || other.some.length + other.checks.length + members.patterns.length > 0)
    return false;
  const [[key, term] = ["", null], another] = members.properties;
  if (term?.never !== true || another !== undefined) return false;
  if (memberTerm(shape, key, scope).never) return true;
  const declaring = shape.members.filter(({ declares }) => declares);
  const isClosed = scope.closesObjects && declaring.some(({ properties }) => properties.size > 0);
  return (
    isClosed &&
    declaring.every(
      ({ additional, patterns, properties }) =>
        additional === null && patterns.length === 0 && !properties.has(key),
    )
  );
}

/**
 * Returns whether an exclusion removed anything. One that adds only checks makes the grammar larger without
 * effect.
 */
function isUseful(after: Language, before: Language): boolean {
  return listChecks(after).length === 0 || breadth(after) <= breadth(before);
}

/** Returns for each branch the indices of the other branches that may overlap with it. */
function overlaps(
  branches: readonly Language[],
  inner: readonly SchemaNode[],
  both: (a: Language, b: Language) => Language,
  scope: GrammarScope,
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
