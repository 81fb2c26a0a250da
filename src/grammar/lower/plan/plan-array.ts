import { itemTerm } from "../emptiness.js";
import {
  breadth,
  joinedChecks,
  type ArrayShape,
  type Check,
  type Contained,
  type Term,
} from "../language.js";
import type { ArrayPlan } from "./plan.js";
import type { Scope } from "../scope.js";
import { neverTerm } from "../term.js";

/** Values that items may have for uniqueItems to be told by the grammar: each subset of them is a state. */
const distinctMax = 6;

/** Works out the items of an array, or null where no array is of this shape. */
export function planArray(shape: ArrayShape, scope: Scope): ArrayPlan | null {
  const contained = readContained(shape, scope);
  if (contained === null) return null;
  const { lists } = contained;
  let { minItems, maxItems } = contained;
  const length = Math.max(0, ...lists.map((list) => list.prefix.length));
  const prefix: Term[] = [];
  let ended = false;
  for (let index = 0; index < length && !ended; index++) {
    scope.step();
    const term = itemTerm({ ...shape, lists }, index, scope);
    if (scope.isNever(term) || index >= (maxItems ?? Infinity)) ended = true;
    else prefix.push(term);
  }
  const after = itemTerm({ ...shape, lists }, length, scope);
  const rest = ended || scope.isNever(after) ? null : after;
  if (rest === null) maxItems = Math.min(maxItems ?? Infinity, prefix.length);
  minItems = Math.max(minItems, contained.kept?.min ?? 0);
  if (maxItems !== null && minItems > maxItems) return null;
  const plan: ArrayPlan = {
    prefix,
    rest: rest !== null && maxItems !== null && maxItems <= prefix.length ? null : rest,
    minItems,
    maxItems,
    contained: contained.kept,
    distinct: null,
    checks: joinedChecks(shape.checks, contained.checks),
  };
  return shape.unique === null || (maxItems !== null && maxItems <= 1)
    ? plan
    : unique(plan, shape.unique, scope);
}

interface ReadContained {
  readonly lists: ArrayShape["lists"];
  readonly minItems: number;
  readonly maxItems: number | null;
  readonly kept: Contained | null;
  readonly checks: readonly Check[];
}

/** What `contains` says that counts and items can say; of what is left, one is kept and others are checked. */
function readContained(shape: ArrayShape, scope: Scope): ReadContained | null {
  let { lists, minItems, maxItems } = shape;
  let kept: Contained | null = null;
  let checks: readonly Check[] = [];
  for (const contained of shape.contained) {
    const { term, min, max } = contained;
    if (max !== null && max < min) return null;
    if (term.never || scope.isNever(term)) {
      if (min > 0) return null;
    } else if (term.literals.length === 0) {
      minItems = Math.max(minItems, min);
      if (max !== null) maxItems = Math.min(maxItems ?? Infinity, max);
    } else if (max === 0) {
      lists = [...lists, { prefix: [], rest: opposite(term, scope), evaluates: false }];
    } else if (min > 0 || max !== null) {
      if (kept === null) kept = contained;
      else checks = joinedChecks(checks, [contained.at]);
    }
  }
  return { lists, minItems, maxItems, kept, checks };
}

/** The opposite of a term of one literal. */
export function opposite(term: Term, scope: Scope): Term {
  const [literal, second] = term.literals;
  if (literal === undefined) return neverTerm;
  if (second !== undefined) throw new RangeError("a conjunction has no opposite that is a term");
  return scope.terms.of(literal.node, !literal.holds);
}

function unique(plan: ArrayPlan, at: Check, scope: Scope): ArrayPlan | null {
  if (plan.rest !== null && plan.prefix.length === 0 && plan.contained === null) {
    const language = scope.language(plan.rest);
    const { values } = language;
    if (breadth(language) === 0 && values.length < plan.minItems) return null;
    if (breadth(language) === 0 && values.length <= distinctMax)
      return { ...plan, distinct: values, maxItems: Math.min(plan.maxItems ?? Infinity, values.length) };
  }
  return { ...plan, checks: joinedChecks(plan.checks, [at]) };
}
