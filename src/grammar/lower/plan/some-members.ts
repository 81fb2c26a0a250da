/** Conditions that an object has a member of some name, as the plans of its alternatives. */
import {
  accepts,
  AutomatonTooLarge,
  difference,
  intersect,
  isEmpty,
  type Automaton,
} from "../../regular/automaton.js";
import { mergeChecks, type Check, type SomeMember } from "../language.js";
import type { GrammarScope } from "../scope.js";
import type { Entry, ObjectPlan } from "./plan.js";

/** The number of alternatives of one object. A condition that needs more is left to the validator. */
const alternativesMax = 12;

/** Returns the plans of the objects that meet the conditions; none if no object does. */
export function withSomeMembers(
  plan: ObjectPlan,
  conditions: readonly SomeMember[],
  scope: GrammarScope,
): readonly ObjectPlan[] {
  let plans: readonly ObjectPlan[] = [plan];
  for (const some of conditions) {
    const next = plans.flatMap((each) => withSomeMember(each, some, scope));
    plans = next.length <= alternativesMax ? next : plans.map((each) => withCheck(each, some.at));
  }
  return plans;
}

function withSomeMember(plan: ObjectPlan, some: SomeMember, scope: GrammarScope): readonly ObjectPlan[] {
  const matching = plan.entries.filter(({ key }) => typeof key === "string" && accepts(some.names, key));
  // A required member of some name may meet this condition, too.
  const ofSeveral = plan.entries.filter(({ key }) => typeof key !== "string");
  const isFree = some.term.literals.length === 0;
  if (isFree && matching.some(({ required }) => required)) return [plan];
  if (isFree && ofSeveral.some(({ key }) => typeof key !== "string" && isWithin(key, some.names)))
    return [plan];
  const plans: ObjectPlan[] = [];
  const keys = matching.flatMap(({ key }) => (typeof key === "string" ? [key] : []));
  if (isFree && keys.length > 0)
    plans.push({ ...plan, clauses: [...plan.clauses, { present: keys, absent: [], at: some.at }] });
  else for (const entry of matching) plans.push(...withEntry(plan, entry, entry.key, some, scope));
  try {
    for (const entry of ofSeveral)
      if (typeof entry.key !== "string")
        plans.push(...withEntry(plan, entry, intersect(entry.key, some.names), some, scope));
    plans.push(...withExtra(plan, some, scope));
  } catch (thrown) {
    if (!(thrown instanceof AutomatonTooLarge)) throw thrown;
    return [withCheck(plan, some.at)];
  }
  return plans;
}

/** Returns false, too, where comparing takes too much. */
function isWithin(inner: Automaton, outer: Automaton): boolean {
  try {
    return isEmpty(difference(inner, outer));
  } catch (thrown) {
    if (!(thrown instanceof AutomatonTooLarge)) throw thrown;
    return false;
  }
}

/** Returns the plan in which this entry is required and of the term; none if that is impossible. */
function withEntry(
  plan: ObjectPlan,
  entry: Entry,
  key: Entry["key"],
  some: SomeMember,
  scope: GrammarScope,
): readonly ObjectPlan[] {
  const term = scope.terms.all([entry.term, some.term]);
  if (scope.isNever(term) || (typeof key !== "string" && isEmpty(key))) return [];
  const entries = plan.entries.map((each) => (each === entry ? { key, term, required: true } : each));
  return [{ ...plan, entries }];
}

/** Returns the plans in which one of the keys without a position comes before the others of them. */
function withExtra(plan: ObjectPlan, some: SomeMember, scope: GrammarScope): readonly ObjectPlan[] {
  return plan.extras.flatMap((extra) => {
    const term = scope.terms.all([extra.term, some.term]);
    const key = intersect(extra.names, some.names);
    if (isEmpty(key) || scope.isNever(term)) return [];
    const one: ObjectPlan = { ...plan, entries: [...plan.entries, { key, term, required: true }] };
    // Where the key came again, the last value would count.
    return [some.term.literals.length === 0 ? one : withCheck(one, some.at)];
  });
}

function withCheck(plan: ObjectPlan, at: Check): ObjectPlan {
  return { ...plan, checks: mergeChecks(plan.checks, [at]) };
}
