import {
  AutomatonTooLarge,
  accepts,
  difference,
  everyString,
  intersect,
  isEmpty,
  union,
  noString,
  listTexts,
  type Automaton,
} from "../../regular/automaton.js";
import { spend } from "../../work.js";
import { memberTerm } from "../emptiness.js";
import {
  mergeChecks,
  type Check,
  type Clause,
  type Members,
  type ObjectShape,
  type Term,
} from "../language.js";
import type { Entry, Extra, ObjectPlan } from "./plan.js";
import type { GrammarScope } from "../scope.js";
import { withSomeMembers } from "./some-members.js";
import { uniteStrings } from "../strings.js";
import { anyTerm } from "../term.js";

/** What planning a key costs besides its term. */
const stepsOfKey = 5;
/** The number of classes into which patterns may divide the undeclared keys. */
const partitionsMax = 64;
/** The number of undeclared keys that become entries. */
const finiteNamesMax = 128;

interface ObjectPlace {
  /** JSON Pointer of the object's schema. */
  readonly pointer: string;
  /** Keys that the object may have though it is closed by absence, with their values. */
  readonly moreKeys: ReadonlyMap<string, Term>;
}

/** Plans the keys of an object, in the alternatives that its conditions need; none if no object is of this shape. */
export function planObjects(
  shape: ObjectShape,
  scope: GrammarScope,
  place: ObjectPlace,
): readonly ObjectPlan[] {
  const plan = planObject(shape, scope, place);
  return plan === null ? [] : withSomeMembers(plan, shape.some, scope);
}

function planObject(shape: ObjectShape, scope: GrammarScope, place: ObjectPlace): ObjectPlan | null {
  const { pointer } = place;
  const closed = closedByAbsence(shape, scope);
  const keys = listKeys(shape, closed);
  if (closed && !declaresAll(shape.requiredByComplement, shape, keys)) return null;
  const more = closed ? listMoreKeys(keys, place) : noMoreKeys;
  const declared = createEntries(new Set([...more.keys(), ...keys]), shape, scope, more);
  if (declared === null) return null;
  const required = declared.filter((entry) => entry.required).length;
  if (shape.maxProperties !== null && required > shape.maxProperties) return null;
  const full = shape.maxProperties === required;
  const undeclared = full ? noExtras : createExtras(shape, keys, closed, pointer, scope);
  const { extras, finite } = separateFinite(undeclared.extras, shape, scope);
  const entries = [...declared, ...finite];
  const { checks } = undeclared;
  if (extras.length === 0 && entries.length < shape.minProperties) return null;
  const clauses = undecidedClauses(shape.clauses, entries);
  if (clauses === null) return null;
  const repeats = extras.length > 0 && shape.minProperties > required + 1;
  return {
    entries,
    extras,
    minProperties: shape.minProperties <= required ? 0 : shape.minProperties,
    maxProperties:
      extras.length === 0 && entries.length <= (shape.maxProperties ?? Infinity) ? null : shape.maxProperties,
    clauses,
    checks: mergeChecks(
      mergeChecks(shape.checks, checks),
      repeats ? [{ keyword: "minProperties", pointer }] : [],
    ),
  };
}

type MoreKeys = ObjectPlace["moreKeys"];

const noMoreKeys: MoreKeys = new Map();

/** Returns the keys that closing does not exclude and that the schema does not declare itself, with their values. */
function listMoreKeys(keys: ReadonlySet<string>, { moreKeys }: ObjectPlace): MoreKeys {
  return new Map([...moreKeys].filter(([key]) => !keys.has(key)));
}

/** Returns the entries of these keys, or null if a required one is impossible. */
function createEntries(
  keys: ReadonlySet<string>,
  shape: ObjectShape,
  scope: GrammarScope,
  moreKeys: MoreKeys,
): readonly Entry[] | null {
  const entries: Entry[] = [];
  for (const key of keys) {
    spend(stepsOfKey);
    const declared = memberTerm(shape, key, scope);
    const more = moreKeys.get(key);
    const term = more === undefined ? declared : scope.terms.all([declared, more]);
    const required = shape.required.has(key) || shape.requiredByComplement.has(key);
    const allowed = shape.names.every((names) => scope.isValid(names.term, key)) && !scope.isNever(term);
    if (allowed) entries.push({ key, term, required });
    else if (required) return null;
  }
  return entries;
}

