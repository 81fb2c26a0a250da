/** Rules of values as they are written in arguments that are not one JSON object, and of text up to a mark. */
import { literal, type RuleSet } from "../../../grammar/gbnf.js";
import { jsonText } from "../../../grammar/schema/json-text.js";
import type { JsonValue } from "../../../grammar/schema/node.js";
import { listTypes, listValues } from "./parameters.js";

/** How values are written. */
interface ValueStyle {
  /** Returns the rule of a string. */
  readonly string: (rules: RuleSet) => string;
  /** Returns the ways to write a string. */
  readonly writeString: (value: string) => readonly string[];
  /** How lists and objects write what is in them. */
  readonly nested: "json" | "python" | { readonly assign: string; readonly separator: string };
  readonly pythonWords: boolean;
}

/** Returns a JSON string as a GBNF rule. */
export function addJsonString(rules: RuleSet): string {
  const character = rules.add('[^"\\\\\\x00-\\x1f] | "\\\\" (["\\\\/bfnrt] | "u" [0-9a-fA-F]{4})');
  return rules.add(`"\\"" ${character}* "\\""`);
}

/** Returns a string of Python, between marks of either kind, as the parser reads it. */
export function pythonString(rules: RuleSet): string {
  const hex = "[0-9a-fA-F]";
  const code = `"x" ${hex}{2} | "u" ${hex}{4} | "U00" ("0" ${hex} | "10") ${hex}{4}`;
  const escape = rules.add(`"\\\\" ([^xuU\\x00-\\x1f] | ${code})`);
  const between = (quote: string): string => {
    const character = rules.add(`[^${quote}\\\\\\x00-\\x1f] | ${escape}`);
    return `${literal(quote)} ${character}* ${literal(quote)}`;
  };
  return rules.add(`${between('"')} | ${between("'")}`);
}

/** Returns a string that is the text of a JSON object. */
export function addJsonText(rules: RuleSet): string {
  const escape = `${literal("\\\\")} (${literal('\\"')} | ${literal("\\\\")} | [/bfnrt] | "u" [0-9a-fA-F]{4})`;
  const quote = literal('\\"');
  const string = rules.add(`${quote} ([^"\\\\\\x00-\\x1f] | ${escape})* ${quote}`);
  const number = '"-"? ("0" | [1-9] [0-9]{0,15}) ("." [0-9]{1,15})?';
  const value = rules.reserve();
  const member = rules.add(`${string} " "? ":" " "? ${value}`);
  const object = rules.add(`"{" " "? (${member} (" "? "," " "? ${member})*)? " "? "}"`);
  const list = rules.add(`"[" " "? (${value} (" "? "," " "? ${value})*)? " "? "]"`);
  rules.define(value, `${string} | ${number} | "true" | "false" | "null" | ${object} | ${list}`);
  return rules.add(`"\\"" ${object} "\\""`);
}

