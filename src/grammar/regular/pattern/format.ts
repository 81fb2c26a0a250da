/**
 * The formats of JSON Schema that are enforced. Except for nested languages, each is one automaton, used for
 * validation and, with numbers of bounded length, for generation. Any other format is an annotation, except
 * for the ones that the standard defines and that are refused. Each automaton is the language of its
 * standard, or a slightly smaller one where that is much simpler: leap seconds only at the end of a UTC day,
 * no quoted local part in an email address, few long labels in a host name.
 */
import { accepts, type Automaton, concat } from "../automaton.js";
import { explore } from "../explore.js";
import { uncounted } from "../../work.js";
import { isRegularExpression, patternAutomaton } from "./pattern.js";

/**
 * Formats as regular expressions over the whole text, from the grammars of their standards. Both cases of
 * letters are listed.
 */

const hex = "[0-9A-Fa-f]";

/** RFC 3339, only dates that exist in the calendar. */
const leapYear = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)";
const day = "(?:0[1-9]|1[0-9]|2[0-8])";
const date = [
  `[0-9]{4}-(?:(?:0[1-9]|1[0-2])-${day}|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)`,
  `${leapYear}-02-29`,
].join("|");

/** RFC 3339; a leap second only as the last second of a UTC day. @param digits of a fraction of a second */
function writeTime(digits: string): string {
  const minute = "[0-5][0-9]";
  const hour = "(?:[01][0-9]|2[0-3])";
  const fraction = `(?:\\.${digits})?`;
  const offset = `(?:[Zz]|[+-]${hour}:${minute})`;
  return `${hour}:${minute}:${minute}${fraction}${offset}|23:59:60${fraction}(?:[Zz]|[+-]00:00)`;
}

/** RFC 3339 appendix A: no unit is skipped between two others. @param count the digits of one unit */
function writeDuration(count: string): string {
  const days = `${count}D`;
  const months = `${count}M(?:${days})?`;
  const years = `${count}Y(?:${months})?`;
  const seconds = `${count}S`;
  const minutes = `${count}M(?:${seconds})?`;
  const hours = `${count}H(?:${minutes})?`;
  const clock = `T(?:${hours}|${minutes}|${seconds})`;
  return `P(?:${count}W|(?:${years}|${months}|${days})(?:${clock})?|${clock})`;
}

const byte = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const ipv4 = `(?:${byte}\\.){3}${byte}`;

/**
 * RFC 4291 section 2.2: eight groups, the last two optionally as IPv4, with at most one run of zeros omitted.
 */
const group = `${hex}{1,4}`;
const lastTwo = `(?:${group}:${group}|${ipv4})`;
const ipv6 = [
  `(?:${group}:){6}${lastTwo}`,
  ...[0, 1, 2, 3, 4, 5].map(
    (before) =>
      `${before === 0 ? "" : `(?:${group}(?::${group}){0,${before - 1}})?`}::(?:${group}:){${5 - before}}${lastTwo}`,
  ),
  `(?:${group}(?::${group}){0,5})?::${group}`,
  `(?:${group}(?::${group}){0,6})?::`,
].join("|");

const encoded = `%${hex}{2}`;
const ascii = "A-Za-z0-9._~\\-";

/** The characters that RFC 3987 adds everywhere, and those that it adds to queries. */
const planes = "123456789ABCDE".split("");
const international = `\\u00A0-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFEF${planes
  .map((plane) => `\\u{${plane}${plane === "E" ? "1" : "0"}000}-\\u{${plane}FFFD}`)
  .join("")}`;
const privateUse = "\\uE000-\\uF8FF\\u{F0000}-\\u{FFFFD}\\u{100000}-\\u{10FFFD}";

/**
 * RFC 3986 appendix A, and with more characters RFC 3987 section 2.2.
 * @param more characters beyond ASCII. @param moreInQuery further ones in a query.
 */
function identifiers(
  more: string,
  moreInQuery: string,
): { readonly absolute: string; readonly reference: string } {
  const unreserved = `${ascii}${more}`;
  const delimiters = "!$&'()*+,;=";
  const pathCharacter = `(?:[${unreserved}${delimiters}:@]|${encoded})`;
  const literal = `\\[(?:${ipv6}|[Vv]${hex}+\\.[${ascii}${delimiters}:]+)\\]`;
  const host = `(?:${literal}|(?:[${unreserved}${delimiters}]|${encoded})*)`;
  const authority = `(?:(?:[${unreserved}${delimiters}:]|${encoded})*@)?${host}(?::[0-9]*)?`;
  const segments = `(?:/${pathCharacter}*)*`;
  const rooted = `/(?:${pathCharacter}+${segments})?`;
  const query = `\\?(?:${pathCharacter}|[/?${moreInQuery}])*`;
  const tail = `(?:${query})?(?:#(?:${pathCharacter}|[/?])*)?`;
  const hierarchy = `(?://${authority}${segments}|${rooted}|${pathCharacter}+${segments})`;
  const scheme = "[A-Za-z][A-Za-z0-9+.-]*";
  const firstWithoutColon = `(?:[${unreserved}${delimiters}@]|${encoded})+`;
  const relative = `(?://${authority}${segments}|${rooted}|${firstWithoutColon}${segments})?`;
  const whole = `${scheme}:${hierarchy}`;
  return { absolute: `${whole}${tail}`, reference: `(?:${whole}|${relative})${tail}` };
}

const uri = identifiers("", "");
const iri = identifiers(international, privateUse);

/** RFC 6570. */
const variable = `(?:[A-Za-z0-9_]|${encoded})(?:\\.?(?:[A-Za-z0-9_]|${encoded}))*(?::[1-9][0-9]{0,3}|\\*)?`;
const outside = `[^\\u0000- "%<>\\\\^\`{|}\\u007f]`;

/** RFC 6901. */
const pointer = "(?:/(?:[^~/]|~[01])*)*";

/** RFC 5321 and 5322: a dot-atom of at most 64 characters. */
const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]";

/** The local part of an address, with the @. */
const mailbox = `(?=[^@]{1,64}@)${atom}+(?:\\.${atom}+)*@`;

/** The formats whose numbers may have any length, by the digits that one may have. */
function unboundedSources(digits: string, day = date): readonly (readonly [string, string])[] {
  return [
    ["time", writeTime(digits)],
    ["date-time", `(?:${day})[Tt](?:${writeTime(digits)})`],
    ["duration", writeDuration(digits)],
  ];
}

/** No calendar has a year 0. */
const existingDate = `(?!0000)(?:${date})`;

/** What is generated instead of a format, so that a model cannot write digits forever. */
const generatedSources: ReadonlyMap<string, string> = new Map([
  ["date", existingDate],
  ...unboundedSources("[0-9]{1,9}", existingDate),
]);

const formatSources: ReadonlyMap<string, string> = new Map([
  ["date", date],
  ...unboundedSources("[0-9]+"),
  ["ipv4", ipv4],
  ["ipv6", ipv6],
  ["uuid", `${hex}{8}(?:-${hex}{4}){3}-${hex}{12}`],
  ["uri", uri.absolute],
  ["uri-reference", uri.reference],
  ["iri", iri.absolute],
  ["iri-reference", iri.reference],
  ["uri-template", `(?:${outside}|${encoded}|\\{[+#./;?&=,!@|]?${variable}(?:,${variable})*\\})*`],
  ["json-pointer", pointer],
  ["relative-json-pointer", `(?:0|[1-9][0-9]*)(?:#|${pointer})`],
]);

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
