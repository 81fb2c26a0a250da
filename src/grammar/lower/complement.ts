import { formatAutomaton, isRegularFormat } from "../regular/pattern/format.js";
import type { NumberRange } from "../regular/number/number.js";
import type { JsonType, SchemaNode } from "../schema/node.js";
import { objectsWith } from "./satisfying.js";
import {
  anyNumber,
  anyString,
  breadth,
  checked,
  everything,
  nothing,
  unite,
  type Check,
  type Language,
  type NumberShape,
} from "./language.js";
import { denyingArrays, denyingObjects } from "./complement-parts.js";
import { numbersBut } from "./numbers.js";
import { constantsOf } from "./from-keywords.js";
import type { Scope } from "./scope.js";
import { stringsBut, stringsOutside } from "./strings.js";

/** Alternatives that the opposite of a schema may have before it becomes everything, and a check. */
const deniedBreadthMax = 48;

/** What does not satisfy a node, or more: something that fails one of its keywords. */
export function denying(node: SchemaNode, scope: Scope): Language {
  if (node.always !== undefined) return node.always ? nothing : everything;
  const parts = [
    ...denyingTypes(node),
    ...denyingValues(node),
    ...denyingNumbers(node),
    ...denyingStrings(node, scope),
    ...denyingArrays(node, scope),
    ...denyingObjects(node, scope),
    ...denyingCombined(node, scope),
  ];
  const denied = unite(parts);
  return breadth(denied) <= deniedBreadthMax ? denied : checked(everything, at(node, "not"));
}

function at(node: SchemaNode, keyword: string): Check {
  return { keyword, pointer: node.pointer };
}

function denyingTypes(node: SchemaNode): Language[] {
  const { types } = node;
  if (types === undefined) return [];
  const all: readonly JsonType[] = ["null", "boolean", "number", "string", "array", "object"];
  const others = new Set(all.filter((type) => !types.has(type)));
  const wholeOnly = types.has("integer") && !types.has("number");
  return [
    {
      values: constantsOf(others),
      numbers: !others.has("number")
        ? []
        : wholeOnly
          ? [{ ...anyNumber, checks: [at(node, "type")] }]
          : [anyNumber],
      strings: others.has("string") ? [anyString] : [],
      arrays: others.has("array") ? everything.arrays : [],
      objects: others.has("object") ? everything.objects : [],
    },
  ];
}

function denyingValues(node: SchemaNode): Language[] {
  const { values } = node;
  if (values === undefined) return [];
  const here = at(node, "enum");
  const arrays = values.filter((value) => Array.isArray(value));
  const objects = values.filter(
    (value) => typeof value === "object" && !Array.isArray(value) && value !== null,
  );
  const but = <Shape>(shapes: readonly Shape[], made: readonly unknown[], empty: Shape): Shape[] => {
    if (made.length === 0) return [...shapes];
    const onlyEmpty = made.every(
      (value) => typeof value === "object" && Object.keys(value ?? {}).length === 0,
    );
    return onlyEmpty ? [empty] : shapes.map((shape) => ({ ...shape, checks: [here] }));
  };
  const [array] = everything.arrays;
  const [object] = everything.objects;
  return [
    {
      values: [null, false, true],
      numbers: numbersBut(
        values.filter((value) => typeof value === "number"),
        here,
      ),
      strings: [
        stringsBut(
          values.filter((value) => typeof value === "string"),
          here,
        ),
      ],
      arrays: array === undefined ? [] : but(everything.arrays, arrays, { ...array, minItems: 1 }),
      objects: object === undefined ? [] : but(everything.objects, objects, { ...object, minProperties: 1 }),
    },
  ];
}

function denyingNumbers(node: SchemaNode): Language[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = node;
  const ranges: NumberRange[] = [];
  if (minimum !== undefined) ranges.push({ integer: false, exclusiveMaximum: minimum });
  if (maximum !== undefined) ranges.push({ integer: false, exclusiveMinimum: maximum });
  if (exclusiveMinimum !== undefined) ranges.push({ integer: false, maximum: exclusiveMinimum });
  if (exclusiveMaximum !== undefined) ranges.push({ integer: false, minimum: exclusiveMaximum });
  const numbers: NumberShape[] = ranges.map((range) => ({ range, checks: [] }));
  if (multipleOf !== undefined) numbers.push({ ...anyNumber, checks: [at(node, "multipleOf")] });
  return numbers.length === 0 ? [] : [{ ...nothing, numbers }];
}

function denyingStrings(node: SchemaNode, scope: Scope): Language[] {
  const { minLength, maxLength, pattern, format } = node;
  const strings = [];
  if (minLength !== undefined && minLength > 0) strings.push({ ...anyString, maxLength: minLength - 1 });
  if (maxLength !== undefined) strings.push({ ...anyString, minLength: maxLength + 1 });
  if (pattern !== undefined) strings.push(stringsOutside(scope.pattern(pattern), at(node, "pattern")));
  if (format !== undefined) {
    const outside = at(node, "format");
    if (isRegularFormat(format)) strings.push(stringsOutside(formatAutomaton(format), outside));
    else strings.push({ ...anyString, checks: [outside] });
  }
  return strings.length === 0 ? [] : [{ ...nothing, strings }];
}

function denyingCombined(node: SchemaNode, scope: Scope): Language[] {
  const { ref, allOf, anyOf, oneOf, not, dependentSchemas } = node;
  const both = (a: Language, b: Language): Language => scope.meet(a, b, "not", node.pointer);
  const denied: Language[] = [];
  if (ref !== undefined) denied.push(scope.denying(ref));
  for (const inner of allOf ?? []) denied.push(scope.denying(inner));
  if (anyOf !== undefined) denied.push(allDenied(anyOf, both, scope));
  if (oneOf !== undefined) {
    denied.push(allDenied(oneOf, both, scope));
    for (const [i, one] of oneOf.entries())
      for (const other of oneOf.slice(i + 1)) denied.push(both(scope.holding(one), scope.holding(other)));
  }
  if (not !== undefined) denied.push(scope.holding(not));
  for (const [key, inner] of dependentSchemas ?? [])
    denied.push(both(objectsWith(key, true), scope.denying(inner)));
  if (node.if !== undefined) {
    if (node.then !== undefined) denied.push(both(scope.holding(node.if), scope.denying(node.then)));
    if (node.else !== undefined) denied.push(both(scope.denying(node.if), scope.denying(node.else)));
  }
  return denied;
}

function allDenied(
  inner: readonly SchemaNode[],
  both: (a: Language, b: Language) => Language,
  scope: Scope,
): Language {
  let language = everything;
  for (const branch of inner) {
    const next = both(language, scope.denying(branch));
    language =
      breadth(next) <= Math.max(deniedBreadthMax, breadth(language))
        ? next
        : checked(language, at(branch, "not"));
  }
  return language;
}
