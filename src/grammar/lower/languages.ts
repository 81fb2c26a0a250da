/**
 * Computes the languages of one schema graph. It holds the work budget and memoizes the result of each
 * schema. When an emptiness test reaches a language that is still being computed, it answers "not known to be
 * empty".
 */
import {
  automatonOfTexts,
  difference,
  everyString,
  intersect,
  type Automaton,
} from "../regular/automaton.js";
import type { SchemaNode } from "../schema/node.js";
import { workingAt } from "../work.js";
import { inPlaceSubschemas, reachable } from "../schema/progress.js";
import { compilePatterns } from "../schema/validate/patterns.js";
import { createValidator, type Validator } from "../schema/validate.js";
import { isEmptyArrayShape, isEmptyObjectShape } from "./emptiness.js";
import { complement } from "./complement.js";
import { satisfying } from "./satisfying.js";
import {
  anyValue,
  hasNoShape,
  noValue,
  type Language,
  type Term,
  anyArray,
  anyNumber,
  anyObject,
  anyString,
  type ObjectShape,
} from "./language.js";
import { intersectLanguages, type Emptiness } from "./merge.js";
import { isEmptyNumberShape } from "./numbers.js";
import { findCostPlace } from "./place.js";
import { isEmptyStringShape } from "./strings.js";
import type { GrammarScope } from "./scope.js";
import { createTerms } from "./term.js";

/** The nesting depth to which values are tested for emptiness. */
const emptinessDepthMax = 4;

/** Thrown when a language is requested while it is being computed. */
class StillComputing extends Error {}

export function createScope(root: SchemaNode, closesObjects: boolean): GrammarScope {
  const patterns = compilePatterns(reachable(root));
  let created: Validator | undefined;
  const validator: Validator = (value, node) => {
    created ??= createValidator(root);
    return created(value, node);
  };
  const scope: GrammarScope = {
    terms: createTerms(),
    closesObjects,
    satisfying: memoized((node) =>
      workingAt(findCostPlace(node), () => {
        const language = withoutInvalid(
          satisfying(node, scope),
          isPlain(node) ? [] : [{ node, positive: true }],
          validator,
        );
        // Siblings that contradict the reference are ignored, as the document's draft does with all of them.
        if (node.refStandsAlone !== true || node.ref === undefined) return language;
        const target = scope.satisfying(node.ref);
        return contradictsReference(language, target) ? target : language;
      }),
    ),
    complement: memoized((node) =>
      workingAt(findCostPlace(node), () =>
        withoutInvalid(complement(node, scope), [{ node, positive: false }], validator),
      ),
    ),
    language: memoized((term) => buildLanguage(term, scope, validator)),
    isNever: emptinessTest((term) => scope.language(term)),
    isValid: (term, value) =>
      !term.never &&
      term.literals.every(({ node, positive }) => (validator(value, node) === null) === positive),
    intersect(a, b, keyword, pointer) {
      const emptiness = emptinessIn(scope, keyword, pointer);
      return workingAt(emptiness.at, () => intersectLanguages(a, b, emptiness));
    },
    pattern(source) {
      const automaton = patterns.get(source);
      if (automaton === undefined) throw new RangeError("the pattern belongs to another schema");
      return automaton;
    },
    withoutTexts: withoutTexts(),
  };
  return scope;
}

/** Computes each language once. @throws StillComputing when the requested language is being computed */
function memoized<Key>(make: (key: Key) => Language): (key: Key) => Language {
  const cache = new Map<Key, Language>();
  const making = new Set<Key>();
  return (key) => {
    const before = cache.get(key);
    if (before !== undefined) return before;
    if (making.has(key)) throw new StillComputing();
    making.add(key);
    try {
      const language = make(key);
      cache.set(key, language);
      return language;
    } finally {
      making.delete(key);
    }
  };
}

/** Returns a test whether a term is known to allow no value, limited to a depth of nested values. */
function emptinessTest(language: (term: Term) => Language): (term: Term) => boolean {
  const nevers = new Map<Term, boolean>();
  let depth = 0;
  return (term) => {
    if (term.never || term.literals.length === 0) return term.never;
    const known = nevers.get(term);
    if (known !== undefined) return known;
    if (depth >= emptinessDepthMax) return false;
    depth += 1;
    try {
      const never = hasNoShape(language(term));
      nevers.set(term, never);
      return never;
    } catch (thrown) {
      if (thrown instanceof StillComputing) return false;
      throw thrown;
    } finally {
      depth -= 1;
    }
  };
}

