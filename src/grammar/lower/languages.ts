/**
 * The work of turning one schema graph into languages: it owns the budget and what is remembered, so that each schema is
 * looked at once. Recursion is met where emptiness is asked of what is still being made: then the answer is "not known to
 * be empty". What the languages become is emit.ts's work.
 */
import { complement, everyString, intersect, texts, type Automaton } from "../regular/automaton.js";
import type { SchemaNode } from "../schema/node.js";
import { SchemaRefusal } from "../schema/refusal.js";
import { inPlace, reachable } from "../schema/progress.js";
import { compilePatterns } from "../schema/validate/patterns.js";
import { createValidator, type Validator } from "../schema/validate.js";
import { emptyArray, emptyObject } from "./emptiness.js";
import { denying } from "./complement.js";
import { holding } from "./satisfying.js";
import { everything, isNothing, nothing, type Language, type Term } from "./language.js";
import { meet, type Emptiness } from "./merge.js";
import { emptyNumbers } from "./numbers.js";
import { emptyStrings } from "./strings.js";
import type { Scope } from "./scope.js";
import { createTerms } from "./term.js";

/** Pairs of shapes merged for one schema. */
const stepsMax = 150_000;
/** How far into a value emptiness is looked for. */
const emptinessDepthMax = 4;

/** Thrown where a language is asked for while it is being made. */
class Unfinished extends Error {}

export function createScope(root: SchemaNode, closes: boolean): Scope {
  const patterns = compilePatterns(reachable(root));
  let judging: Validator | undefined;
  const validator: Validator = (value, node) => {
    judging ??= createValidator(root);
    return judging(value, node);
  };
  let steps = 0;
  const scope: Scope = {
    terms: createTerms(),
    closes,
    holding: remembered((node) =>
      onlyValid(holding(node, scope), isPlain(node) ? [] : [{ node, holds: true }], validator),
    ),
    denying: remembered((node) => onlyValid(denying(node, scope), [{ node, holds: false }], validator)),
    language: remembered((term) => languageOf(term, scope, validator)),
    isNever: neverAsked((term) => scope.language(term)),
    valid: (term, value) =>
      !term.never && term.literals.every(({ node, holds }) => (validator(value, node) === null) === holds),
    meet: (a, b, keyword, pointer) => meet(a, b, emptinessIn(scope, keyword, pointer)),
    pattern(source) {
      const automaton = patterns.get(source);
      if (automaton === undefined) throw new RangeError("a pattern of another schema");
      return automaton;
    },
    without: withoutTexts(),
    step(count = 1) {
      steps += count;
      if (steps > stepsMax) throw tooMuchWork(root);
    },
  };
  return scope;
}

/** Makes each language once. @throws Unfinished where one is asked for that is being made */
function remembered<Key>(make: (key: Key) => Language): (key: Key) => Language {
  const known = new Map<Key, Language>();
  const making = new Set<Key>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    if (making.has(key)) throw new Unfinished();
    making.add(key);
    try {
      const language = make(key);
      known.set(key, language);
      return language;
    } finally {
      making.delete(key);
    }
  };
}

/** Answers whether a term is known to allow nothing, so far into its values and no further. */
function neverAsked(language: (term: Term) => Language): (term: Term) => boolean {
  const nevers = new Map<Term, boolean>();
  let depth = 0;
  return (term) => {
    if (term.never || term.literals.length === 0) return term.never;
    const known = nevers.get(term);
    if (known !== undefined) return known;
    if (depth >= emptinessDepthMax) return false;
    depth += 1;
    try {
      const never = isNothing(language(term));
      nevers.set(term, never);
      return never;
    } catch (thrown) {
      if (thrown instanceof Unfinished) return false;
      throw thrown;
    } finally {
      depth -= 1;
    }
  };
}

/** An automaton less some texts; each list of texts is made one automaton once. */
function withoutTexts(): (automaton: Automaton, excluded: ReadonlySet<string>) => Automaton {
  const known = new Map<string, Automaton>();
  return (automaton, excluded) => {
    if (excluded.size === 0) return automaton;
    const key = JSON.stringify([...excluded].sort());
    const others = known.get(key) ?? complement(texts([...excluded]));
    known.set(key, others);
    return automaton === everyString ? others : intersect(automaton, others);
  };
}

function languageOf(term: Term, scope: Scope, validator: Validator): Language {
  if (term.never) return nothing;
  let language = everything;
  for (const { node, holds } of term.literals) {
    const one = holds ? scope.holding(node) : scope.denying(node);
    language = scope.meet(language, one, "allOf", node.pointer);
  }
  return term.literals.length < 2 ? language : onlyValid(language, term.literals, validator);
}

/** Whether a node has no keyword by which a value of a type that it allows could fail, but those in its shapes. */
function isPlain(node: SchemaNode): boolean {
  return node.values === undefined && inPlace(node).length === 0;
}

/** Without the values that are not valid, and without the ranges and strings that nothing is in. */
function onlyValid(language: Language, literals: Term["literals"], validator: Validator): Language {
  if (language === everything || isNothing(language)) return language;
  const values = language.values.filter((value) =>
    literals.every(({ node, holds }) => (validator(value, node) === null) === holds),
  );
  const numbers = language.numbers.filter((shape) => !emptyNumbers(shape));
  const strings = language.strings.filter((shape) => !emptyStrings(shape));
  return { ...language, values, numbers, strings };
}

function emptinessIn(scope: Scope, keyword: string, pointer: string): Emptiness {
  return {
    number: emptyNumbers,
    string: emptyStrings,
    array: (shape) => emptyArray(shape, scope),
    object: (shape) => emptyObject(shape, scope),
    step: () => {
      scope.step();
    },
    at: { keyword, pointer },
  };
}

function tooMuchWork(root: SchemaNode): SchemaRefusal {
  return new SchemaRefusal(
    `The schema combines too many alternatives (more than ${stepsMax} pairs); ` +
      "use fewer anyOf, oneOf and if inside allOf, or give each alternative a distinguishing const.",
    { keyword: null, pointer: root.pointer },
  );
}
