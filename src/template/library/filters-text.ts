/** Filters for texts. */
import { optionalText, textArgument } from "../values/arguments.js";
import type { Runtime } from "../values/runtime.js";
import { toText } from "../values/text.js";
import { Dictionary, toInteger, isTruthy, lengthOfText, toNumber, type Value } from "../values/values.js";
import { capitalized } from "./characters.js";
import { filter, type Given, type NamedFilter } from "./filter.js";
import { formatted } from "./format.js";
import { textMethods } from "./methods-text.js";
import { replaceText } from "./replace.js";
import { lines, stripped } from "./split.js";

/** A filter of the text that a value prints as. */
function ofText(
  name: string,
  parameters: readonly string[],
  body: (text: string, given: Given, runtime: Runtime) => Value,
): NamedFilter {
  return filter(name, parameters, (runtime, value, given) => {
    const text = toText(value, runtime.meter);
    runtime.meter.countReading(text);
    return body(text, given, runtime);
  });
}

export const textFilters: readonly NamedFilter[] = [
  ofText("upper", [], (text) => text.toUpperCase()),
  ofText("lower", [], (text) => text.toLowerCase()),
  ofText("capitalize", [], (text) => capitalized(text)),
  ofText("title", [], (text) => text.replace(/[^-\s({[<]+/gu, capitalized)),
  ofText("trim", ["chars"], (text, [chars]) => stripped(text, optionalText(chars, "strip arg"), "both")),
  // llama.cpp has these three as filters, too.
  ofText("strip", ["chars"], (text, [chars]) => stripped(text, optionalText(chars, "strip arg"), "both")),
  ofText("lstrip", ["chars"], (text, [chars]) => stripped(text, optionalText(chars, "lstrip arg"), "start")),
  ofText("rstrip", ["chars"], (text, [chars]) => stripped(text, optionalText(chars, "rstrip arg"), "end")),
  ofText("replace", ["old!", "new!", "count"], (text, [from = "", to = "", count = null], { meter }) =>
    replaceText(meter, text, {
      from: toText(from, meter),
      to: toText(to, meter),
      max: count === null ? -1 : toInteger(count),
    }),
  ),
  ofText("indent", ["width", "first", "blank"], indented),
  ofText("center", ["width"], (text, [width = 80], runtime) => {
    const center = textMethods.get("center");
    return center === undefined ? text : center(runtime, text, { positional: [width], named: new Map() });
  }),
  ofText("truncate", ["length", "killwords", "end", "leeway"], truncated),
  ofText("wordcount", [], (text) => text.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0),
  ofText("striptags", [], (text) =>
    text
      .replace(/<!--[^]*?-->/g, "")
      .replace(/<[^>]*>/g, "")
      .split(/\s+/)
      .filter((word) => word !== "")
      .join(" "),
  ),
  ...["escape", "e", "forceescape"].map((name) => ofText(name, [], (text) => escaped(text))),
  [
    "format",
    (runtime, value, { positional, named }) =>
      formatted(runtime, toText(value, runtime.meter), {
        positional,
        named: named.size === 0 ? null : new Dictionary(named),
      }),
  ],
  filter("urlencode", [], (runtime, value) => urlEncoded(runtime, value)),
  filter("xmlattr", ["autospace"], (runtime, value, [autospace = true]) =>
    attributes(runtime, value, isTruthy(autospace)),
  ),
];

function indented(
  text: string,
  [width = 4, first = false, blank = false]: Given,
  { meter }: Runtime,
): string {
  const by = typeof width === "string" ? width : checkedSpaces(toInteger(width), meter);
  const all = lines(`${text}\n`, false);
  meter.checkText(text.length + all.length * by.length);
  const [start = "", ...rest] = all;
  const others = rest.map((line) => (line === "" && !isTruthy(blank) ? line : by + line));
  return [isTruthy(first) ? by + start : start, ...others].join("\n");
}

function checkedSpaces(count: number, meter: Runtime["meter"]): string {
  meter.checkText(count);
  return " ".repeat(Math.max(0, count));
}

function truncated(text: string, given: Given): string {
  const [length = 255, killWords = false, end = "...", leeway = null] = given;
  const size = toInteger(length);
  const ending = textArgument(end, "end");
  if (lengthOfText(text) <= size + (leeway === null ? 5 : (toNumber(leeway) ?? 0))) return text;
  const part = Array.from(text)
    .slice(0, Math.max(0, size - lengthOfText(ending)))
    .join("");
  if (isTruthy(killWords)) return part + ending;
  const space = part.lastIndexOf(" ");
  return (space === -1 ? part : part.slice(0, space)) + ending;
}

const entities: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ["'", "&#39;"],
  ['"', "&#34;"],
]);

function escaped(text: string): string {
  return text.replace(/[&<>'"]/g, (character) => entities.get(character) ?? character);
}

/** @param kept characters that stay, besides letters, digits and `_.-~` */
function quoted(text: string, kept: string): string {
  return encodeURIComponent(text.replace(/\p{Cs}/gu, "\ufffd")).replace(/[!'()*]|%2F/g, (part) => {
    if (part === "%2F") return kept.includes("/") ? "/" : part;
    return `%${part.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}

function urlEncoded({ meter }: Runtime, value: Value): string {
  if (!(value instanceof Dictionary)) return quoted(toText(value, meter), "/");
  const pair = (part: Value): string => quoted(toText(part, meter), "").replaceAll("%20", "+");
  return Array.from(value.entries(), ([key, item]) => `${pair(key)}=${pair(item)}`).join("&");
}

function attributes({ meter }: Runtime, value: Value, withSpace: boolean): string {
  const entries = value instanceof Dictionary ? Array.from(value.entries()) : [];
  const shown = entries
    .filter(([, item]) => item !== null && !(typeof item === "object" && toText(item, meter) === ""))
    .map(([key, item]) => `${escaped(toText(key, meter))}="${escaped(toText(item, meter))}"`);
  return (withSpace && shown.length > 0 ? " " : "") + shown.join(" ");
}