/** Returns the ways to write a string of Python. */
export function writePythonString(value: string): readonly string[] {
  const written = JSON.stringify(value);
  return /['"\\]/.test(value) ? [written] : [written, `'${written.slice(1, -1)}'`];
}

/** Returns the rule of a sign, such as a comma, with white space around it. */
export function spacedSign(sign: string): string {
  return `" "? ${literal(sign.trim())} [ \\n]{0,2}`;
}

/**
 * Returns any text between quotation marks that has no escapes. A quotation mark within it is followed by text, as the parser expects.
 */
export function verbatimString(quote: string, rules: RuleSet): string {
  if (quote.length > 1) return rules.add(`${literal(quote)} ${textWithout(quote, rules)} ${literal(quote)}`);
  const space = " \\t\\r\\n";
  const inner = rules.add(`[^${quote}] | ${literal(quote)}+ [${space}]* [^${quote}${space},)\\]}:]`);
  return rules.add(`${literal(quote)} ${inner}* ${literal(quote)}`);
}

/** Returns a function from a schema to the rule of its values: the values of `enum`, or any of its types. */
export function createValueRules(style: ValueStyle, rules: RuleSet): (schema: unknown) => string {
  const byType = typeRules(style, rules);
  return (schema) => {
    const written = (listValues(schema) ?? []).flatMap((value) => writeValue(style, value));
    if (written.length > 0) return rules.add(written.map(literal).join(" | "));
    const wanted = [...(listTypes(schema) ?? [])].flatMap((type) => byType.get(type) ?? []);
    return rules.add((wanted.length === 0 ? [...byType.values()] : wanted).join(" | "));
  };
}

function writeValue({ writeString, pythonWords }: ValueStyle, value: unknown): readonly string[] {
  if (typeof value === "string") return writeString(value);
  return [writeWord(jsonText(value as JsonValue), pythonWords)];
}

function writeWord(json: string, python: boolean): string {
  return python ? ({ true: "True", false: "False", null: "None" }[json] ?? json) : json;
}

/** @returns the names of the rules by JSON type */
function typeRules(style: ValueStyle, rules: RuleSet): ReadonlyMap<string, string> {
  const { nested } = style;
  const isSame = typeof nested === "object";
  const quoted = nested === "python" ? pythonString(rules) : addJsonString(rules);
  const assign = rules.add(spacedSign(isSame ? nested.assign : ":"));
  const separator = rules.add(spacedSign(isSame ? nested.separator : ","));
  const string = style.string(rules);
  const integer = rules.add('"-"? ("0" | [1-9] [0-9]{0,15})');
  const number = rules.add(`${integer} ("." [0-9]{1,15})?`);
  const words = (python: boolean): [string, string][] => [
    ["boolean", rules.add(`${literal(writeWord("true", python))} | ${literal(writeWord("false", python))}`)],
    ["null", rules.add(literal(writeWord("null", python)))],
  ];
  const inner = rules.reserve();
  const key = isSame ? rules.add("[a-zA-Z0-9_-]{1,64}") : quoted;
  const member = rules.add(`${key} ${assign} ${inner}`);
  const lists: [string, string][] = [
    ["array", rules.add(`"[" (${inner} (${separator} ${inner})*)? "]"`)],
    ["object", rules.add(`"{" (${member} (${separator} ${member})*)? "}"`)],
  ];
  const scalars = words(isSame ? style.pythonWords : nested === "python");
  rules.define(
    inner,
    [isSame ? string : quoted, number, ...[...scalars, ...lists].map(([, rule]) => rule)].join(" | "),
  );
  return new Map([
    ["string", string],
    ["number", number],
    ["integer", integer],
    ...words(style.pythonWords),
    ...lists,
  ]);
}

/** Adds rules for any text without `mark`: one rule for every prefix of the mark that the text may currently end with. */
export function textWithout(mark: string, rules: RuleSet): string {
  const states = [...mark].map(() => rules.reserve());
  states.forEach((name, state) => {
    const moves = [...new Set(mark)].flatMap((character) => {
      const to = longestStart(mark, mark.slice(0, state) + character);
      return to === 0 ? [] : [[character, states[to]] as const];
    });
    const known = moves.flatMap(([character, to]) =>
      to === undefined ? [] : [`${literal(character)} ${to}`],
    );
    const other = `[^${moves.map(([character]) => inClass(character)).join("")}] ${states[0] ?? ""}`;
    rules.define(name, [...known, other, '""'].join(" | "));
  });
  return states[0] ?? '""';
}

/** Returns the length of the longest prefix of `mark` that `text` ends with. */
function longestStart(mark: string, text: string): number {
  for (let size = Math.min(mark.length, text.length); size > 0; size--)
    if (text.endsWith(mark.slice(0, size))) return size;
  return 0;
}

function inClass(character: string): string {
  return /[\\\]^-]/.test(character) ? `\\${character}` : character;
}
