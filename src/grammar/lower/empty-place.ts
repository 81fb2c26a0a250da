/** Finds the place of a schema without values: the innermost value that every text would need and that no text can have. */
import type { SchemaNode } from "../schema/node.js";
import type { CostPlace } from "../work.js";
import { itemTerm, memberTerm } from "./emptiness.js";
import type { Term } from "./language.js";
import { findCostPlace } from "./place.js";
import type { Plans } from "./plan/plans.js";
import type { GrammarScope } from "./scope.js";

/** The keywords that leave a value without others, most likely first. */
const bounds = [
  "minItems",
  "minProperties",
  "required",
  "minLength",
  "exclusiveMinimum",
  "minimum",
  "exclusiveMaximum",
  "maximum",
] as const satisfies readonly (keyof SchemaNode)[];

/** Keywords that leave a value without others only together with such a bound. */
const describing: ReadonlySet<string> = new Set(["type", "properties", "prefixItems", "items"]);

/** Returns the place of a term that no text satisfies. */
export function findEmptyPlace(root: Term, plans: Plans, scope: GrammarScope): CostPlace {
  const seen = new Set<Term>();
  const isEmpty = (each: Term): boolean =>
    plans.isPlanned(each) ? !plans.isProductive(each) : scope.isNever(each);
  let term = root;
  let place: CostPlace | null = null;
  for (;;) {
    seen.add(term);
    place = placeOfEmpty(term, place);
    const next = neededTerms(term, scope).find((each) => isEmpty(each) && !seen.has(each));
    if (next === undefined) return place;
    term = next;
  }
}

/** Returns the place of a term, or the place of the value around it if the term itself has none. */
function placeOfEmpty({ literals }: Term, around: CostPlace | null): CostPlace {
  const [literal] = literals;
  if (literal === undefined) return around ?? { keyword: "type", pointer: "" };
  const { node } = literal;
  const place = findCostPlace(node);
  const bound = bounds.find((keyword) => node[keyword] !== undefined);
  return describing.has(place.keyword) && bound !== undefined ? { ...place, keyword: bound } : place;
}

/** Returns the terms of the members and items that all values of a term need; none where it has alternatives. */
function neededTerms(term: Term, scope: GrammarScope): readonly Term[] {
  if (term.never) return [];
  const { values, numbers, strings, arrays, objects } = scope.language(term);
  if (values.length + numbers.length + strings.length + arrays.length + objects.length !== 1) return [];
  const inObjects = objects.flatMap((shape) =>
    [...shape.required].map((key) => memberTerm(shape, key, scope)),
  );
  const inArrays = arrays.flatMap((shape) => {
    const places = Math.max(0, ...shape.lists.map(({ prefix }) => prefix.length)) + 1;
    const count = Math.min(shape.minItems, places);
    return Array.from({ length: count }, (_, index) => itemTerm(shape, index, scope));
  });
  return [...inObjects, ...inArrays];
}
