/** The methods of texts. */
import { isPythonSpace, startOfSpace } from "../syntax/space.js";
import { toText } from "../values/text.js";
import { bound, optionalText, textArgument } from "../values/arguments.js";
import type { ValueMethod, Runtime } from "../values/runtime.js";
import {
  splitCharacters,
  Dictionary,
  toInteger,
  isSimple,
  listItems,
  lengthOfText,
  List,
  TemplateError,
  Tuple,
  typeName,
  type Value,
} from "../values/values.js";
import { capitalized, classes, titled } from "./characters.js";
import { formattedFields } from "./format.js";
import { replaceText } from "./replace.js";
import { lines, occurrences, split, stripped } from "./split.js";

type Given = readonly (Value | undefined)[];
type Body = (runtime: Runtime, self: string, given: Given) => Value;

export const textMethods: ReadonlyMap<string, ValueMethod<string>> = new Map([
  ...[...classes].map(([name, isSo]) => method(name, [], (_, self) => isSo(self))),
  method("isspace", [], (_, self) => self !== "" && splitCharacters(self).every(isPythonSpace)),
  method("capitalize", [], (_, self) => capitalized(self)),
  method("casefold", [], (_, self) => self.toLowerCase().replaceAll("ß", "ss")),
  method("lower", [], (_, self) => self.toLowerCase()),
  method("upper", [], (_, self) => self.toUpperCase()),
  method("title", [], (_, self) => titled(self)),
  method("swapcase", [], (_, self) => swapped(self)),
  method("strip", ["chars"], (_, self, [chars]) => stripped(self, optionalText(chars, "strip arg"), "both")),
  method("lstrip", ["chars"], (_, self, [chars]) =>
    stripped(self, optionalText(chars, "lstrip arg"), "start"),
  ),
  method("rstrip", ["chars"], (_, self, [chars]) => stripped(self, optionalText(chars, "rstrip arg"), "end")),
  method("split", ["sep", "maxsplit"], (runtime, self, given) => splitInto(runtime, self, given, split)),
  method("rsplit", ["sep", "maxsplit"], (runtime, self, given) =>
    splitInto(runtime, self, given, splitBackwards),
  ),
  method("splitlines", ["keepends"], (runtime, self, [keep]) => {
    runtime.meter.countSteps(self.length);
    return new List(lines(self, keep === true));
  }),
  method("partition", ["sep!"], (_, self, [sep]) =>
    partition(self, sep, self.indexOf(textArgument(sep, "sep")), false),
  ),
  method("rpartition", ["sep!"], (_, self, [sep]) =>
    partition(self, sep, self.lastIndexOf(textArgument(sep, "sep")), true),
  ),
  method("startswith", ["prefix!", "start", "end"], (_, self, given) =>
    matches(self, given, (text, part) => text.startsWith(part)),
  ),
  method("endswith", ["suffix!", "start", "end"], (_, self, given) =>
    matches(self, given, (text, part) => text.endsWith(part)),
  ),
  method("removeprefix", ["prefix!"], (_, self, [prefix]) => {
    const start = textArgument(prefix, "prefix");
    return self.startsWith(start) ? self.slice(start.length) : self;
  }),
  method("removesuffix", ["suffix!"], (_, self, [suffix]) => {
    const end = textArgument(suffix, "suffix");
    return end !== "" && self.endsWith(end) ? self.slice(0, -end.length) : self;
  }),
  method("replace", ["old!", "new!", "count"], ({ meter }, self, [from, to, count]) =>
    replaceText(meter, self, {
      from: textArgument(from, "old"),
      to: textArgument(to, "new"),
      max: count === undefined ? -1 : toInteger(count),
    }),
  ),
  method("count", ["sub!", "start", "end"], (_, self, [sub, start, end]) => {
    const part = textArgument(sub, "sub");
    const { text } = ranged(self, start, end);
    return part === "" ? lengthOfText(text) + 1 : occurrences(text, part);
  }),
  method("find", ["sub!", "start", "end"], (_, self, given) => place(self, given, "first")),
  method("rfind", ["sub!", "start", "end"], (_, self, given) => place(self, given, "last")),
  method("index", ["sub!", "start", "end"], (_, self, given) => foundPlace(place(self, given, "first"))),
  method("rindex", ["sub!", "start", "end"], (_, self, given) => foundPlace(place(self, given, "last"))),
  method("join", ["iterable!"], (runtime, self, [iterable]) => joinTexts(runtime, self, iterable ?? null)),
  method("center", ["width!", "fillchar"], (runtime, self, given) => aligned(runtime, self, given, "center")),
  method("ljust", ["width!", "fillchar"], (runtime, self, given) => aligned(runtime, self, given, "left")),
  method("rjust", ["width!", "fillchar"], (runtime, self, given) => aligned(runtime, self, given, "right")),
  method("zfill", ["width!"], (runtime, self, [width]) => {
    const sign = /^[-+]/.test(self) ? self.charAt(0) : "";
    const size = toInteger(width ?? 0) - sign.length;
    return sign + aligned(runtime, self.slice(sign.length), [size, "0"], "right");
  }),
  method("expandtabs", ["tabsize"], (runtime, self, [size]) =>
    expandTabs(runtime, self, toInteger(size ?? 8)),
  ),
  ["format", (runtime, self, args) => formattedFields(runtime, self, args)],
  method("format_map", ["mapping!"], (runtime, self, [mapping]) => {
    const entries = mapping instanceof Dictionary ? Array.from(mapping.entries()) : [];
    const named = new Map(entries.map(([key, value]) => [toText(key, runtime.meter), value] as const));
    return formattedFields(runtime, self, { positional: [], named });
  }),
]);

