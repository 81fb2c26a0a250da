import { listTexts } from "../../regular/automaton.js";
import { parseSchemaText } from "../../schema/json-text.js";
import { spend } from "../../work.js";
import { canonicalText } from "../../schema/validate/equality.js";
import type { JsonValue } from "../../schema/node.js";
import { itemTerm } from "../emptiness.js";
import { mergeChecks, type ArrayShape, type Check, type Contained, type Term } from "../language.js";
import { numberTexts } from "../numbers.js";
import { uniteStrings } from "../strings.js";
import { planObjects } from "./plan-object.js";
import type { ArrayPlan } from "./plan.js";
import type { GrammarScope } from "../scope.js";
import { neverTerm } from "../term.js";

/** The number of sets of item values up to which the grammar enforces uniqueItems; each is a state. */
const distinctSetsMax = 512;
/** The values of an item are listed if there are at most this many. */
const distinctValuesMax = 64;
/** The same where an array needs more items. */
const countedValuesMax = 1_000;
/** The length up to which each item of an array is compared with each other. */
const comparedItemsMax = 8;

/** Plans the items of an array. Returns null if no array is of this shape. */
export function planArray(shape: ArrayShape, scope: GrammarScope): ArrayPlan | null {
  const contained = resolveContained(shape, scope);
  if (contained === null) return null;
  const { lists } = contained;
  let { minItems, maxItems } = contained;
  const length = Math.max(0, ...lists.map((list) => list.prefix.length));
  const prefix: Term[] = [];
  let ended = false;
  for (let index = 0; index < length && !ended; index++) {
    spend(1);
    const term = itemTerm({ ...shape, lists }, index, scope);
    if (scope.isNever(term) || index >= (maxItems ?? Infinity)) ended = true;
    else prefix.push(term);
  }
  const after = itemTerm({ ...shape, lists }, length, scope);
  const rest = ended || scope.isNever(after) ? null : after;
  if (rest === null) maxItems = Math.min(maxItems ?? Infinity, prefix.length);
  minItems = Math.max(minItems, contained.enforced?.min ?? 0);
  if (maxItems !== null && minItems > maxItems) return null;
  const plan: ArrayPlan = {
    prefix,
    rest: rest !== null && maxItems !== null && maxItems <= prefix.length ? null : rest,
    minItems,
    maxItems,
    contained: contained.enforced,
    distinct: null,
    marked: false,
    checks: mergeChecks(shape.checks, contained.checks),
  };
  return shape.unique === null || (maxItems !== null && maxItems <= 1)
    ? plan
    : planUniqueItems(plan, shape.unique, scope);
}

interface ResolvedContained {
  readonly lists: ArrayShape["lists"];
  readonly minItems: number;
  readonly maxItems: number | null;
  readonly enforced: Contained | null;
  readonly checks: readonly Check[];
}

/**
 * Translates `contains` to item counts and item terms where possible. Among the remaining ones the plan keeps
 * one; the others become checks.
 */
function resolveContained(shape: ArrayShape, scope: GrammarScope): ResolvedContained | null {
  let { lists, minItems, maxItems } = shape;
  let enforced: Contained | null = null;
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
      lists = [...lists, { prefix: [], rest: negated(term, scope), evaluates: false }];
    } else if (min > 0 || max !== null) {
      if (enforced === null) enforced = contained;
      else checks = mergeChecks(checks, [contained.at]);
    }
  }
  return { lists, minItems, maxItems, enforced, checks };
}

/** Returns the complement of a term with one literal. */
export function negated(term: Term, scope: GrammarScope): Term {
  const [literal, second] = term.literals;
  if (literal === undefined) return neverTerm;
  if (second !== undefined) throw new RangeError("the complement of a conjunction is not a term");
  return scope.terms.of(literal.node, !literal.positive);
}

