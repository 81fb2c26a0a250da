/** The filter that breaks lines. */
import { optionalText } from "../values/arguments.js";
import { toText } from "../values/text.js";
import { toInteger, isTruthy, TemplateError } from "../values/values.js";
import { filter, type NamedFilter } from "./filter.js";
import { lines } from "./split.js";

export const wrapFilters: readonly NamedFilter[] = [
  filter(
    "wordwrap",
    ["width", "break_long_words", "wrapstring", "break_on_hyphens"],
    ({ meter }, value, [width = 79, breakLong = true, wrapString = null, breakHyphens = true]) => {
      const text = toText(value, meter);
      meter.countSteps(text.length);
      const size = toInteger(width);
      if (size <= 0) throw new TemplateError(`invalid width ${size} (must be > 0)`);
      const separator = optionalText(wrapString, "wrapstring") ?? "\n";
      const pattern = isTruthy(breakHyphens)
        ? /\s+|[^\s-]*[\p{L}\p{N}]-+(?=\p{L})|\S+?(?=\s|$|(?<=[\p{L}\p{N}]-)\p{L})/gu
        : /\s+|\S+/gu;
      const wrapped = lines(text, false).map((line) =>
        wrap(line.match(pattern) ?? [], size, isTruthy(breakLong)).join(separator),
      );
      return wrapped.join(separator);
    },
  ),
];

function wrap(chunks: readonly string[], width: number, breakLong: boolean): readonly string[] {
  const made: string[] = [];
  let line = "";
  const end = (): void => {
    const kept = line.trimEnd();
    if (kept !== "") made.push(kept);
    line = "";
  };
  for (const chunk of chunks) {
    let rest = chunk;
    if (line.length + rest.length > width && rest.trim() === "") {
      end();
      continue;
    }
    if (line.length + rest.length > width && (rest.length <= width || !breakLong)) end();
    while (breakLong && line.length + rest.length > width) {
      const space = width - line.length;
      line += rest.slice(0, space);
      rest = rest.slice(space);
      end();
    }
    if (line !== "" || rest.trim() !== "" || made.length === 0) line += rest;
  }
  end();
  return made;
}
