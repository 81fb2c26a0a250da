import { formatNames, refusedFormats } from "../regular/pattern/format.js";
import type { Keywords, NodeDraft } from "./keywords.js";
import type { JsonType } from "./node.js";
import { refusal } from "./resolve.js";

const typeNames = "null, boolean, integer, number, string, array or object";
const types: ReadonlySet<string> = new Set<JsonType>([
  "null",
  "boolean",
  "integer",
  "number",
  "string",
  "array",
  "object",
]);

/** Reads `type`, `enum`, `const`, and the keywords of numbers and strings. */
export function readScalar(node: NodeDraft, keywords: Keywords): void {
  readType(node, keywords);
  readValues(node, keywords);
  readBounds(node, keywords);
  const minLength = keywords.count("minLength");
  const maxLength = keywords.count("maxLength");
  const pattern = keywords.text("pattern");
  const format = keywords.text("format");
  if (minLength !== undefined) node.minLength = minLength;
  if (maxLength !== undefined) node.maxLength = maxLength;
  if (pattern !== undefined) {
    keywords.checkPattern(pattern, "pattern");
    readPattern(node, pattern);
  }
  if (format === undefined) return;
  const instead = refusedFormats.get(format);
  if (instead !== undefined)
    throw refusal(
      `the format ${format} cannot be enforced; use ${instead}, or a pattern`,
      keywords.pointer,
      "format",
    );
  if (formatNames.has(format)) node.format = format;
}

/**
 * Reads a pattern. One that begins with a condition on the length of the whole text, as the host names of Zod have it, is read as lengths
 * and the rest: an automaton that counts both the text and its parts would be too large. An optional point at the end counts.
 */
function readPattern(node: NodeDraft, pattern: string): void {
  const [, min, max, rest] = /^\^\(\?=\.\{(\d{1,6}),(\d{1,6})\}(?:\\\.\?)?\$\)(.*)$/s.exec(pattern) ?? [];
  node.pattern = rest === undefined ? pattern : `^${rest}`;
  if (rest === undefined) return;
  node.minLength = Math.max(node.minLength ?? 0, Number(min));
  node.maxLength = Math.min(node.maxLength ?? Infinity, Number(max));
}

function readType(node: NodeDraft, keywords: Keywords): void {
  const value = keywords.raw("type");
  if (value === undefined) return;
  const names = typeof value === "string" ? [value] : keywords.stringArray("type");
  const unknown = names?.find((name) => !types.has(name));
  if (names === undefined || names.length === 0 || unknown !== undefined)
    throw keywords.malformed("type", `${typeNames}, or an array of these`);
  node.types = new Set(names as JsonType[]);
}

/**
 * Reads `enum`, and `const` as an enum with one value. Both together become two nodes, because both apply.
 */
function readValues(node: NodeDraft, keywords: Keywords): void {
  const values = keywords.list("enum");
  const only = keywords.raw("const");
  if (values?.length === 0) throw keywords.malformed("enum", "an array of at least one value");
  if (values !== undefined) keywords.countEnum(values);
  if (only !== undefined) keywords.countEnum([only]);
  if (values !== undefined) node.values = values;
  else if (only !== undefined) node.values = [only];
  if (values !== undefined && only !== undefined)
    node.allOf = [{ pointer: `${keywords.pointer}/const`, values: [only] }];
}

function readBounds(node: NodeDraft, keywords: Keywords): void {
  const multipleOf = keywords.number("multipleOf");
  if (multipleOf !== undefined && multipleOf <= 0)
    throw keywords.malformed("multipleOf", "a number greater than 0");
  if (multipleOf !== undefined) node.multipleOf = multipleOf;
  const minimum = keywords.exactNumber("minimum");
  const maximum = keywords.exactNumber("maximum");
  if (minimum !== undefined) node.minimum = minimum;
  if (maximum !== undefined) node.maximum = maximum;
  readExclusive(node, keywords, "exclusiveMinimum", "minimum");
  readExclusive(node, keywords, "exclusiveMaximum", "maximum");
}

/** Reads an exclusive bound: a number, or in draft 4 `true`, which makes the inclusive bound exclusive. */
function readExclusive(
  node: NodeDraft,
  keywords: Keywords,
  exclusive: "exclusiveMinimum" | "exclusiveMaximum",
  inclusive: "minimum" | "maximum",
): void {
  const value = keywords.raw(exclusive);
  if (value === undefined || value === false) return;
  if (value !== true) {
    const bound = keywords.exactNumber(exclusive);
    if (bound !== undefined) node[exclusive] = bound;
    return;
  }
  const bound = node[inclusive];
  if (bound === undefined) return;
  node[exclusive] = bound;
  delete node[inclusive];
}
