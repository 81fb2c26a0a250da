import type { SchemaNode } from "../schema/node.js";
import {
  anyObject,
  breadth,
  checked,
  everything,
  nothing,
  unite,
  type Language,
  type Members,
} from "./language.js";
import { exactlyOne } from "./one-of.js";
import { ownLanguage } from "./from-keywords.js";
import type { Scope } from "./scope.js";
import { neverTerm } from "./term.js";
import { withoutUnevaluated } from "./unevaluated.js";

/** Alternatives that a union may have; with more, the keyword that makes them is left to the validator. */
const breadthMax = 128;

/** What satisfies a node, or more; of the values, all that may satisfy it. */
export function holding(node: SchemaNode, scope: Scope): Language {
  if (node.always !== undefined) return node.always ? everything : nothing;
  let language = ownLanguage(node, scope);
  const narrow = (keyword: string, next: (before: Language) => Language): void => {
    language = within(language, next, { keyword, pointer: node.pointer });
  };
  const and = (keyword: string, inner: Language): void => {
    narrow(keyword, (before) => scope.meet(before, inner, keyword, node.pointer));
  };
  if (node.ref !== undefined) and("$ref", scope.holding(node.ref));
  for (const inner of node.allOf ?? []) and("allOf", scope.holding(inner));
  for (const [key, inner] of node.dependentSchemas ?? [])
    narrow("dependentSchemas", (before) => dependent(before, key, inner, node, scope));
  if (node.not !== undefined)
    and("not", checked(scope.denying(node.not), { keyword: "not", pointer: node.pointer }, true));
  if (node.if !== undefined) narrow("if", (before) => conditional(before, node, scope));
  const { anyOf, oneOf } = node;
  if (anyOf !== undefined) narrow("anyOf", (before) => some(before, anyOf, node, scope));
  if (oneOf !== undefined) narrow("oneOf", (before) => exactlyOne(before, oneOf, node, scope));
  return withoutUnevaluated(language, node, scope);
}

/** Objects that have this key, if `present`; otherwise everything that is no object or lacks it. */
export function objectsWith(key: string, present: boolean): Language {
  if (present) return { ...nothing, objects: [{ ...anyObject, needed: new Set([key]) }] };
  const lacking: Members = {
    properties: new Map([[key, neverTerm]]),
    patterns: [],
    additional: null,
    declares: false,
  };
  return { ...everything, objects: [{ ...anyObject, members: [lacking] }] };
}

/** The narrower language; where it has too many alternatives, the one before and a check. */
function within(
  before: Language,
  next: (before: Language) => Language,
  at: { readonly keyword: string; readonly pointer: string },
): Language {
  const after = next(before);
  return breadth(after) <= breadthMax || breadth(after) <= breadth(before) ? after : checked(before, at);
}

function some(before: Language, inner: readonly SchemaNode[], node: SchemaNode, scope: Scope): Language {
  const branches = [...new Set(inner.map((branch) => scope.holding(branch)))];
  return unite(branches.map((branch) => scope.meet(before, branch, "anyOf", node.pointer)));
}

function dependent(
  before: Language,
  key: string,
  inner: SchemaNode,
  node: SchemaNode,
  scope: Scope,
): Language {
  const both = (a: Language, b: Language): Language => scope.meet(a, b, "dependentSchemas", node.pointer);
  return unite([
    both(before, objectsWith(key, false)),
    both(both(before, objectsWith(key, true)), scope.holding(inner)),
  ]);
}

function conditional(before: Language, node: SchemaNode, scope: Scope): Language {
  const { then, unevaluatedItems, unevaluatedProperties } = node;
  // Without then and else, `if` still evaluates what it names.
  const telling = then ?? node.else ?? unevaluatedItems ?? unevaluatedProperties;
  if (node.if === undefined || telling === undefined) return before;
  const both = (a: Language, b: Language): Language => scope.meet(a, b, "if", node.pointer);
  const otherwise = checked(scope.denying(node.if), { keyword: "if", pointer: node.pointer }, true);
  const met = both(before, scope.holding(node.if));
  const unmet = both(before, otherwise);
  return unite([
    node.then === undefined ? met : both(met, scope.holding(node.then)),
    node.else === undefined ? unmet : both(unmet, scope.holding(node.else)),
  ]);
}