/** Returns a function that removes texts from an automaton and builds one automaton per set of texts. */
function withoutTexts(): (automaton: Automaton, excluded: ReadonlySet<string>) => Automaton {
  const cache = new Map<string, Automaton>();
  return (automaton, excluded) => {
    if (excluded.size === 0) return automaton;
    const key = JSON.stringify([...excluded].sort());
    const others = cache.get(key) ?? difference(everyString, automatonOfTexts([...excluded]));
    cache.set(key, others);
    return automaton === everyString ? others : intersect(automaton, others);
  };
}

function buildLanguage(term: Term, scope: GrammarScope, validator: Validator): Language {
  if (term.never) return noValue;
  let language = anyValue;
  for (const { node, positive } of term.literals) {
    const one = positive ? scope.satisfying(node) : scope.complement(node);
    language = scope.intersect(language, one, "allOf", node.pointer);
  }
  return term.literals.length < 2 ? language : withoutInvalid(language, term.literals, validator);
}

/**
 * Returns whether the shapes of a node express all of its keywords, so that its values need no validation.
 */
function isPlain(node: SchemaNode): boolean {
  return node.values === undefined && inPlaceSubschemas(node).length === 0;
}

/** Removes the values that do not validate and the number and string shapes that are known to be empty. */
function withoutInvalid(language: Language, literals: Term["literals"], validator: Validator): Language {
  if (language === anyValue || hasNoShape(language)) return language;
  const values = language.values.filter((value) =>
    literals.every(({ node, positive }) => (validator(value, node) === null) === positive),
  );
  const numbers = language.numbers.filter((shape) => !isEmptyNumberShape(shape));
  const strings = language.strings.filter((shape) => !isEmptyStringShape(shape));
  return { ...language, values, numbers, strings };
}

function emptinessIn(scope: GrammarScope, keyword: string, pointer: string): Emptiness {
  return {
    number: isEmptyNumberShape,
    string: isEmptyStringShape,
    array: (shape) => isEmptyArrayShape(shape, scope),
    object: (shape) => isEmptyObjectShape(shape, scope),
    at: { keyword, pointer },
  };
}

// The siblings of a reference in the drafts up to 7, which ignore them.

/**
 * Returns whether the siblings of a reference contradict it: where nothing satisfies both, where they leave only types about which the
 * reference says nothing, and where they close an object to all the keys that the reference declares.
 * @param both the values that satisfy the reference and its siblings
 */
function contradictsReference(both: Language, target: Language): boolean {
  return hasNoShape(both) || lacksDescribedTypes(both, target) || forbidsDeclaredKeys(both, target);
}

/** Only for a reference that allows every type: one that lists types describes each of them. */
function lacksDescribedTypes(both: Language, target: Language): boolean {
  const isFree = [
    target.numbers.includes(anyNumber),
    target.strings.includes(anyString),
    target.arrays.includes(anyArray),
    target.objects.includes(anyObject),
  ];
  const allowed = [target.numbers, target.strings, target.arrays, target.objects];
  const left = [both.numbers, both.strings, both.arrays, both.objects];
  const described = left.filter((_, kind) => isFree[kind] === false);
  const allowsEveryType = target.values.length >= 3 && allowed.every((shapes) => shapes.length > 0);
  return allowsEveryType && described.length > 0 && described.every((shapes) => shapes.length === 0);
}

function forbidsDeclaredKeys(both: Language, target: Language): boolean {
  const declares = ({ members }: ObjectShape): boolean =>
    members.some(({ properties, patterns }) => properties.size + patterns.length > 0);
  return (
    both.objects.length > 0 &&
    both.objects.every(forbidsAllKeys) &&
    target.objects.some((shape) => declares(shape) && !forbidsAllKeys(shape))
  );
}

function forbidsAllKeys({ members }: ObjectShape): boolean {
  return members.some(
    ({ properties, patterns, additional }) =>
      additional?.never === true && properties.size + patterns.length === 0,
  );
}