/** Returns the number of sets of at most `most` out of `count` values, or more than any limit. */
function subsetCount(count: number, most: number): number {
  if (count > 30) return Infinity;
  let sets = 1;
  let ofThisSize = 1;
  for (let size = 1; size <= most; size++) {
    ofThisSize = (ofThisSize * (count - size + 1)) / size;
    sets += ofThisSize;
  }
  return sets;
}

function planUniqueItems(plan: ArrayPlan, at: Check, scope: GrammarScope): ArrayPlan | null {
  if (alwaysDiffer(plan, scope)) return plan;
  if (plan.rest !== null && plan.prefix.length === 0 && plan.contained === null) {
    const countMax = Math.min(countedValuesMax, Math.max(distinctValuesMax, plan.minItems));
    const listed = listedValues(plan.rest, scope, countMax);
    const values = listed === null ? null : differentValues(listed);
    if (values !== null && values.length < plan.minItems) return null;
    const longest = Math.min(plan.maxItems ?? Infinity, values?.length ?? 0);
    if (values !== null && subsetCount(values.length, longest) <= distinctSetsMax)
      return { ...plan, distinct: values, maxItems: longest };
  }
  return { ...plan, marked: true, checks: mergeChecks(plan.checks, [at]) };
}

/** Returns whether no two places of a short array have a value in common. */
function alwaysDiffer({ prefix, rest, maxItems }: ArrayPlan, scope: GrammarScope): boolean {
  if (maxItems === null || maxItems > comparedItemsMax) return false;
  const items = Array.from({ length: maxItems }, (_, index) => prefix[index] ?? rest ?? neverTerm);
  return items.every((item, index) =>
    items.slice(index + 1).every((other) => scope.isNever(scope.terms.all([item, other]))),
  );
}

/** Returns the values of which no two are equal; their texts may differ in the order of keys. */
function differentValues(values: readonly JsonValue[]): readonly JsonValue[] {
  const byText = new Map(values.toReversed().map((value) => [canonicalText(value), value]));
  return [...byText.values()].reverse();
}

/** Objects in objects of which the values are listed. */
const depthMax = 3;

/** Returns the values of a term; null where there are more than `countMax`, or where that is not known. */
function listedValues(
  term: Term,
  scope: GrammarScope,
  countMax: number,
  depth = 0,
): readonly JsonValue[] | null {
  const { values, numbers, strings, arrays, objects } = scope.language(term);
  if (arrays.length > 0 || depth >= depthMax) return null;
  const all: JsonValue[] = [...values];
  const add = (more: readonly JsonValue[] | null): boolean => {
    if (more === null) return false;
    all.push(...more);
    return all.length <= countMax;
  };
  for (const shape of numbers) {
    const { automaton, exact } = numberTexts(shape);
    if (!exact || shape.checks.length > 0) return null;
    const texts = automaton === null ? [] : listTexts(automaton, countMax);
    if (!add(texts?.map((text) => parseSchemaText(text) as JsonValue) ?? null)) return null;
  }
  for (const shape of strings)
    if (shape.checks.length > 0 || !add(listTexts(uniteStrings([shape], []), countMax))) return null;
  for (const shape of objects) {
    const [plan, second] = planObjects(shape, scope, { pointer: "", moreKeys: new Map() });
    if (plan === undefined) continue;
    if (second !== undefined) return null;
    const { entries, extras, checks, clauses, minProperties, maxProperties } = plan;
    const isCounted = clauses.length > 0 || minProperties > 0 || maxProperties !== null;
    if (extras.length > 0 || checks.length > 0 || isCounted) return null;
    let listed: readonly Readonly<Record<string, JsonValue>>[] = [{}];
    for (const { key, term: inner, required } of entries) {
      const parts = listedValues(inner, scope, countMax, depth + 1);
      if (parts === null || typeof key !== "string") return null;
      const present = listed.flatMap((object) =>
        parts.map((value) => Object.fromEntries([...Object.entries(object), [key, value]])),
      );
      listed = required ? present : [...present, ...listed];
      if (listed.length > countMax) return null;
    }
    if (!add(listed)) return null;
  }
  return all;
}