/**
 * Separates the undeclared keys of which there are few: as entries they cannot repeat, and are counted
 * exactly. They follow the order in which `propertyNames` or the patterns list them.
 */
function separateFinite(
  undeclared: readonly Extra[],
  shape: ObjectShape,
  scope: GrammarScope,
): { readonly extras: readonly Extra[]; readonly finite: readonly Entry[] } {
  const extras: Extra[] = [];
  const finite: Entry[] = [];
  for (const extra of undeclared) {
    const names = listTexts(extra.names, finiteNamesMax - finite.length);
    if (names === null) extras.push(extra);
    else finite.push(...names.map((key) => ({ key, term: extra.term, required: false })));
  }
  const listed = shape.names.flatMap(({ term }) => scope.language(term).values);
  const position = new Map<unknown, number>(listed.map((value, index) => [value, index]));
  const at = ({ key }: Entry): number => position.get(key) ?? listed.length;
  return { extras, finite: inOrderOfPatterns(finite, shape).toSorted((a, b) => at(a) - at(b)) };
}

/** What separates the alternatives of a pattern. */
const separators = /\(\?:|[|()^$]/;

/**
 * Returns the keys in the order in which the patterns list them, such as `^(windows|macos)$`; unchanged if a key is no whole alternative
 * of a pattern.
 */
function inOrderOfPatterns(entries: readonly Entry[], { members, names }: ObjectShape): readonly Entry[] {
  const patterns = [
    ...members.flatMap((one) => one.patterns.map(({ source }) => source)),
    ...names.flatMap(({ term }) => term.literals.flatMap(({ node }) => node.pattern ?? [])),
  ];
  const listed = [...new Set(patterns.flatMap((pattern) => pattern.split(separators)))];
  const position = new Map<unknown, number>(listed.map((text, index) => [text, index]));
  const at = ({ key }: Entry): number => position.get(key) ?? -1;
  return entries.every((entry) => at(entry) >= 0) ? entries.toSorted((a, b) => at(a) - at(b)) : entries;
}

const noExtras: { readonly extras: readonly Extra[]; readonly checks: readonly Check[] } = {
  extras: [],
  checks: [],
};

/**
 * Returns whether the object is closed as in the hosted service: declared keys without additionalProperties
 * allow no other keys. So does an empty `properties`, unless the object must have a key.
 */
function closedByAbsence({ members, minProperties }: ObjectShape, scope: GrammarScope): boolean {
  if (!scope.closesObjects || members.some((one) => one.additional !== null)) return false;
  const declaring = members.filter(({ declares }) => declares);
  const hasKeys = declaring.some(({ properties, patterns }) => properties.size + patterns.length > 0);
  return hasKeys || (declaring.length > 0 && minProperties === 0);
}

/**
 * Returns the keys that get a position of their own, in order. Required keys count as declared. A closed object can have one that is
 * only restricted where a declared pattern allows it.
 */
function listKeys(shape: ObjectShape, closed: boolean): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const { properties, declares } of shape.members)
    if (declares) for (const key of properties.keys()) keys.add(key);
  for (const key of shape.required) keys.add(key);
  for (const { present } of shape.clauses) for (const key of present) keys.add(key);
  const isPossible = (key: string): boolean => !closed || matchesDeclared(shape, key);
  for (const { properties } of shape.members)
    for (const key of properties.keys()) if (isPossible(key)) keys.add(key);
  if (!closed) for (const key of shape.requiredByComplement) keys.add(key);
  for (const { absent } of shape.clauses) for (const key of absent) if (isPossible(key)) keys.add(key);
  return keys;
}

/** Returns whether a declared pattern matches a key. */
function matchesDeclared({ members }: ObjectShape, key: string): boolean {
  return members.some(
    ({ declares, patterns }) => declares && patterns.some(({ automaton }) => accepts(automaton, key)),
  );
}

function declaresAll(needed: ReadonlySet<string>, shape: ObjectShape, keys: ReadonlySet<string>): boolean {
  for (const key of needed) {
    if (keys.has(key)) continue;
    if (!matchesDeclared(shape, key)) return false;
    (keys as Set<string>).add(key);
  }
  return true;
}

