/**
 * The formats of JSON Schema that are enforced. Except for nested languages, each is one automaton, used for
 * validation and, with numbers of bounded length, for generation. Any other format is an annotation, except
 * for the ones that the standard defines and that are refused. Each automaton is the language of its
 * standard, or a slightly smaller one where that is much simpler: leap seconds only at the end of a UTC day,
 * no quoted local part in an email address, few long labels in a host name.
 */
import { accepts, type Automaton, concat } from "../automaton.js";
import { formatSources, generatedSources, mailbox } from "./format-sources.js";
import { hostnames } from "./hostname.js";
import { uncounted } from "../../work.js";
import { isPattern, patternAutomaton } from "./pattern.js";

const makers = new Map<string, () => Automaton>([
  ...Array.from(formatSources, ([name, source]) => [name, () => wholeText(source)] as const),
  ["hostname", () => hostnames(1)],
  ["email", () => concat(patternAutomaton(`^${mailbox}$`).automaton, hostnames(2))],
]);

/** Formats that are not regular because they nest; they are only validated. */
const validators = new Map<string, (text: string) => boolean>([["regex", isPattern]]);

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
 * Returns the automaton of the texts that are generated for a format: those of the format, with numbers of at
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
