/**
 * Emits automata as right-linear GBNF rules, one per state. Each alternative begins with a terminal; the
 * widest comes last, because the engine tries that one first. Texts are emitted as they are, or as JSON
 * string literals with the minimal escapes.
 */
import { type RuleSet } from "../gbnf.js";
import { type Automaton, lengthBounds, withLengths } from "./automaton.js";
import { characterClass, escapeRest, jsonForms } from "./classes.js";
import { type Ranges } from "./ranges.js";
import { repeat } from "./repeat.js";
import { emitStates } from "./states.js";

export { repeat };

/**
 * The texts of an automaton whose length is in these bounds. The bounds are separate because the grammar
 * counts long repetitions instead of adding states.
 */
export interface StringLanguage {
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
