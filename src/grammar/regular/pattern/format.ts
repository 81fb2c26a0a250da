/**
 * The formats of JSON Schema that are enforced. Except for nested languages, each is one automaton, used for
 * validation and, with numbers of bounded length, for generation. Any other format is an annotation, except
 * for the ones that the standard defines and that are refused. Each automaton is the language of its
 * standard, or a slightly smaller one where that is much simpler: leap seconds only at the end of a UTC day,
 * no quoted local part in an email address, few long labels in a host name.
 */
import { accepts, type Automaton, concat } from "../automaton.js";
import { explore } from "../explore.js";
import { formatSources, generatedSources, mailbox } from "./format-sources.js";
import { uncounted } from "../../work.js";
import { isRegularExpression, patternAutomaton } from "./pattern.js";

/**
 * The length of a host name is counted in units instead of characters: a label takes one unit per 32
 * characters begun, its dot included.
 */
const labelMax = 63;
const unitLength = 32;
const unitsMax = 7;

const makers = new Map<string, () => Automaton>([
  ...Array.from(formatSources, ([name, source]) => [name, () => wholeText(source)] as const),
  ["hostname", () => hostnames(1)],
  ["email", () => concat(patternAutomaton(`^${mailbox}$`).automaton, hostnames(2))],
]);

/** Formats that are not regular because they nest; they are only validated. */
const validators = new Map<string, (text: string) => boolean>([["regex", isRegularExpression]]);

/** The names of all enforced formats. */
export const formatNames: ReadonlySet<string> = new Set([...makers.keys(), ...validators.keys()]);

/** Formats of the standard that are not enforced: they need the tables of internationalised host names. */
export const refusedFormats: ReadonlyMap<string, string> = new Map([
  ["idn-hostname", "hostname"],
  ["idn-email", "email"],
]);

/** Returns whether the format has an automaton; otherwise only formatValid checks it. */
export function isRegularFormat(name: string): boolean {
  return makers.has(name);
}

const generated = new Map(
  Array.from(generatedSources, ([name, source]) => [name, lazily(() => wholeText(source))] as const),
);

/**
 * Returns the automaton of the texts that are generated for a format: the texts of the format, with numbers of at
 * most nine digits. @throws RangeError for a format that is not regular
 */
export function generatedFormat(name: string): Automaton {
  return generated.get(name)?.() ?? formatAutomaton(name);
}

const automata = new Map<string, Automaton>();

/**
 * Returns the automaton of a format, built at its first use. @throws RangeError for a format that is not
 * regular
 */
export function formatAutomaton(name: string): Automaton {
  const known = automata.get(name);
  if (known !== undefined) return known;
  const make = makers.get(name);
  if (make === undefined) throw new RangeError(`the format ${name} is not known`);
  const automaton = uncounted(make);
  automata.set(name, automaton);
  return automaton;
}

/** Returns whether a text is valid for a format. */
export function formatValid(name: string, text: string): boolean {
  const validator = validators.get(name);
  return validator === undefined ? accepts(formatAutomaton(name), text) : validator(text);
}

function lazily<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}

function wholeText(source: string): Automaton {
  return patternAutomaton(`^(?:${source})$`).automaton;
}

interface State {
  /** Units begun so far, including the units of this label. */
  readonly units: number;
  /** Characters of this label so far. */
  readonly length: number;
  readonly endsInDash: boolean;
  readonly labels: number;
}

/**
 * Returns the automaton of RFC 1123 host names with at least this number of labels, without a trailing dot.
 * The units keep names within 253 characters: every name of 7 labels of up to 31 characters is included; a
 * longer label replaces two.
 */
function hostnames(labelsMin: number): Automaton {
  const start: State = { units: 1, length: 0, endsInDash: false, labels: 1 };
  return explore(start, {
    key: ({ units, length, endsInDash, labels }) =>
      `${units} ${length} ${endsInDash} ${Math.min(labels, labelsMin)}`,
    isFinal: ({ length, endsInDash, labels }) => length > 0 && !endsInDash && labels >= labelsMin,
    steps: (state) => {
      const found: (readonly [string, string, State])[] = [];
      const longer = afterCharacter(state);
      if (longer !== null) {
        for (const [from, to] of ["09", "AZ", "az"]) found.push([from ?? "", to ?? "", longer]);
        if (state.length > 0) found.push(["-", "-", { ...longer, endsInDash: true }]);
      }
      if (state.length > 0 && !state.endsInDash && state.units < unitsMax) {
        const { units, labels } = state;
        found.push([".", ".", { units: units + 1, length: 0, endsInDash: false, labels: labels + 1 }]);
      }
      return found;
    },
  });
}

/** Returns the state after one more letter or digit, or null if the limits are reached. */
function afterCharacter(state: State): State | null {
  const length = state.length + 1;
  if (length > labelMax) return null;
  const begins = length % unitLength === 0;
  if (begins && state.units >= unitsMax) return null;
  return { ...state, length, units: state.units + (begins ? 1 : 0), endsInDash: false };
}
