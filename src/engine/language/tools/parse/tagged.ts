/** Parses a call whose arguments are each written between marks, and converts them to one JSON object. */
import type { Tool } from "../../../../core/generation.js";
import { findProperty, findItemSchema, propertyIn, listTypes } from "../parameters.js";
import { splitPieces, taggedEnds, withKey, type CallMark, type TaggedBody } from "../syntax.js";
import type { Output } from "./output.js";
import {
  readOne,
  readPieces,
  readUntil,
  readUntilAny,
  skipSpace,
  type Reading,
  type AnswerSource,
} from "./source.js";
import { isWholeJson } from "./envelope.js";
import { literalJson } from "./notation.js";

const keyLengthMax = 1024;

/** @param after its first piece ends the arguments. @returns whether the call is complete */
export function* readTagged(
  source: AnswerSource,
  out: Output,
  body: TaggedBody,
  after: CallMark,
): Reading<boolean> {
  const ends = taggedEnds(body, after);
  const [end = ""] = ends.call;
  const name = yield* readName(source, out, body, end);
  const tool = name === null ? undefined : out.tool(name);
  if (tool === undefined) {
    // Skips the arguments of an unknown name: nothing in them starts a call.
    if (name !== null) yield* readUntil(source, end, Infinity);
    return false;
  }
  out.startCall(tool.name);
  const keys = new Set<string>();
  for (;;) {
    yield* skipSpace(source);
    const met = yield* readOne(source, [end, body.keyOpen]);
    if (met === null) return false;
    if (met === end) {
      out.addArguments(keys.size === 0 ? "{}" : "}");
      return true;
    }
    const member = yield* readMember(source, body, ends.value, tool);
    if (member === null || keys.has(member.key)) return false;
    out.addArguments(`${keys.size === 0 ? "{" : ","}${JSON.stringify(member.key)}:${member.value}`);
    keys.add(member.key);
  }
}

/**
 * Reads the name, up to what follows it: a mark, the first key, or the end of the call.
 * @returns the name, which may be unknown; null when there is none
 */
function* readName(source: AnswerSource, out: Output, body: TaggedBody, end: string): Reading<string | null> {
  const [mark = "\n", ...afterMark] = splitPieces(body.afterName);
  yield* skipSpace(source);
  const id = body.idAfterName === undefined ? [] : [body.idAfterName.mark.trim()];
  const name = yield* readUntilAny(source, [...id, mark, body.keyOpen, end], out.nameLengthMax);
  if (name === null) return null;
  if ((yield* readOne(source, id)) !== null && (yield* readUntilAny(source, [mark], keyLengthMax)) === null)
    return null;
  if ((yield* readOne(source, [mark])) !== null) yield* skipPieces(source, afterMark);
  return name.trim();
}

function* readMember(
  source: AnswerSource,
  body: TaggedBody,
  [valueClose = "", ...afterValue]: readonly string[],
  tool: Tool,
): Reading<{ readonly key: string; readonly value: string } | null> {
  const { keyClose, valueType, padding } = body;
  const [keyEnd = "", ...rests] = valueType === undefined ? splitPieces(keyClose) : [valueType.before];
  const key = yield* readUntil(source, keyEnd, keyLengthMax);
  if (key === null) return null;
  const name = key.trim();
  const word = valueType === undefined ? null : yield* readUntil(source, valueType.after, keyLengthMax);
  if (valueType === undefined ? !(yield* readPieces(source, rests)) : word === null) return null;
  const marked = yield* readMarkedText(source, body);
  const valueEnd = withKey(valueClose, name);
  const text = yield* marked === null && valueEnd !== valueClose
    ? readElement(source, `${body.keyOpen}${name}${keyEnd}`, valueEnd)
    : readUntil(source, valueEnd, marked === null ? Infinity : keyLengthMax);
  if (text === null) return null;
  yield* skipPieces(source, afterValue);
  if (marked !== null) return { key: name, value: JSON.stringify(marked) };
  const value = withoutPadding(text, padding);
  if (word !== null && word === valueType?.string) return { key: name, value: JSON.stringify(value) };
  // The types of the schema are not needed where the value itself shows its own.
  const schema = body.quoted === true || word !== null ? {} : findProperty(tool, name);
  const elements = { open: body.keyOpen, openEnd: keyEnd, close: valueClose };
  if (valueEnd !== valueClose) return { key: name, value: elementsJson(value, schema, elements) };
  return { key: name, value: valueJson(value, schema, body.python === true) };
}

