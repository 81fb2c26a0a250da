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
export const mailbox = `(?=[^@]{1,64}@)${atom}+(?:\\.${atom}+)*@`;

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
export const generatedSources: ReadonlyMap<string, string> = new Map([
  ["date", existingDate],
  ...unboundedSources("[0-9]{1,9}", existingDate),
]);

export const formatSources: ReadonlyMap<string, string> = new Map([
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
