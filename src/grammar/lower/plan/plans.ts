/**
 * The plans of all terms that a root reaches, and which of them have a text at all: recursion without an end has none.
 */
import { countingOf } from "./counting.js";
import type { Term } from "../language.js";
import { numbersIn } from "../numbers.js";
import { planArray, opposite } from "./plan-array.js";
import { planObject } from "./plan-object.js";
import type { ArrayPlan, ObjectPlan, TermPlan } from "./plan.js";
import type { Scope } from "../scope.js";
import { emptyStrings } from "../strings.js";

/** Terms that one grammar may have. */
const termsMax = 20_000;

export interface Plans {
  of(term: Term): TermPlan;
  /** Whether some text satisfies the term. */
  readonly alive: (term: Term) => boolean;
  readonly aliveObject: (plan: ObjectPlan) => boolean;
  readonly aliveArray: (plan: ArrayPlan) => boolean;
}

/** @throws SchemaRefusal when there is too much to work out */
export function planAll(root: Term, scope: Scope): Plans {
  const plans = new Map<Term, TermPlan>();
  const terms = [root];
  const seen = new Set(terms);
  for (const term of terms) {
    scope.step();
    if (terms.length > termsMax) scope.step(Infinity);
    const plan = planTerm(term, scope);
    plans.set(term, plan);
    for (const inner of innerTerms(plan, scope)) {
      if (seen.has(inner)) continue;
      seen.add(inner);
      terms.push(inner);
    }
  }
  const living = new Set<Term>();
  const of = (term: Term): TermPlan => {
    const plan = plans.get(term);
    if (plan === undefined) throw new RangeError("a term that was not reached");
    return plan;
  };
  const alive = (term: Term): boolean => living.has(term);
  const answers: Plans = {
    of,
    alive,
    aliveObject: (plan) => aliveObject(plan, alive),
    aliveArray: (plan) => aliveArray(plan, alive, scope),
  };
  settle(terms, living, answers);
  return answers;
}

/** Adds the terms that have a text, until no more are found; those found last lie deepest, so they are looked at first. */
function settle(terms: readonly Term[], living: Set<Term>, plans: Plans): void {
  let open = [...terms].reverse();
  for (let before = -1; before !== open.length;) {
    before = open.length;
    open = open.filter((term) => {
      const plan = plans.of(term);
      const lives =
        plan.values.length + plan.numbers.length + plan.strings.length > 0 ||
        plan.arrays.some(plans.aliveArray) ||
        plan.objects.some(plans.aliveObject);
      if (lives) living.add(term);
      return !lives;
    });
  }
}

function planTerm(term: Term, scope: Scope): TermPlan {
  const { values, numbers, strings, arrays, objects } = scope.language(term);
  const pointer = term.literals[0]?.node.pointer ?? "";
  return {
    values,
    numbers: numbers.filter((shape) => numbersIn(shape).automaton !== null),
    strings: strings.filter((shape) => !emptyStrings(shape)),
    arrays: arrays.map((shape) => planArray(shape, scope)).filter((plan) => plan !== null),
    objects: objects.map((shape) => planObject(shape, pointer, scope)).filter((plan) => plan !== null),
    pointer,
  };
}

function innerTerms(plan: TermPlan, scope: Scope): readonly Term[] {
  return [
    ...plan.objects.flatMap(({ entries, extras }) => [...entries, ...extras].map((part) => part.term)),
    ...plan.arrays.flatMap((array) => [
      ...array.prefix,
      ...(array.rest === null ? [] : [array.rest]),
      ...containedTerms(array, scope),
    ]),
  ];
}

function containedTerms(array: ArrayPlan, scope: Scope): readonly Term[] {
  const items = [...array.prefix, ...(array.rest === null ? [] : [array.rest])];
  return items.flatMap((item) => {
    const split = splitItem(item, array, scope);
    return split === null ? [] : [split.inside, split.outside];
  });
}

/** An item that counts for `contains`, and one that does not (or may, where only the least number matters). */
export function splitItem(
  item: Term,
  array: ArrayPlan,
  scope: Scope,
): { readonly inside: Term; readonly outside: Term } | null {
  const { contained } = array;
  if (contained === null) return null;
  return {
    inside: scope.terms.all([item, contained.term]),
    outside: contained.max === null ? item : scope.terms.all([item, opposite(contained.term, scope)]),
  };
}

function aliveObject(plan: ObjectPlan, alive: (term: Term) => boolean): boolean {
  if (plan.entries.some(({ term, required }) => required && !alive(term))) return false;
  const counted = plan.minProperties > 0 || plan.maxProperties !== null || plan.clauses.length > 0;
  return !counted || countingOf(plan, alive) !== null;
}

function aliveArray(plan: ArrayPlan, alive: (term: Term) => boolean, scope: Scope): boolean {
  if (plan.distinct !== null) return plan.distinct.length >= plan.minItems;
  const items = plan.rest === null ? plan.prefix : [...plan.prefix, plan.rest];
  for (const [index, item] of items.entries()) {
    if (index >= plan.minItems) break;
    if (!alive(item)) return false;
  }
  const { contained } = plan;
  if (contained === null || contained.min === 0) return true;
  return items.some((item) => {
    const split = splitItem(item, plan, scope);
    return split !== null && alive(split.inside);
  });
}
