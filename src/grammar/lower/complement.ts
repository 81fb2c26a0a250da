import { ExactNumber } from "../regular/number/decimal.js";
import { formatAutomaton, isRegularFormat } from "../regular/pattern/format.js";
import type { NumberRange } from "../regular/number/number.js";
import type { JsonType, SchemaNode } from "../schema/node.js";
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
} from "./language.js";
import { complementOfArrays, complementOfObjects, complementOfStructure } from "./complement-parts.js";
import { numbersExcept } from "./numbers.js";
import { listConstants } from "./from-keywords.js";
import type { GrammarScope } from "./scope.js";
import { stringsExcept, stringComplement } from "./strings.js";

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
