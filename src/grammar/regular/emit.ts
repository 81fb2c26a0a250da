/**
 * Emits automata as right-linear GBNF rules, one per state. Each alternative begins with a terminal; the
 * widest comes last, because the engine tries that one first. Texts are emitted as they are, or as JSON
 * string literals with the minimal escapes.
 */
import type { RuleSet } from "../gbnf.js";
import { type Automaton, lengthBounds, withLengths } from "./automaton.js";
import { characterClass, escapeRest, jsonForms } from "./classes.js";
import type { Ranges } from "./ranges.js";
import { emitStates } from "./states.js";

/**
 * The texts of an automaton whose length is in these bounds. The bounds are separate because the grammar
 * counts long repetitions instead of adding states.
 */
interface StringLanguage {
  readonly automaton: Automaton;
  readonly minLength: number;
  readonly maxLength: number | null;
}

/** @returns the name of a rule that matches exactly these texts @throws GrammarTooLarge */
export function emitRaw(automaton: Automaton, rules: RuleSet): string {
  return rules.memoized(automaton, "raw", () => emitStates(automaton, "raw", rules));
}

/**
 * @returns the name of a rule for the JSON string literals whose value is in the language @throws
 * GrammarTooLarge, AutomatonTooLarge
 */
export function emitString(language: StringLanguage, rules: RuleSet): string {
  const { automaton, minLength, maxLength } = language;
  const form = `string ${minLength} ${maxLength ?? ""}`;
  return rules.memoized(automaton, form, () => {
    const bounds = lengthBounds(automaton);
    const longEnough = bounds.min >= minLength;
    const shortEnough = maxLength === null || (bounds.max !== null && bounds.max <= maxLength);
    if (longEnough && shortEnough) return emitQuoted(automaton, rules);
    const set = repeatedSet(automaton);
    if (set === null) return emitQuoted(withLengths(automaton, minLength, maxLength), rules);
    return rules.add(`"\\"" ${repeat(jsonCharacter(set, rules), minLength, maxLength, rules)} "\\""`);
  });
}

function emitQuoted(automaton: Automaton, rules: RuleSet): string {
  return rules.memoized(automaton, "quoted", () => {
    const content = emitStates(automaton, "json", rules);
    return rules.add(`"\\"" ${content}`);
  });
}

/** Returns the character set whose repetition is the language, or null if the language has another form. */
function repeatedSet(automaton: Automaton): Ranges | null {
  if (automaton.stateCount !== 1 || automaton.finals[0] !== 1) return null;
  const set: number[] = [];
  for (const [i, low] of automaton.lows.entries()) set.push(low, automaton.highs[i] ?? low);
  return set;
}

/** Returns the rule for one character of the set, as a JSON string writes it. */
function jsonCharacter(set: Ranges, rules: RuleSet): string {
  const forms = jsonForms(set);
  const alternatives: string[] = [];
  if (forms.letters.length + forms.codes.length > 0) {
    alternatives.push(`"\\\\" ${escapeRest(forms.letters, forms.codes, rules)}`);
  }
  if (forms.raw.length > 0) alternatives.push(characterClass(forms.raw, rules));
  return rules.add(alternatives.join(" | "));
}

/** The number of copies written as `{m,n}`; llama.cpp silently drops a bound above 2,000. */
const blockLength = 500;

/**
 * Returns a rule for `min` to `max` copies of `rule`; null means no limit. Larger numbers are counted in
 * blocks: some whole blocks and a partial one, `x ::= partial | block x'`, which keeps at most one additional
 * alternative open per level of blocks.
 * @throws GrammarTooLarge
 */
export function repeat(rule: string, min: number, max: number | null, rules: RuleSet): string {
  if (max === null && min === 0) return rules.add(`${rule}*`);
  const parts = required(rule, min, rules);
  if (max === null) parts.push(`${rule}*`);
  else if (max > min) parts.push(optional(rule, max - min, rules));
  return rules.add(parts.length === 0 ? '""' : parts.join(" "));
}

/** Returns exactly `count` copies, as the elements of a sequence. */
function required(rule: string, count: number, rules: RuleSet): string[] {
  if (count === 0) return [];
  if (count <= blockLength) return [count === 1 ? rule : `${rule}{${count}}`];
  const block = rules.add(`${rule}{${blockLength}}`);
  return [
    ...required(block, Math.floor(count / blockLength), rules),
    ...required(rule, count % blockLength, rules),
  ];
}

/** Returns 0 to `count` copies, as one element. */
function optional(rule: string, count: number, rules: RuleSet): string {
  if (count === 1) return `${rule}?`;
  if (count <= blockLength) return `${rule}{0,${count}}`;
  let size = blockLength;
  while (size * blockLength <= count) size *= blockLength;
  const block = rules.add(required(rule, size, rules).join(" "));
  const begun = rules.toName(optional(rule, size - 1, rules));
  let rest = count % size === 0 ? '""' : optional(rule, count % size, rules);
  for (let blocks = Math.floor(count / size); blocks > 0; blocks--) {
    rest = rules.add(`${begun} | ${block}${rest === '""' ? "" : ` ${rest}`}`);
  }
  return rest;
}
