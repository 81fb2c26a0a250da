import type { SchemaNode } from "../schema/node.js";
import {
  anyArray,
  anyObject,
  noValue,
  type ArrayShape,
  type Check,
  type Language,
  type ObjectShape,
  type Term,
} from "./language.js";
import type { Scope } from "./scope.js";
import { anyTerm, neverTerm } from "./term.js";

/** Returns the arrays that violate one of the array keywords. */
export function complementOfArrays(node: SchemaNode, scope: Scope): Language[] {
  const { prefixItems, items, minItems, maxItems, uniqueItems, contains } = node;
  const arrays: ArrayShape[] = [];
  const prefixLength = prefixItems?.length ?? 0;
  for (const [index, item] of (prefixItems ?? []).entries())
    arrays.push(withItem(index, scope.terms.of(item, false)));
  if (items !== undefined && prefixLength === 0)
    arrays.push(containing(scope.terms.of(items, false), 1, null, at(node, "items")));
  if (items !== undefined && prefixLength > 0)
    arrays.push({ ...anyArray, minItems: prefixLength + 1, checks: [at(node, "items")] });
  if (minItems !== undefined && minItems > 0) arrays.push({ ...anyArray, maxItems: minItems - 1 });
  if (maxItems !== undefined) arrays.push({ ...anyArray, minItems: maxItems + 1 });
  if (uniqueItems === true) arrays.push({ ...anyArray, minItems: 2, checks: [at(node, "uniqueItems")] });
  if (contains !== undefined) arrays.push(...complementOfContains(node, contains, scope));
  if (node.unevaluatedItems !== undefined)
    arrays.push({ ...anyArray, minItems: 1, checks: [at(node, "unevaluatedItems")] });
  return arrays.length === 0 ? [] : [{ ...noValue, arrays }];
}

/** Returns the objects that violate one of the object keywords. */
export function complementOfObjects(node: SchemaNode, scope: Scope): Language[] {
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
  for (const keyword of [
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "unevaluatedProperties",
  ] as const)
    if (node[keyword] !== undefined && !acceptsEverything(node, keyword))
      objects.push({ ...anyObject, minProperties: 1, checks: [at(node, keyword)] });
  return objects.length === 0 ? [] : [{ ...noValue, objects }];
}

function at(node: SchemaNode, keyword: string): Check {
  return { keyword, pointer: node.pointer };
}

function acceptsEverything(
  node: SchemaNode,
  keyword: "additionalProperties" | "patternProperties" | "propertyNames" | "unevaluatedProperties",
): boolean {
  return keyword !== "patternProperties" && node[keyword]?.always === true;
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
  scope: Scope,
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