function method(
  name: string,
  parameters: readonly string[],
  body: Body,
): readonly [string, ValueMethod<string>] {
  return [
    name,
    (runtime, self, args) => {
      runtime.meter.countReading(self);
      return body(runtime, self, bound(name, parameters, args));
    },
  ];
}

function splitInto(
  { meter }: Runtime,
  self: string,
  [sep, max]: Given,
  by: (text: string, separator: string | null, max: number) => string[],
): Value {
  const parts = by(self, optionalText(sep, "sep"), max === undefined ? -1 : toInteger(max));
  meter.countSteps(parts.length);
  return new List(parts);
}

function partition(self: string, separator: Value | undefined, at: number, fromEnd: boolean): Value {
  const part = textArgument(separator, "sep");
  if (part === "") throw new TemplateError("empty separator");
  if (at === -1) return new Tuple(fromEnd ? ["", "", self] : [self, "", ""]);
  return new Tuple([self.slice(0, at), part, self.slice(at + part.length)]);
}

/** The part of a text between two indices, which count characters. */
function ranged(
  self: string,
  start: Value | undefined,
  end: Value | undefined,
): { text: string; offset: number } {
  if (start === undefined && end === undefined) return { text: self, offset: 0 };
  const characters = splitCharacters(self);
  const [from, to] = [start ?? 0, end ?? null].map((value) =>
    value === null ? undefined : toInteger(value),
  );
  const text = characters.slice(from, to).join("");
  const first = from ?? 0;
  return { text, offset: first < 0 ? Math.max(0, first + characters.length) : first };
}

function matches(
  self: string,
  [parts, start, end]: Given,
  isMatch: (text: string, part: string) => boolean,
): boolean {
  const { text } = ranged(self, start, end);
  if (parts instanceof Tuple)
    return parts.items.some((part) => isMatch(text, textArgument(part, "tuple item")));
  if (typeof parts === "string") return isMatch(text, parts);
  throw new TemplateError(`first arg must be str or a tuple of str, not ${typeName(parts ?? null)}`);
}

function place(self: string, [sub, start, end]: Given, which: "first" | "last"): number {
  const { text, offset } = ranged(self, start, end);
  const part = textArgument(sub, "sub");
  const at = which === "first" ? text.indexOf(part) : text.lastIndexOf(part);
  if (at === -1) return -1;
  return offset + (isSimple(text) ? at : lengthOfText(text.slice(0, at)));
}

function foundPlace(at: number): number {
  if (at === -1) throw new TemplateError("substring not found");
  return at;
}

/** Joins texts. @throws TemplateError for an item that is not a text */
function joinTexts({ meter }: Runtime, separator: string, iterable: Value): string {
  let text = "";
  for (const [at, item] of listItems(iterable, meter).entries()) {
    if (typeof item !== "string")
      throw new TemplateError(`sequence item ${at}: expected str instance, ${typeName(item)} found`);
    text += (at === 0 ? "" : separator) + item;
    meter.checkText(text.length);
  }
  return text;
}

function aligned(
  { meter }: Runtime,
  self: string,
  [width, fill]: Given,
  side: "left" | "right" | "center",
): string {
  const wide = toInteger(width ?? 0);
  meter.checkText(wide);
  const missing = wide - lengthOfText(self);
  const filling = fill === undefined ? " " : textArgument(fill, "fill character");
  if (missing <= 0) return self;
  if (side === "left") return self + filling.repeat(missing);
  if (side === "right") return filling.repeat(missing) + self;
  // Python puts the odd one on the left where the width is odd.
  const left = Math.floor(missing / 2) + (missing & wide & 1);
  return filling.repeat(left) + self + filling.repeat(missing - left);
}

function expandTabs({ meter }: Runtime, self: string, size: number): string {
  let column = 0;
  let text = "";
  for (const character of self) {
    const added = character === "\t" ? " ".repeat(size > 0 ? size - (column % size) : 0) : character;
    column = character === "\n" || character === "\r" ? 0 : column + added.length;
    text += added;
    meter.checkText(text.length);
  }
  return text;
}

function swapped(text: string): string {
  return text.replace(/\p{L}/gu, (letter) =>
    letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
  );
}

/** Splits from the end. */
function splitBackwards(text: string, separator: string | null, max: number): string[] {
  if (max < 0) return split(text, separator, max);
  if (separator !== null) {
    const parts = split(text, separator, -1);
    const kept = Math.max(0, parts.length - max);
    return kept <= 1 ? parts : [parts.slice(0, kept).join(separator), ...parts.slice(kept)];
  }
  const parts: string[] = [];
  let end = startOfSpace(text);
  while (end > 0 && parts.length < max) {
    let start = end;
    while (start > 0 && !isPythonSpace(text.charAt(start - 1))) start -= 1;
    parts.unshift(text.slice(start, end));
    end = startOfSpace(text.slice(0, start));
  }
  return end > 0 ? [text.slice(0, end), ...parts] : parts;
}
