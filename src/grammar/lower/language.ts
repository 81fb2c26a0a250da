/**
 * The language of a schema, as data: for each JSON type a union of shapes, plus a finite set of values. A
 * shape is a conjunction of constraints, so the intersection of two shapes is one shape. Array items and
 * object values stay terms (sets of schemas) that are expanded only on demand, so a recursive schema has a
 * finite representation. A shape that allows more than its schema lists the unenforced keywords in `checks`.
 * Nothing here depends on GBNF.
 */
import { everyString, type Automaton } from "../regular/automaton.js";
import type { NumberRange } from "../regular/number/number.js";
import { jsonText } from "../schema/json-text.js";
import type { JsonValue, SchemaNode } from "../schema/node.js";

/**
 * A keyword that the grammar does not enforce and the validator checks, with the location of its subschema.
 */
export interface Check {
  readonly keyword: string;
  readonly pointer: string;
}

/** A schema, or with `positive` false its complement. */
export interface Literal {
  readonly node: SchemaNode;
  readonly positive: boolean;
}

/**
 * A conjunction of literals. Equal terms have equal keys. Without literals it allows any value; `never`
 * allows none.
 */
export interface Term {
  readonly key: string;
  readonly literals: readonly Literal[];
  readonly never: boolean;
}

export interface NumberShape {
  readonly range: NumberRange;
  readonly checks: readonly Check[];
}

export interface StringShape {
  readonly automaton: Automaton;
  readonly minLength: number;
  readonly maxLength: number | null;
  readonly checks: readonly Check[];
}

/** The constraints of one subschema on the items. `rest` null: items after the prefix are unconstrained. */
interface ItemList {
  readonly prefix: readonly Term[];
  readonly rest: Term | null;
  /** Whether these items count as evaluated; the items of a complement do not. */
  readonly evaluates: boolean;
}

export interface Contained {
  readonly term: Term;
  readonly min: number;
  readonly max: number | null;
  readonly evaluates: boolean;
  readonly at: Check;
}

export interface ArrayShape {
  readonly lists: readonly ItemList[];
  readonly minItems: number;
  readonly maxItems: number | null;
  /** The location of uniqueItems, or null when it does not apply. */
  readonly unique: Check | null;
  readonly contained: readonly Contained[];
  readonly checks: readonly Check[];
}

interface PatternMember {
  /** The pattern as the schema has it; it orders the keys that it lists. */
  readonly source: string;
  readonly automaton: Automaton;
  readonly term: Term;
}

/**
 * The constraints of one subschema on the values of an object. `additional` null: other keys are
 * unconstrained.
 */
export interface Members {
  readonly properties: ReadonlyMap<string, Term>;
  readonly patterns: readonly PatternMember[];
  readonly additional: Term | null;
  /** Whether its names are declared and count as evaluated; the names of a complement do not. */
  readonly declares: boolean;
}

/** A condition on keys: one of `present` is present, or one of `absent` is absent. */
export interface Clause {
  readonly present: readonly string[];
  readonly absent: readonly string[];
  readonly at: Check;
}

/** A condition on members: at least one of these names has a value of this term. */
export interface SomeMember {
  readonly names: Automaton;
  readonly term: Term;
  readonly at: Check;
}

export interface ObjectShape {
  readonly members: readonly Members[];
  readonly required: ReadonlySet<string>;
  /** Keys that a complement requires. They are generated only where the schema declares them. */
  readonly requiredByComplement: ReadonlySet<string>;
  readonly names: readonly { readonly term: Term; readonly at: Check }[];
  readonly minProperties: number;
  readonly maxProperties: number | null;
  readonly clauses: readonly Clause[];
  readonly some: readonly SomeMember[];
  readonly checks: readonly Check[];
}

/**
 * A union of shapes and values. `values` contains true, false and null wherever the types boolean and null
 * are allowed.
 */
export interface Language {
  readonly values: readonly JsonValue[];
  readonly numbers: readonly NumberShape[];
  readonly strings: readonly StringShape[];
  readonly arrays: readonly ArrayShape[];
  readonly objects: readonly ObjectShape[];
}

export const anyNumber: NumberShape = { range: { integer: false }, checks: [] };
export const anyInteger: NumberShape = { range: { integer: true }, checks: [] };
export const anyString: StringShape = { automaton: everyString, minLength: 0, maxLength: null, checks: [] };
export const anyArray: ArrayShape = {
  lists: [],
  minItems: 0,
  maxItems: null,
  unique: null,
  contained: [],
  checks: [],
};
export const anyObject: ObjectShape = {
  members: [],
  required: new Set(),
  requiredByComplement: new Set(),
  names: [],
  minProperties: 0,
  maxProperties: null,
  clauses: [],
  some: [],
  checks: [],
};

export const noValue: Language = { values: [], numbers: [], strings: [], arrays: [], objects: [] };
export const anyValue: Language = {
  values: [null, false, true],
  numbers: [anyNumber],
  strings: [anyString],
  arrays: [anyArray],
  objects: [anyObject],
};

/** Returns the number of shapes of a language. Finite values do not count, because they cost little. */
export function breadth(language: Language): number {
  return language.objects.length + language.arrays.length + language.strings.length + language.numbers.length;
}

/** Returns whether the language has no shape and no value. A language with shapes can still be empty. */
export function hasNoShape(language: Language): boolean {
  return breadth(language) + language.values.length === 0;
}

/** Returns the union of languages. Identical shapes occur once. */
export function unite(languages: readonly Language[]): Language {
  const [only, second] = languages;
  if (only !== undefined && second === undefined) return only;
  return {
    values: distinctValues(languages.flatMap((language) => language.values)),
    numbers: [...new Set(languages.flatMap((language) => language.numbers))],
    strings: [...new Set(languages.flatMap((language) => language.strings))],
    arrays: [...new Set(languages.flatMap((language) => language.arrays))],
    objects: [...new Set(languages.flatMap((language) => language.objects))],
  };
}

/** Returns the values without duplicates. */
export function distinctValues(values: readonly JsonValue[]): readonly JsonValue[] {
  if (values.length < 2) return values;
  const byText = new Map<string, JsonValue>();
  for (const value of values) byText.set(jsonText(value), value);
  return [...byText.values()];
}

/** Returns the checks of all shapes. */
export function listChecks(language: Language): readonly Check[] {
  return [language.numbers, language.strings, language.arrays, language.objects].flatMap((shapes) =>
    shapes.flatMap((shape) => shape.checks),
  );
}

/**
 * Returns the language with this check on every shape. With `instead`, the check replaces existing checks,
 * and shapes without checks stay unchanged.
 */
export function withCheck(language: Language, at: Check, instead = false): Language {
  const mark = <Shape extends { readonly checks: readonly Check[] }>(shapes: readonly Shape[]): Shape[] =>
    shapes.map((shape) =>
      instead && shape.checks.length === 0
        ? shape
        : { ...shape, checks: instead ? [at] : mergeChecks(shape.checks, [at]) },
    );
  return {
    values: language.values,
    numbers: mark(language.numbers),
    strings: mark(language.strings),
    arrays: mark(language.arrays),
    objects: mark(language.objects),
  };
}

/** Returns both lists without duplicates. */
export function mergeChecks(a: readonly Check[], b: readonly Check[]): readonly Check[] {
  if (b.length === 0) return a;
  if (a.length === 0) return b;
  const fresh = b.filter((check) => !a.some((known) => sameCheck(known, check)));
  return fresh.length === 0 ? a : [...a, ...fresh];
}

function sameCheck(a: Check, b: Check): boolean {
  return a.keyword === b.keyword && a.pointer === b.pointer;
}
