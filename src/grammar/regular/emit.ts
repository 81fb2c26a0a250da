/**
 * Automata as GBNF rules: one right-linear rule a state, few alternatives, each beginning with a terminal, the widest last
 * (the engine tries that one first). Texts stand there as they are, or as JSON string literals with the escapes that JSON
 * needs and no others. Nothing here decides what a language is.
 */
import { type RuleBook } from "../gbnf.js";
import { type Automaton, intersect, lengthBetween, lengthBounds } from "./automaton.js";
import { characterClass, escapeRest, jsonForms } from "./classes.js";
import { type Ranges } from "./ranges.js";
import { repeat } from "./repeat.js";
import { emitStates } from "./states.js";

export { repeat };

/** The texts of an automaton that have this many characters; apart, for a long limit is counted and not made of states. */
export interface StringLanguage {
  readonly automaton: Automaton;
  readonly minLength: number;
  readonly maxLength: number | null;
}

/** @returns a rule for exactly these texts as they are @throws GrammarTooLarge */
export function emitRaw(automaton: Automaton, rules: RuleBook): string {
  return rules.once(automaton, "raw", () => emitStates(automaton, "raw", rules));
}

/** @returns a rule for the JSON string literals whose value is in the language @throws GrammarTooLarge, AutomatonTooLarge */
export function emitString(language: StringLanguage, rules: RuleBook): string {
  const { automaton, minLength, maxLength } = language;
  const form = `string ${minLength} ${maxLength ?? ""}`;
  return rules.once(automaton, form, () => {
    const bounds = lengthBounds(automaton);
    const longEnough = bounds.min >= minLength;
    const shortEnough = maxLength === null || (bounds.max !== null && bounds.max <= maxLength);
    if (longEnough && shortEnough) return quoted(automaton, rules);
    const set = repeatedSet(automaton);
    if (set === null) return quoted(intersect(automaton, lengthBetween(minLength, maxLength)), rules);
    return rules.add(`"\\"" ${repeat(jsonCharacter(set, rules), minLength, maxLength, rules)} "\\""`);
  });
}

function quoted(automaton: Automaton, rules: RuleBook): string {
  return rules.once(automaton, "quoted", () => {
    const content = emitStates(automaton, "json", rules);
    return rules.add(`"\\"" ${content}`);
  });
}

/** The set whose characters, any number of them, are the language; null where it is not of that kind. */
function repeatedSet(automaton: Automaton): Ranges | null {
  if (automaton.stateCount !== 1 || automaton.finals[0] !== 1) return null;
  const set: number[] = [];
  for (const [i, low] of automaton.lows.entries()) set.push(low, automaton.highs[i] ?? low);
  return set;
}

/** A rule for one character of the set as a JSON string writes it. */
function jsonCharacter(set: Ranges, rules: RuleBook): string {
  const forms = jsonForms(set);
  const alternatives: string[] = [];
  if (forms.letters.length + forms.codes.length > 0) {
    alternatives.push(`"\\\\" ${escapeRest(forms.letters, forms.codes, rules)}`);
  }
  if (forms.raw.length > 0) alternatives.push(characterClass(forms.raw, rules));
  return rules.add(alternatives.join(" | "));
}