/** Reads up to the end of an element, which may contain elements of the same name. */
function* readElement(source: AnswerSource, open: string, close: string): Reading<string | null> {
  const parts: string[] = [];
  for (let depth = 1; depth > 0;) {
    const text = yield* readUntil(source, close, Infinity);
    if (text === null) return null;
    parts.push(text);
    depth += text.split(open).length - 2;
  }
  return parts.join(close);
}

/** Reads each piece that is present. */
function* skipPieces(source: AnswerSource, pieces: readonly string[]): Reading<void> {
  for (const piece of pieces) {
    yield* skipSpace(source);
    yield* readOne(source, [piece]);
  }
}

/** Reads a text between marks of its own. @returns null: it has no such marks */
function* readMarkedText(source: AnswerSource, { textMarks }: TaggedBody): Reading<string | null> {
  if (textMarks === undefined || (yield* readOne(source, [textMarks.open])) === null) return null;
  return yield* readUntil(source, textMarks.close, Infinity);
}

function withoutPadding(value: string, padding: string): string {
  if (padding === "") return value;
  const from = value.startsWith(padding) ? padding.length : 0;
  const to = value.endsWith(padding) && value.length > from ? value.length - padding.length : value.length;
  return value.slice(from, to);
}

/** The texts around an element's name. */
interface ElementMarks {
  readonly open: string;
  readonly openEnd: string;
  /** What ends the element, with its name in the place of a key. */
  readonly close: string;
}

interface Element {
  readonly name: string;
  readonly value: string;
}

const nestingMax = 64;

/**
 * Converts elements such as `<key>value</key>`, which may contain others, to JSON. The elements of a list are all called `item`.
 * Returns a value as JSON: of its elements, or the text itself by its schema.
 */
function elementsJson(text: string, schema: unknown, marks: ElementMarks, depth = 0): string {
  const elements = depth < nestingMax ? splitElements(text.trim(), marks) : null;
  const types = listTypes(schema);
  if (elements === null) return text === "" ? emptyJson(types) : valueJson(text, schema, false);
  const isList = types === null ? elements.every(({ name }) => name === "item") : types.has("array");
  const inner = (each: Element, of: unknown): string => elementsJson(each.value, of, marks, depth + 1);
  if (isList) return `[${elements.map((each) => inner(each, findItemSchema(schema))).join(",")}]`;
  const members = elements.map(
    (each) => `${JSON.stringify(each.name)}:${inner(each, propertyIn(schema, each.name))}`,
  );
  return `{${members.join(",")}}`;
}

function emptyJson(types: ReadonlySet<string> | null): string {
  if (types?.has("string") === true || types === null) return '""';
  if (types.has("array")) return "[]";
  return types.has("object") ? "{}" : "null";
}

/** Returns the elements that a text consists of; null where it is none, or has other text. */
function splitElements(text: string, { open, openEnd, close }: ElementMarks): readonly Element[] | null {
  const elements: Element[] = [];
  let rest = text;
  while (rest.startsWith(open)) {
    const nameEnd = rest.indexOf(openEnd, open.length);
    if (nameEnd < 0) return null;
    const name = rest.slice(open.length, nameEnd);
    const from = nameEnd + openEnd.length;
    const end = withKey(close, name);
    const at = findEnd(rest, from, `${open}${name}${openEnd}`, end);
    if (name === "" || at === null) return null;
    elements.push({ name, value: rest.slice(from, at) });
    rest = rest.slice(at + end.length).trimStart();
  }
  return rest === "" && elements.length > 0 ? elements : null;
}

/** Returns where an element ends that may contain others of its name. */
function findEnd(text: string, from: number, open: string, close: string): number | null {
  let at = from;
  for (let depth = 1; ;) {
    const next = text.indexOf(close, at);
    if (next < 0) return null;
    depth += text.slice(at, next).split(open).length - 2;
    if (depth === 0) return next;
    at = next + close.length;
  }
}

/** Returns a string if the schema allows only strings; else the literal as JSON, or a string if the text is none. */
function valueJson(text: string, schema: unknown, python: boolean): string {
  const types = listTypes(schema);
  if (types?.size === 1 && types.has("string")) return JSON.stringify(text);
  const trimmed = text.trim();
  const word = types?.has("boolean") === true ? trimmed.toLowerCase() : trimmed;
  if (word === "true" || word === "false") return word;
  if (trimmed === "None" && types?.has("null") === true) return "null";
  if (isWholeJson(trimmed)) return trimmed;
  return (python ? literalJson(trimmed) : null) ?? JSON.stringify(text);
}
