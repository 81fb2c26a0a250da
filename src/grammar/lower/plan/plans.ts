/**
 * Plans all terms that are reachable from a root and finds the productive ones, which generate at least one
 * text. Recursion without an end is not productive.
 */
import { spend, workingAt } from "../../work.js";
import { planCounting } from "./counting.js";
import type { Term } from "../language.js";
import { numberTexts } from "../numbers.js";
import { placeOfTerm } from "../place.js";
import { planArray, negated } from "./plan-array.js";
import { planObjects } from "./plan-object.js";
import type { ArrayPlan, ObjectPlan, TermPlan } from "./plan.js";
import type { GrammarScope } from "../scope.js";
import { isEmptyStringShape } from "../strings.js";

/** What planning a term costs besides its shapes. */
const stepsOfPlan = 10;
/** The number of terms that one grammar may have. */
const termsMax = 20_000;

export interface Plans {
  of(term: Term): TermPlan;
  /** Whether the term was planned: whether it is reachable from the root. */
  readonly isPlanned: (term: Term) => boolean;
  /** Whether at least one text satisfies the term. */
  readonly isProductive: (term: Term) => boolean;
  readonly isProductiveObject: (plan: ObjectPlan) => boolean;
  readonly isProductiveArray: (plan: ArrayPlan) => boolean;
}

/**
 * Plans a term and everything below it. @throws SchemaRefusal over the work budget
 * @param rootKeys keys that an object at the root may have though it is closed by absence
 */
export function planAll(
  root: Term,
  scope: GrammarScope,
  rootKeys: ReadonlyMap<string, Term> = new Map(),
): Plans {
  const plans = new Map<Term, TermPlan>();
  const terms = [root];
  const seen = new Set(terms);
  for (const term of terms) {
    spend(terms.length > termsMax ? Infinity : stepsOfPlan);
    const keys = term === root ? rootKeys : new Map<string, Term>();
    const plan = workingAt(placeOfTerm(term), () => planTerm(term, scope, keys));
    plans.set(term, plan);
    for (const inner of innerTerms(plan, scope)) {
      if (seen.has(inner)) continue;
      seen.add(inner);
      terms.push(inner);
    }
  }
  const productive = new Set<Term>();
  const of = (term: Term): TermPlan => {
    const plan = plans.get(term);
    if (plan === undefined) throw new RangeError("the term is not reachable from the root");
    return plan;
  };
  const isProductive = (term: Term): boolean => productive.has(term);
  const plansOfTerms: Plans = {
    of,
    isPlanned: (term) => plans.has(term),
    isProductive: isProductive,
    isProductiveObject: (plan) => isProductiveObject(plan, isProductive),
    isProductiveArray: (plan) => isProductiveArray(plan, isProductive, scope),
  };
  findProductive(terms, productive, plansOfTerms);
  return plansOfTerms;
}

/**
 * Adds the productive terms until a fixed point is reached. The terms found last lie deepest and are tested
 * first.
 */
function findProductive(terms: readonly Term[], productive: Set<Term>, plans: Plans): void {
  let open = [...terms].reverse();
  for (let before = -1; before !== open.length;) {
    before = open.length;
    open = open.filter((term) => {
      const plan = plans.of(term);
      const generates =
        plan.values.length + plan.numbers.length + plan.strings.length > 0 ||
        plan.arrays.some(plans.isProductiveArray) ||
        plan.objects.some(plans.isProductiveObject);
      if (generates) productive.add(term);
      return !generates;
    });
  }
}

function planTerm(term: Term, scope: GrammarScope, moreKeys: ReadonlyMap<string, Term>): TermPlan {
  const { values, numbers, strings, arrays, objects } = scope.language(term);
  const pointer = term.literals[0]?.node.pointer ?? "";
  return {
    values,
    numbers: numbers.filter((shape) => numberTexts(shape).automaton !== null),
    strings: strings.filter((shape) => !isEmptyStringShape(shape)),
    arrays: arrays.map((shape) => planArray(shape, scope)).filter((plan) => plan !== null),
    objects: objects.flatMap((shape) => planObjects(shape, scope, { pointer, moreKeys })),
    pointer,
  };
}

/** Returns the terms of members and items. */
export function innerTerms(plan: TermPlan, scope: GrammarScope): readonly Term[] {
  return [
    ...plan.objects.flatMap(({ entries, extras }) => [...entries, ...extras].map((part) => part.term)),
    ...plan.arrays.flatMap((array) => [
      ...array.prefix,
      ...(array.rest === null ? [] : [array.rest]),
      ...containedTerms(array, scope),
    ]),
  ];
}

function containedTerms(array: ArrayPlan, scope: GrammarScope): readonly Term[] {
  const items = [...array.prefix, ...(array.rest === null ? [] : [array.rest])];
  return items.flatMap((item) => {
    const split = splitItem(item, array, scope);
    return split === null ? [] : [split.inside, split.outside];
  });
}

/**
 * Splits an item into the term that matches `contains` and the term that does not. Without a maximum the
 * second may match as well.
 */
export function splitItem(
  item: Term,
  array: ArrayPlan,
  scope: GrammarScope,
): { readonly inside: Term; readonly outside: Term } | null {
  const { contained } = array;
  if (contained === null) return null;
  return {
    inside: scope.terms.all([item, contained.term]),
    outside: contained.max === null ? item : scope.terms.all([item, negated(contained.term, scope)]),
  };
}

function isProductiveObject(plan: ObjectPlan, isProductive: (term: Term) => boolean): boolean {
  if (plan.entries.some(({ term, required }) => required && !isProductive(term))) return false;
  const counted = plan.minProperties > 0 || plan.maxProperties !== null || plan.clauses.length > 0;
  return !counted || planCounting(plan, isProductive) !== null;
}

function isProductiveArray(
  plan: ArrayPlan,
  isProductive: (term: Term) => boolean,
  scope: GrammarScope,
): boolean {
  if (plan.distinct !== null) return plan.distinct.length >= plan.minItems;
  const items = plan.rest === null ? plan.prefix : [...plan.prefix, plan.rest];
  for (const [index, item] of items.entries()) {
    if (index >= plan.minItems) break;
    if (!isProductive(item)) return false;
  }
  const { contained } = plan;
  if (contained === null || contained.min === 0) return true;
  return items.some((item) => {
    const split = splitItem(item, plan, scope);
    return split !== null && isProductive(split.inside);
  });
}
