/** Converts elements such as `<key>value</key>`, which may contain others, to JSON. The elements of a list are all called `item`. */
import { findItemSchema, propertyIn, listTypes } from "../parameters.js";
import { withKey } from "../syntax.js";
import { valueJson } from "./value.js";

/** The texts around an element's name. */
export interface ElementMarks {
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

/** Returns a value as JSON: of its elements, or the text itself by its schema. */
export function elementsJson(text: string, schema: unknown, marks: ElementMarks, depth = 0): string {
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
