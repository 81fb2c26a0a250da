import { accepts } from "../regular/automaton.js";
import { spend } from "../work.js";
import type { ArrayShape, ObjectShape, SomeMember, Term } from "./language.js";
import type { GrammarScope } from "./scope.js";

/** Returns the term that an object's value under this key must satisfy. */
export function memberTerm(shape: ObjectShape, key: string, scope: GrammarScope): Term {
  const terms: Term[] = [];
  for (const { properties, patterns, additional } of shape.members) {
    spend(4 + key.length * patterns.length);
    const property = properties.get(key);
    let named = property !== undefined;
    if (property !== undefined) terms.push(property);
    for (const { automaton, term } of patterns)
      if (accepts(automaton, key)) {
        terms.push(term);
        named = true;
      }
    if (!named && additional !== null) terms.push(additional);
  }
  return scope.terms.all(terms);
}

/** Returns the term that the item at this index must satisfy. */
export function itemTerm(shape: ArrayShape, index: number, scope: GrammarScope): Term {
  const terms: Term[] = [];
  for (const { prefix, rest } of shape.lists) {
    const term = prefix[index] ?? rest;
    if (term !== null) terms.push(term);
  }
  return scope.terms.all(terms);
}

/** Returns whether an object shape is known to be empty. */
export function isEmptyObjectShape(shape: ObjectShape, scope: GrammarScope): boolean {
  if (shape.maxProperties !== null) {
    if (shape.minProperties > shape.maxProperties) return true;
    if (shape.required.size > shape.maxProperties) return true;
  }
  for (const keys of [shape.required, shape.requiredByComplement])
    for (const key of keys) if (scope.isNever(memberTerm(shape, key, scope))) return true;
  return shape.some.some((some) => hasNone(shape, some, scope));
}

/** Returns whether no object of a shape is known to have such a member. */
function hasNone(shape: ObjectShape, { names, term }: SomeMember, scope: GrammarScope): boolean {
  if (shape.maxProperties === 0) return true;
  const closed = shape.members.find(
    ({ additional, patterns }) => additional?.never === true && patterns.length === 0,
  );
  if (closed === undefined) return false;
  return [...closed.properties.keys()].every(
    (key) => !accepts(names, key) || scope.isNever(scope.terms.all([memberTerm(shape, key, scope), term])),
  );
}

/** Returns whether an array shape is known to be empty. */
export function isEmptyArrayShape(shape: ArrayShape, scope: GrammarScope): boolean {
  if (shape.maxItems !== null && shape.minItems > shape.maxItems) return true;
  const longest = Math.max(0, ...shape.lists.map((list) => list.prefix.length));
  for (let index = 0; index < Math.min(shape.minItems, longest + 1); index++)
    if (scope.isNever(itemTerm(shape, index, scope))) return true;
  return shape.contained.some(({ min, max }) => max !== null && min > max);
}
