import { AutomatonTooLarge, difference, everyString, type Automaton } from "../regular/automaton.js";
import { isObject } from "../schema/location.js";
import type { JsonValue, SchemaNode } from "../schema/node.js";
import {
  anyArray,
  anyObject,
  anyValue,
  mergeChecks,
  noValue,
  type ArrayShape,
  type Check,
  type Language,
  type ObjectShape,
  type Term,
} from "./language.js";
import type { GrammarScope } from "./scope.js";
import { uniteStrings } from "./strings.js";
import { anyTerm, neverTerm } from "./term.js";

/** Returns the arrays that violate one of the array keywords. */
export function complementOfArrays(node: SchemaNode, scope: GrammarScope): Language[] {
  const { prefixItems, items, minItems, maxItems, uniqueItems, contains } = node;
  const arrays: ArrayShape[] = [];
  const prefixLength = prefixItems?.length ?? 0;
  for (const [index, item] of (prefixItems ?? []).entries())
    arrays.push(withItem(index, scope.terms.of(item, false)));
  if (items !== undefined && prefixLength === 0)
    arrays.push(containing(scope.terms.of(items, false), 1, null, at(node, "items")));
  if (items !== undefined && prefixLength > 0)
    arrays.push({
      ...anyArray,
      minItems: prefixLength + 1,
      checks: items.always === false ? [] : [at(node, "items")],
    });
  if (minItems !== undefined && minItems > 0) arrays.push({ ...anyArray, maxItems: minItems - 1 });
  if (maxItems !== undefined) arrays.push({ ...anyArray, minItems: maxItems + 1 });
  if (uniqueItems === true) arrays.push({ ...anyArray, minItems: 2, checks: [at(node, "uniqueItems")] });
  if (contains !== undefined) arrays.push(...complementOfContains(node, contains, scope));
  if (node.unevaluatedItems !== undefined)
    arrays.push({ ...anyArray, minItems: 1, checks: [at(node, "unevaluatedItems")] });
  return arrays.length === 0 ? [] : [{ ...noValue, arrays }];
}

/** Returns the objects that violate one of the object keywords. */
export function complementOfObjects(node: SchemaNode, scope: GrammarScope): Language[] {
  const { properties, required, minProperties, maxProperties, dependentRequired } = node;
  const objects: ObjectShape[] = [];
  for (const [key, value] of properties ?? []) {
    const term = scope.terms.of(value, false);
    if (!term.never) objects.push({ ...withMember(key, term), requiredByComplement: new Set([key]) });
  }
  for (const key of required ?? []) objects.push(withMember(key, neverTerm));
  if (minProperties !== undefined && minProperties > 0)
    objects.push({ ...anyObject, maxProperties: minProperties - 1 });
  if (maxProperties !== undefined) objects.push({ ...anyObject, minProperties: maxProperties + 1 });
  for (const [key, others] of dependentRequired ?? [])
    for (const other of others)
      objects.push({ ...withMember(other, neverTerm), requiredByComplement: new Set([key]) });
  objects.push(...complementOfNames(node, scope));
  if (node.unevaluatedProperties !== undefined && node.unevaluatedProperties.always !== true)
    objects.push({ ...anyObject, minProperties: 1, checks: [at(node, "unevaluatedProperties")] });
  return objects.length === 0 ? [] : [{ ...noValue, objects }];
}

/** Returns the objects and arrays that differ from this one; null for a value that is neither. */
export function complementOfStructure(
  value: JsonValue,
  node: SchemaNode,
  scope: GrammarScope,
): Language | null {
  const other = (part: JsonValue): Term => scope.terms.of({ pointer: node.pointer, values: [part] }, false);
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    const arrays = items.map((item, index) => withItem(index, other(item)));
    if (items.length > 0) arrays.push({ ...anyArray, maxItems: items.length - 1 });
    arrays.push({ ...anyArray, minItems: items.length + 1 });
    return { ...noValue, arrays, objects: anyValue.objects };
  }
  if (!isObject(value)) return null;
  const objects = Object.entries(value).flatMap(([key, item]) => [
    withMember(key, neverTerm),
    { ...withMember(key, other(item)), requiredByComplement: new Set([key]) },
  ]);
  const excludeNames = (): Automaton => scope.withoutTexts(everyString, new Set(Object.keys(value)));
  objects.push(withSome(anyTerm, excludeNames, at(node, "enum")));
  return { ...noValue, objects, arrays: anyValue.arrays };
}

/** Returns the objects with a member that violates a keyword for members that are not named one by one. */
function complementOfNames(node: SchemaNode, scope: GrammarScope): ObjectShape[] {
  const { additionalProperties, patternProperties = [], properties, propertyNames } = node;
  const objects: ObjectShape[] = [];
  const add = (keyword: string, term: Term, names: () => Automaton, checks: readonly Check[] = []): void => {
    if (term.never) return;
    const shape = withSome(term, names, at(node, keyword));
    objects.push({ ...shape, checks: mergeChecks(shape.checks, checks) });
  };
  for (const { pattern, node: value } of patternProperties)
    add("patternProperties", scope.terms.of(value, false), () => scope.pattern(pattern));
  if (additionalProperties !== undefined)
    add("additionalProperties", scope.terms.of(additionalProperties, false), () => {
      const others = patternProperties.reduce(
        (names, { pattern }) => difference(names, scope.pattern(pattern)),
        everyString,
      );
      return scope.withoutTexts(others, new Set(properties?.keys()));
    });
  if (propertyNames !== undefined) {
    const { strings, values } = scope.complement(propertyNames);
    const texts = values.filter((value) => typeof value === "string");
    const checks = strings.flatMap((shape) => shape.checks);
    add("propertyNames", anyTerm, () => uniteStrings(strings, texts), checks);
  }
  return objects;
}

/** Returns the objects with such a member; where its names are too many to compare, those with any member. */
function withSome(term: Term, excludeNames: () => Automaton, here: Check): ObjectShape {
  try {
    return { ...anyObject, some: [{ names: excludeNames(), term, at: here }] };
  } catch (thrown) {
    if (!(thrown instanceof AutomatonTooLarge)) throw thrown;
    return { ...anyObject, minProperties: 1, checks: [here] };
  }
}

function at(node: SchemaNode, keyword: string): Check {
  return { keyword, pointer: node.pointer };
}

function withItem(index: number, term: Term): ArrayShape {
  const prefix = [...Array.from({ length: index }, () => anyTerm), term];
  return { ...anyArray, lists: [{ prefix, rest: null, evaluates: false }], minItems: index + 1 };
}

function containing(term: Term, min: number, max: number | null, here: Check): ArrayShape {
  return { ...anyArray, contained: [{ term, min, max, evaluates: false, at: here }] };
}

function complementOfContains(
  node: SchemaNode,
  contains: NonNullable<SchemaNode["contains"]>,
  scope: GrammarScope,
): ArrayShape[] {
  const here = at(node, "contains");
  const shapes: ArrayShape[] = [];
  const term = scope.terms.of(contains.node);
  if (contains.min === 1) {
    const none = { prefix: [], rest: scope.terms.of(contains.node, false), evaluates: false };
    shapes.push({ ...anyArray, lists: [none] });
  } else if (contains.min > 1) shapes.push(containing(term, 0, contains.min - 1, here));
  if (contains.max !== null) shapes.push(containing(term, contains.max + 1, null, here));
  return shapes;
}

function withMember(key: string, term: Term): ObjectShape {
  return {
    ...anyObject,
    members: [{ properties: new Map([[key, term]]), patterns: [], additional: null, declares: false }],
  };
}
