/**
 * Parses a call written as Python, `name(key="value", other=[1, True])`: keyword arguments with literals only. Converts it to JSON
 * character by character; nothing is executed.
 */
import { isWholeJson } from "./envelope.js";
import type { Output } from "./output.js";
import { oneOf, peek, skipSpace, readUntil, type Reading, type Source } from "./source.js";

const nestingMax = 64;
const wordLengthMax = 1024;
const literals: ReadonlyMap<string, string> = new Map([
  ["True", "true"],
  ["False", "false"],
  ["None", "null"],
  ["true", "true"],
  ["false", "false"],
  ["null", "null"],
]);

/** @returns whether it is a complete call of a known tool; events are emitted only then. */
export function* readPython(source: Source, out: Output): Reading<boolean> {
  const name = yield* readUntil(source, "(", out.nameLengthMax);
  if (name === null) return false;
  const text = yield* readList(source, ")", 0, readKeyword);
  if (text === null || out.tool(name.trim()) === undefined) return false;
  out.startCall(name.trim());
  out.addArguments(`{${text}}`);
  return true;
}

type ReadItem = (source: Source, depth: number) => Reading<string | null>;

/** Reads items up to `close`, separated by commas, with an optional trailing comma. @returns them as JSON */
function* readList(source: Source, close: string, depth: number, item: ReadItem): Reading<string | null> {
  const items: string[] = [];
  if (depth > nestingMax) return null;
  for (;;) {
    yield* skipSpace(source);
    if ((yield* oneOf(source, [close])) !== null) return items.join(",");
    const text = yield* item(source, depth);
    if (text === null) return null;
    items.push(text);
    yield* skipSpace(source);
    const next = yield* oneOf(source, [",", close]);
    if (next === close) return items.join(",");
    if (next === null) return null;
  }
}

function* readKeyword(source: Source, depth: number): Reading<string | null> {
  const key = yield* readWord(source);
  yield* skipSpace(source);
  if (key === "" || (yield* oneOf(source, ["="])) === null) return null;
  const value = yield* readValue(source, depth);
  return value === null ? null : `${JSON.stringify(key)}:${value}`;
}

function* readEntry(source: Source, depth: number): Reading<string | null> {
  const key = yield* readQuoted(source);
  yield* skipSpace(source);
  if (key === null || (yield* oneOf(source, [":"])) === null) return null;
  const value = yield* readValue(source, depth);
  return value === null ? null : `${key}:${value}`;
}

function* readValue(source: Source, depth: number): Reading<string | null> {
  yield* skipSpace(source);
  const code = yield* peek(source);
  if (code === 0x22 || code === 0x27) return yield* readQuoted(source);
  if (code === 0x5b || code === 0x7b) {
    source.at += 1;
    const list = code === 0x5b;
    const inner = yield* readList(source, list ? "]" : "}", depth + 1, list ? readValue : readEntry);
    if (inner === null) return null;
    return list ? `[${inner}]` : `{${inner}}`;
  }
  const word = yield* readWord(source);
  return literals.get(word) ?? (/^[-0-9]/.test(word) && isWholeJson(word) ? word : null);
}

/** Reads letters, digits and the other characters of numbers. */
function* readWord(source: Source): Reading<string> {
  let word = "";
  while (word.length < wordLengthMax) {
    const code = yield* peek(source);
    if (code === -1 || !/[\p{L}\p{N}_.+-]/u.test(String.fromCharCode(code))) break;
    word += String.fromCharCode(code);
    source.at += 1;
  }
  return word;
}

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "\\": "\\",
  "'": "'",
  '"': '"',
};

/** Reads a string in either quote. @returns it as JSON */
function* readQuoted(source: Source): Reading<string | null> {
  const quote = yield* oneOf(source, ['"', "'"]);
  if (quote === null) return null;
  const parts: string[] = [];
  for (;;) {
    const code = yield* peek(source);
    const character = String.fromCharCode(code);
    if (code === -1 || character === "\n") return null;
    source.at += 1;
    if (character === quote) return JSON.stringify(parts.join(""));
    if (character !== "\\") {
      parts.push(character);
      continue;
    }
    const escaped = escapes[String.fromCharCode(yield* peek(source))];
    if (escaped === undefined) return null;
    source.at += 1;
    parts.push(escaped);
  }
}
