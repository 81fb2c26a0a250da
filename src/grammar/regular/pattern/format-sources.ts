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

/** RFC 3339; a leap second only as the last second of a UTC day. */
const minute = "[0-5][0-9]";
const hour = "(?:[01][0-9]|2[0-3])";
const fraction = "(?:\\.[0-9]+)?";
const offset = `(?:[Zz]|[+-]${hour}:${minute})`;
const time = `${hour}:${minute}:${minute}${fraction}${offset}|23:59:60${fraction}(?:[Zz]|[+-]00:00)`;

/** RFC 3339 appendix A: no unit is skipped between two others. */
const count = "[0-9]+";
const days = `${count}D`;
const months = `${count}M(?:${days})?`;
const years = `${count}Y(?:${months})?`;
const seconds = `${count}S`;
const minutes = `${count}M(?:${seconds})?`;
const hours = `${count}H(?:${minutes})?`;
const clock = `T(?:${hours}|${minutes}|${seconds})`;
const duration = `P(?:${count}W|(?:${years}|${months}|${days})(?:${clock})?|${clock})`;

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

/** RFC 3986 appendix A. */
const encoded = `%${hex}{2}`;
const unreserved = "A-Za-z0-9._~\\-";
const delimiters = "!$&'()*+,;=";
const pathCharacter = `(?:[${unreserved}${delimiters}:@]|${encoded})`;
const host = `(?:\\[(?:${ipv6}|[Vv]${hex}+\\.[${unreserved}${delimiters}:]+)\\]|(?:[${unreserved}${delimiters}]|${encoded})*)`;
const authority = `(?:(?:[${unreserved}${delimiters}:]|${encoded})*@)?${host}(?::[0-9]*)?`;
const segments = `(?:/${pathCharacter}*)*`;
const rooted = `/(?:${pathCharacter}+${segments})?`;
const tail = `(?:\\?(?:${pathCharacter}|[/?])*)?(?:#(?:${pathCharacter}|[/?])*)?`;
const hierarchy = `(?://${authority}${segments}|${rooted}|${pathCharacter}+${segments})`;
const scheme = "[A-Za-z][A-Za-z0-9+.-]*";
const firstWithoutColon = `(?:[${unreserved}${delimiters}@]|${encoded})+`;
const relative = `(?://${authority}${segments}|${rooted}|${firstWithoutColon}${segments})?`;

/** RFC 6570. */
const variable = `(?:[A-Za-z0-9_]|${encoded})(?:\\.?(?:[A-Za-z0-9_]|${encoded}))*(?::[1-9][0-9]{0,3}|\\*)?`;
const outside = `[^\\u0000- "%<>\\\\^\`{|}\\u007f]`;

/** RFC 6901. */
const pointer = "(?:/(?:[^~/]|~[01])*)*";

/** RFC 5321 and 5322: a dot-atom of at most 64 characters. */
const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]";

/** The local part of an address, with the @. */
export const mailbox = `(?=[^@]{1,64}@)${atom}+(?:\\.${atom}+)*@`;

export const formatSources: ReadonlyMap<string, string> = new Map([
  ["date", date],
  ["time", time],
  ["date-time", `(?:${date})[Tt](?:${time})`],
  ["duration", duration],
  ["ipv4", ipv4],
  ["ipv6", ipv6],
  ["uuid", `${hex}{8}(?:-${hex}{4}){3}-${hex}{12}`],
  ["uri", `${scheme}:${hierarchy}${tail}`],
  ["uri-reference", `(?:${scheme}:${hierarchy}|${relative})${tail}`],
  ["uri-template", `(?:${outside}|${encoded}|\\{[+#./;?&=,!@|]?${variable}(?:,${variable})*\\})*`],
  ["json-pointer", pointer],
  ["relative-json-pointer", `(?:0|[1-9][0-9]*)(?:#|${pointer})`],
]);
