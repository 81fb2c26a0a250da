/**
 * What a schema allows, as data: for each JSON type a union of shapes, and finitely many values apart. A shape is a
 * conjunction, so that two of them merge into one; what stands inside arrays and objects stays a term, a set of schemas that
 * is looked at only when it is needed, and so a recursive schema has a finite language. A shape that allows more than its
 * schema says so in `checks`. Nothing here knows the grammar that is made of it.
 */
import { everyString, type Automaton } from "../regular/automaton.js";
import type { NumberRange } from "../regular/number/number.js";
import type { JsonValue, SchemaNode } from "../schema/node.js";

/** A keyword that the grammar leaves to the validator, and the subschema where it stands. */
export interface Check {
  readonly keyword: string;
  readonly pointer: string;
}

/** That a schema holds, or that it does not. */
export interface Literal {
  readonly node: SchemaNode;
  readonly holds: boolean;
}

/** A conjunction; equal ones have equal keys. No literals: anything goes. */
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

/** What one subschema says about the items; `rest` null: nothing about those after the prefix. */
export interface ItemList {
  readonly prefix: readonly Term[];
  readonly rest: Term | null;
  /** Whether the items that it names are evaluated by it (those of a complement are not). */
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
  /** Where uniqueItems stands, when it does. */
  readonly unique: Check | null;
  readonly contained: readonly Contained[];
  readonly checks: readonly Check[];
}

export interface PatternMember {
  readonly automaton: Automaton;
  readonly term: Term;
}

/** What one subschema says about the values of an object; `additional` null: nothing about what it does not name. */
export interface Members {
  readonly properties: ReadonlyMap<string, Term>;
  readonly patterns: readonly PatternMember[];
  readonly additional: Term | null;
  /** Whether its names are declared by the author, and evaluated by it (those of a complement are not). */
  readonly declares: boolean;
}

/** One of the keys is there, or one of the others is absent. */
export interface Clause {
  readonly present: readonly string[];
  readonly absent: readonly string[];
  readonly at: Check;
}

export interface ObjectShape {
  readonly members: readonly Members[];
  readonly required: ReadonlySet<string>;
  /** Keys that a complement needs: they are there only where they are declared. */
  readonly needed: ReadonlySet<string>;
  readonly names: readonly { readonly term: Term; readonly at: Check }[];
  readonly minProperties: number;
  readonly maxProperties: number | null;
  readonly clauses: readonly Clause[];
  readonly checks: readonly Check[];
}

/** A union. The values hold true, false and null wherever the types boolean and null are allowed. */
export interface Language {
  readonly values: readonly JsonValue[];
  readonly numbers: readonly NumberShape[];
  readonly strings: readonly StringShape[];
  readonly arrays: readonly ArrayShape[];
  readonly objects: readonly ObjectShape[];
}

export const anyNumber: NumberShape = { range: { integer: false }, checks: [] };
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
  needed: new Set(),
  names: [],
  minProperties: 0,
  maxProperties: null,
  clauses: [],
  checks: [],
};

export const nothing: Language = { values: [], numbers: [], strings: [], arrays: [], objects: [] };
export const everything: Language = {
  values: [null, false, true],
  numbers: [anyNumber],
  strings: [anyString],
  arrays: [anyArray],
  objects: [anyObject],
};

/** How many alternatives of arrays and objects, which are the ones that cost, a language has. */
export function breadth(language: Language): number {
  return language.objects.length + language.arrays.length + language.strings.length + language.numbers.length;
}

/** Whether the language has no alternative at all; one that has may still be empty further down. */
export function isNothing(language: Language): boolean {
  return breadth(language) + language.values.length === 0;
}

/** All alternatives of all languages; the same shape counts once. */
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

function distinctValues(values: readonly JsonValue[]): readonly JsonValue[] {
  const byText = new Map<string, JsonValue>();
  for (const value of values) byText.set(JSON.stringify(value), value);
  return [...byText.values()];
}

/** The checks of all alternatives. */
export function checksOf(language: Language): readonly Check[] {
  return [language.numbers, language.strings, language.arrays, language.objects].flatMap((shapes) =>
    shapes.flatMap((shape) => shape.checks),
  );
}

/** The language with this check on every shape, instead of the checks it had or beside them. */
export function checked(language: Language, at: Check, instead = false): Language {
  const mark = <Shape extends { readonly checks: readonly Check[] }>(shapes: readonly Shape[]): Shape[] =>
    shapes.map((shape) =>
      instead && shape.checks.length === 0
        ? shape
        : { ...shape, checks: instead ? [at] : joinedChecks(shape.checks, [at]) },
    );
  return {
    values: language.values,
    numbers: mark(language.numbers),
    strings: mark(language.strings),
    arrays: mark(language.arrays),
    objects: mark(language.objects),
  };
}

/** Both lists, each check once. */
export function joinedChecks(a: readonly Check[], b: readonly Check[]): readonly Check[] {
  if (b.length === 0) return a;
  if (a.length === 0) return b;
  const fresh = b.filter((check) => !a.some((known) => sameCheck(known, check)));
  return fresh.length === 0 ? a : [...a, ...fresh];
}

function sameCheck(a: Check, b: Check): boolean {
  return a.keyword === b.keyword && a.pointer === b.pointer;
}
