import { ExactNumber } from "../regular/number/decimal.js";
import { formatAutomaton, isRegularFormat } from "../regular/pattern/format.js";
import type { NumberRange } from "../regular/number/number.js";
import type { JsonType, SchemaNode, JsonValue } from "../schema/node.js";
import { objectsWith } from "./satisfying.js";
import {
  anyNumber,
  anyString,
  breadth,
  withCheck,
  anyValue,
  noValue,
  unite,
  type Check,
  type Language,
  type NumberShape,
  anyArray,
  anyObject,
  mergeChecks,
  type ArrayShape,
  type ObjectShape,
  type Term,
} from "./language.js";
import { numbersExcept } from "./numbers.js";
import { listConstants } from "./from-keywords.js";
import type { GrammarScope } from "./scope.js";
import { stringsExcept, stringComplement, uniteStrings } from "./strings.js";
import { AutomatonTooLarge, difference, everyString, type Automaton } from "../regular/automaton.js";
import { isObject } from "../schema/location.js";
import { anyTerm, neverTerm } from "./term.js";

/**
 * The number of alternatives that the complement of a schema may have. With more, it becomes all values with
 * a check.
 */
const complementBreadthMax = 48;

/** Returns a superset of the complement of a node: the union of the values that violate each keyword. */
export function complement(node: SchemaNode, scope: GrammarScope): Language {
  if (node.always !== undefined) return node.always ? noValue : anyValue;
  if (node.refStandsAlone === true && node.ref !== undefined) return scope.complement(node.ref);
  const parts = [
    ...complementOfTypes(node),
    ...complementOfValues(node, scope),
    ...complementOfNumbers(node),
    ...complementOfStrings(node, scope),
    ...complementOfArrays(node, scope),
    ...complementOfObjects(node, scope),
    ...complementOfCombined(node, scope),
  ];
  const language = unite(parts);
  return breadth(language) <= complementBreadthMax ? language : withCheck(anyValue, at(node, "not"));
}

function at(node: SchemaNode, keyword: string): Check {
  return { keyword, pointer: node.pointer };
}

function complementOfTypes(node: SchemaNode): Language[] {
  const { types } = node;
  if (types === undefined) return [];
  const all: readonly JsonType[] = ["null", "boolean", "number", "string", "array", "object"];
  const others = new Set(all.filter((type) => !types.has(type)));
  const wholeOnly = types.has("integer") && !types.has("number");
  return [
    {
      values: listConstants(others),
      numbers: !others.has("number")
        ? []
        : wholeOnly
          ? [{ range: { integer: false, notMultipleOf: [1] }, checks: [] }]
          : [anyNumber],
      strings: others.has("string") ? [anyString] : [],
      arrays: others.has("array") ? anyValue.arrays : [],
      objects: others.has("object") ? anyValue.objects : [],
    },
  ];
}

function complementOfValues(node: SchemaNode, scope: GrammarScope): Language[] {
  const { values } = node;
  if (values === undefined) return [];
  const here = at(node, "enum");
  const numbers = values.filter((value) => typeof value === "number" || value instanceof ExactNumber);
  const texts = values.filter((value) => typeof value === "string");
  const structured = values.flatMap((value) => complementOfStructure(value, node, scope) ?? []);
  const others: Language = { ...noValue, arrays: anyValue.arrays, objects: anyValue.objects };
  const { arrays, objects } = structured.reduce((language, complement) => {
    const next = scope.intersect(language, complement, "enum", node.pointer);
    return breadth(next) <= Math.max(complementBreadthMax, breadth(language))
      ? next
      : withCheck(language, here);
  }, others);
  const strings = [stringsExcept(texts, here)];
  return [{ values: [null, false, true], numbers: numbersExcept(numbers, here), strings, arrays, objects }];
}

function complementOfNumbers(node: SchemaNode): Language[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = node;
  const ranges: NumberRange[] = [];
  if (minimum !== undefined) ranges.push({ integer: false, exclusiveMaximum: minimum });
  if (maximum !== undefined) ranges.push({ integer: false, exclusiveMinimum: maximum });
  if (exclusiveMinimum !== undefined) ranges.push({ integer: false, maximum: exclusiveMinimum });
  if (exclusiveMaximum !== undefined) ranges.push({ integer: false, minimum: exclusiveMaximum });
  const numbers: NumberShape[] = ranges.map((range) => ({ range, checks: [] }));
  if (multipleOf !== undefined)
    numbers.push({ range: { integer: false, notMultipleOf: [multipleOf] }, checks: [] });
  return numbers.length === 0 ? [] : [{ ...noValue, numbers }];
}

function complementOfStrings(node: SchemaNode, scope: GrammarScope): Language[] {
  const { minLength, maxLength, pattern, format } = node;
  const strings = [];
  if (minLength !== undefined && minLength > 0) strings.push({ ...anyString, maxLength: minLength - 1 });
  if (maxLength !== undefined) strings.push({ ...anyString, minLength: maxLength + 1 });
  if (pattern !== undefined) strings.push(stringComplement(scope.pattern(pattern), at(node, "pattern")));
  if (format !== undefined) {
    const outside = at(node, "format");
    if (isRegularFormat(format)) strings.push(stringComplement(formatAutomaton(format), outside));
    else strings.push({ ...anyString, checks: [outside] });
  }
  return strings.length === 0 ? [] : [{ ...noValue, strings }];
}

function complementOfCombined(node: SchemaNode, scope: GrammarScope): Language[] {
  const { ref, allOf, anyOf, oneOf, not, dependentSchemas } = node;
  const both = (a: Language, b: Language): Language => scope.intersect(a, b, "not", node.pointer);
  const parts: Language[] = [];
  if (ref !== undefined) parts.push(scope.complement(ref));
  for (const inner of allOf ?? []) parts.push(scope.complement(inner));
  if (anyOf !== undefined) parts.push(excludeAll(anyOf, both, scope));
  if (oneOf !== undefined) {
    parts.push(excludeAll(oneOf, both, scope));
    for (const [i, one] of oneOf.entries())
      for (const other of oneOf.slice(i + 1))
        parts.push(both(scope.satisfying(one), scope.satisfying(other)));
  }
  if (not !== undefined) parts.push(scope.satisfying(not));
  for (const [key, inner] of dependentSchemas ?? [])
    parts.push(both(objectsWith(key, true), scope.complement(inner)));
  if (node.if !== undefined) {
    if (node.then !== undefined) parts.push(both(scope.satisfying(node.if), scope.complement(node.then)));
    if (node.else !== undefined) parts.push(both(scope.complement(node.if), scope.complement(node.else)));
  }
  return parts;
}

function excludeAll(
  inner: readonly SchemaNode[],
  both: (a: Language, b: Language) => Language,
  scope: GrammarScope,
): Language {
  let language = anyValue;
  for (const branch of inner) {
    const next = both(language, scope.complement(branch));
    language =
      breadth(next) <= Math.max(complementBreadthMax, breadth(language))
        ? next
        : withCheck(language, at(branch, "not"));
  }
  return language;
}

/** Returns the arrays that violate one of the array keywords. */
function complementOfArrays(node: SchemaNode, scope: GrammarScope): Language[] {
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
function complementOfObjects(node: SchemaNode, scope: GrammarScope): Language[] {
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
function complementOfStructure(value: JsonValue, node: SchemaNode, scope: GrammarScope): Language | null {
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
