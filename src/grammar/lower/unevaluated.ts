import type { SchemaNode } from "../schema/node.js";
import {
  mergeChecks,
  type ArrayShape,
  type Language,
  type Members,
  type ObjectShape,
  type Term,
} from "./language.js";
import type { Scope } from "./scope.js";
import { anyTerm } from "./term.js";

/**
 * Applies unevaluatedProperties and unevaluatedItems after all other keywords for the same value are merged,
 * when each alternative knows what it evaluates. If several branches of an anyOf match at once, more is
 * evaluated than one alternative knows; the result is then a subset of what the schema allows.
 */
export function withoutUnevaluated(language: Language, node: SchemaNode, scope: Scope): Language {
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
      patterns.map(({ automaton }) => ({ automaton, term: anyTerm })),
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
