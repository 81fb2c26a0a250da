import { attempt } from "../work.js";
import type { SchemaNode } from "../schema/node.js";
import {
  anyObject,
  breadth,
  withCheck,
  anyValue,
  noValue,
  unite,
  type Language,
  type Members,
  mergeChecks,
  type ArrayShape,
  type ObjectShape,
  type Term,
} from "./language.js";
import { exactlyOne } from "./one-of.js";
import { fromKeywords } from "./from-keywords.js";
import type { GrammarScope } from "./scope.js";
import { neverTerm, anyTerm } from "./term.js";

/**
 * The number of alternatives that a union may have. With more, the keyword that adds them is left to the
 * validator.
 */
const breadthMax = 128;
/** The steps that applying one keyword may take. With more, it is left to the validator. */
const keywordStepsMax = 1_000_000;

/**
 * Returns a superset of the values that satisfy a node. Its finite `values` are candidates; the caller
 * removes the invalid ones.
 */
export function satisfying(node: SchemaNode, scope: GrammarScope): Language {
  if (node.always !== undefined) return node.always ? anyValue : noValue;
  let language = fromKeywords(node, scope);
  const narrow = (keyword: string, next: (before: Language) => Language): void => {
    language = limitBreadth(language, next, { keyword, pointer: node.pointer });
  };
  const and = (keyword: string, inner: Language): void => {
    narrow(keyword, (before) => scope.intersect(before, inner, keyword, node.pointer));
  };
  // The properties of the target come first, as in the drafts that read nothing but the reference.
  const target = node.ref === undefined ? null : scope.satisfying(node.ref);
  if (target !== null) narrow("$ref", (before) => scope.intersect(target, before, "$ref", node.pointer));
  for (const inner of node.allOf ?? []) and("allOf", scope.satisfying(inner));
  for (const [key, inner] of node.dependentSchemas ?? [])
    narrow("dependentSchemas", (before) => applyDependentSchema(before, key, inner, node, scope));
  if (node.not !== undefined)
    and("not", withCheck(scope.complement(node.not), { keyword: "not", pointer: node.pointer }, true));
  if (node.if !== undefined) narrow("if", (before) => applyConditional(before, node, scope));
  const { anyOf, oneOf } = node;
  if (anyOf !== undefined) narrow("anyOf", (before) => anyOfBranches(before, anyOf, node, scope));
  if (oneOf !== undefined) narrow("oneOf", (before) => exactlyOne(before, oneOf, node, scope));
  return withoutUnevaluated(language, node, scope);
}

/** Returns the objects that have this key, or, without `present`, all values except those. */
export function objectsWith(key: string, present: boolean): Language {
  if (present) return { ...noValue, objects: [{ ...anyObject, requiredByComplement: new Set([key]) }] };
  const lacking: Members = {
    properties: new Map([[key, neverTerm]]),
    patterns: [],
    additional: null,
    declares: false,
  };
  return { ...anyValue, objects: [{ ...anyObject, members: [lacking] }] };
}

/** Applies `next`. If it takes too many steps or the result has too many alternatives, returns the language before it with a check. */
function limitBreadth(
  before: Language,
  next: (before: Language) => Language,
  at: { readonly keyword: string; readonly pointer: string },
): Language {
  const after = attempt(keywordStepsMax, () => next(before));
  if (after === null) return withCheck(before, at);
  return breadth(after) <= breadthMax || breadth(after) <= breadth(before) ? after : withCheck(before, at);
}

function anyOfBranches(
  before: Language,
  inner: readonly SchemaNode[],
  node: SchemaNode,
  scope: GrammarScope,
): Language {
  const branches = [...new Set(inner.map((branch) => scope.satisfying(branch)))];
  return unite(branches.map((branch) => scope.intersect(before, branch, "anyOf", node.pointer)));
}

function applyDependentSchema(
  before: Language,
  key: string,
  inner: SchemaNode,
  node: SchemaNode,
  scope: GrammarScope,
): Language {
  const both = (a: Language, b: Language): Language =>
    scope.intersect(a, b, "dependentSchemas", node.pointer);
  return unite([
    both(before, objectsWith(key, false)),
    both(both(before, objectsWith(key, true)), scope.satisfying(inner)),
  ]);
}

function applyConditional(before: Language, node: SchemaNode, scope: GrammarScope): Language {
  const { then, unevaluatedItems, unevaluatedProperties } = node;
  // Without `then` and `else`, `if` still marks names and items as evaluated.
  const relevant = then ?? node.else ?? unevaluatedItems ?? unevaluatedProperties;
  if (node.if === undefined || relevant === undefined) return before;
  const both = (a: Language, b: Language): Language => scope.intersect(a, b, "if", node.pointer);
  const otherwise = withCheck(scope.complement(node.if), { keyword: "if", pointer: node.pointer }, true);
  const met = both(before, scope.satisfying(node.if));
  const unmet = both(before, otherwise);
  return unite([
    node.then === undefined ? met : both(met, scope.satisfying(node.then)),
    node.else === undefined ? unmet : both(unmet, scope.satisfying(node.else)),
  ]);
}

/**
 * Applies unevaluatedProperties and unevaluatedItems after all other keywords for the same value are merged,
 * when each alternative knows what it evaluates. If several branches of an anyOf match at once, more is
 * evaluated than one alternative knows; the result is then a subset of what the schema allows.
 */
function withoutUnevaluated(language: Language, node: SchemaNode, scope: GrammarScope): Language {
  const { unevaluatedProperties, unevaluatedItems, pointer } = node;
  let result = language;
  if (unevaluatedProperties !== undefined) {
    const term = scope.terms.of(unevaluatedProperties);
    result = { ...result, objects: result.objects.map((shape) => closedObject(shape, term)) };
  }
  if (unevaluatedItems !== undefined) {
    const term = scope.terms.of(unevaluatedItems);
    result = { ...result, arrays: result.arrays.map((shape) => closedArray(shape, term, pointer)) };
  }
  return result;
}

function closedObject(shape: ObjectShape, term: Term): ObjectShape {
  const evaluating = shape.members.filter((members) => members.declares);
  if (evaluating.some((members) => members.additional !== null)) return shape;
  const rest: Members = {
    properties: new Map(
      evaluating.flatMap(({ properties }) => [...properties.keys()].map((key) => [key, anyTerm] as const)),
    ),
    patterns: evaluating.flatMap(({ patterns }) =>
      patterns.map(({ source, automaton }) => ({ source, automaton, term: anyTerm })),
    ),
    additional: term,
    declares: true,
  };
  return { ...shape, members: [...shape.members, rest] };
}

function closedArray(shape: ArrayShape, term: Term, pointer: string): ArrayShape {
  const evaluating = shape.lists.filter((list) => list.evaluates);
  if (evaluating.some((list) => list.rest !== null)) return shape;
  if (shape.contained.some((contained) => contained.evaluates)) {
    const at = { keyword: "unevaluatedItems", pointer };
    return { ...shape, checks: mergeChecks(shape.checks, [at]) };
  }
  const length = Math.max(0, ...evaluating.map((list) => list.prefix.length));
  const rest = { prefix: Array.from({ length }, () => anyTerm), rest: term, evaluates: true };
  return { ...shape, lists: [...shape.lists, rest] };
}