function createExtras(
  shape: ObjectShape,
  keys: ReadonlySet<string>,
  closed: boolean,
  pointer: string,
  scope: GrammarScope,
): { readonly extras: readonly Extra[]; readonly checks: readonly Check[] } {
  const checks: Check[] = [];
  const attempt = (automaton: Automaton, narrower: () => Automaton, at: Check): Automaton => {
    try {
      return narrower();
    } catch (thrown) {
      if (!(thrown instanceof AutomatonTooLarge)) throw thrown;
      checks.push(at);
      return automaton;
    }
  };
  let names = closed ? declaredPatterns(shape.members) : everyString;
  if (isEmpty(names)) return noExtras;
  for (const { term, at } of shape.names) {
    const { strings, values } = scope.language(term);
    for (const string of strings) checks.push(...string.checks);
    const allowed = values.filter((value) => typeof value === "string");
    names = attempt(names, () => intersect(names, uniteStrings(strings, allowed)), at);
  }
  const declared = { keyword: "additionalProperties", pointer };
  names = attempt(names, () => scope.withoutTexts(names, keys), declared);
  const extras = partitionByPatterns(names, shape.members, scope);
  if (extras !== null) return { extras, checks };
  return {
    extras: [{ names, term: anyTerm }],
    checks: mergeChecks(checks, [{ keyword: "patternProperties", pointer }]),
  };
}

function declaredPatterns(members: readonly Members[]): Automaton {
  let all = noString;
  for (const { patterns, declares } of members)
    if (declares) for (const { automaton } of patterns) all = union(all, automaton);
  return all;
}

/**
 * Partitions the undeclared keys by the terms of their values. Returns null if there are too many classes.
 */
function partitionByPatterns(
  names: Automaton,
  members: readonly Members[],
  scope: GrammarScope,
): readonly Extra[] | null {
  let current: readonly Extra[] = [{ names, term: anyTerm }];
  try {
    for (const { patterns, additional } of members) {
      let rest = current;
      const matched: Extra[] = [];
      let named = [...rest].map((extra) => ({ ...extra, matched: false }));
      for (const { automaton, term } of patterns) {
        named = named.flatMap((extra) => [
          {
            names: intersect(extra.names, automaton),
            term: scope.terms.all([extra.term, term]),
            matched: true,
          },
          { ...extra, names: difference(extra.names, automaton) },
        ]);
        named = named.filter((extra) => !isEmpty(extra.names));
        spend(named.length);
        if (named.length > partitionsMax) return null;
      }
      for (const extra of named) if (extra.matched) matched.push(extra);
      rest = named.filter((extra) => !extra.matched);
      if (additional !== null)
        rest = rest.map((extra) => ({ ...extra, term: scope.terms.all([extra.term, additional]) }));
      current = [...matched, ...rest].filter((extra) => !extra.term.never);
    }
    return mergeEqualTerms(current.filter((extra) => !isEmpty(extra.names) && !scope.isNever(extra.term)));
  } catch (thrown) {
    if (thrown instanceof AutomatonTooLarge) return null;
    throw thrown;
  }
}

/** Merges classes with the same term. */
function mergeEqualTerms(extras: readonly Extra[]): readonly Extra[] {
  const byTerm = new Map<string, Extra>();
  for (const { names, term } of extras) {
    const known = byTerm.get(term.key);
    byTerm.set(term.key, { term, names: known === undefined ? names : union(known.names, names) });
  }
  return [...byTerm.values()];
}

/** Returns the clauses that the possible keys do not decide yet, or null if a clause is unsatisfiable. */
function undecidedClauses(clauses: readonly Clause[], entries: readonly Entry[]): readonly Clause[] | null {
  const open: Clause[] = [];
  const known = new Map<unknown, Entry>(entries.map((entry) => [entry.key, entry]));
  for (const { present, absent, at } of clauses) {
    if (present.some((key) => known.get(key)?.required === true)) continue;
    if (absent.some((key) => !known.has(key))) continue;
    const left = {
      present: present.filter((key) => known.has(key)),
      absent: absent.filter((key) => known.get(key)?.required !== true),
      at,
    };
    if (left.present.length + left.absent.length === 0) return null;
    open.push(left);
  }
  return open;
}
