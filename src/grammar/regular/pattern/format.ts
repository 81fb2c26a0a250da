/**
 * The formats of JSON Schema that are enforced, each (but for those that nest) as one automaton that generates and judges. Any other name is an
 * annotation. Each is what its standard says or a little less, where less is much smaller: leap seconds stand at the end of a
 * day in UTC alone, an address has no quoted part, a host name few long labels.
 */
import { accepts, type Automaton, concat } from "../automaton.js";
import { formatSources, mailbox } from "./format-sources.js";
import { hostnames } from "./hostname.js";
import { isPattern, patternAutomaton } from "./pattern.js";

const makers = new Map<string, () => Automaton>([
  ...Array.from(formatSources, ([name, source]) => [name, () => wholeText(source)] as const),
  ["hostname", () => hostnames(1)],
  ["email", () => concat(patternAutomaton(`^${mailbox}$`).automaton, hostnames(2))],
]);

/** Formats that no automaton says, since they nest: a judge alone. */
const judges = new Map<string, (text: string) => boolean>([["regex", isPattern]]);

/** The formats that are enforced. */
export const formatNames: ReadonlySet<string> = new Set([...makers.keys(), ...judges.keys()]);

/** Whether formatAutomaton says the format; else formatValid alone does. */
export function isRegularFormat(name: string): boolean {
  return makers.has(name);
}

const made = new Map<string, Automaton>();

/** The texts of a format, made at its first use. @throws RangeError for a name that is no regular format */
export function formatAutomaton(name: string): Automaton {
  const known = made.get(name);
  if (known !== undefined) return known;
  const make = makers.get(name);
  if (make === undefined) throw new RangeError(`the format ${name} is not known`);
  const automaton = make();
  made.set(name, automaton);
  return automaton;
}

/** Whether the text is in the automaton of the format, or what its judge says. */
export function formatValid(name: string, text: string): boolean {
  const judge = judges.get(name);
  return judge === undefined ? accepts(formatAutomaton(name), text) : judge(text);
}

function wholeText(source: string): Automaton {
  return patternAutomaton(`^(?:${source})$`).automaton;
}
