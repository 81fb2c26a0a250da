/**
 * Builds the grammar of arguments that are each written between marks: the declared properties in order, required ones always. A string
 * may be any text without the closing mark; JSON values are restricted to their type and `enum`. Other constraints of the schema are
 * validated after the call is complete.
 */
import type { Tool } from "../../../core/generation.js";
import { literal, type RuleSet } from "../../../grammar/gbnf.js";
import { jsonText } from "../../../grammar/schema/json-text.js";
import type { JsonValue } from "../../../grammar/schema/node.js";
import { propertiesOf, requiredOf, typesOf, valuesOf } from "./parameters.js";
import { piecesOf, markText, type TaggedBody } from "./syntax.js";

/** Returns the right sides of the rules for tools' arguments, all in one rule book. */
export interface TaggedRules {
  argumentsOf(tool: Tool): string;
}

export function createTaggedRules(body: TaggedBody, rules: RuleSet): TaggedRules {
  // Created once, since rules that refer to each other are never deduplicated.
  const anyText = textWithout(piecesOf(body.valueClose)[0] ?? "<", rules);
  const json = jsonRules(rules);
  const valueRule = (schema: unknown): string => {
    const values = valuesOf(schema);
    const types = typesOf(schema) ?? new Set<string>();
    const onlyText = types.size === 1 && types.has("string");
    if (values !== null && values.length > 0)
      return rules.add(
        values.map((value) => literal(onlyText ? String(value) : jsonText(value as JsonValue))).join(" | "),
      );
    if (onlyText) return anyText;
    const wanted = [...types].flatMap((type) => json.get(type) ?? []);
    return rules.add((wanted.length === 0 ? [...json.values()] : wanted).join(" | "));
  };
  return {
    argumentsOf(tool) {
      const required = requiredOf(tool);
      const members = propertiesOf(tool).map(([key, schema]) => {
        const open = literal(`${body.keyOpen}${key}${markText(body.keyClose)}${body.padding}`);
        const close = literal(body.padding + markText(body.valueClose));
        const rule = rules.add(`${open} ${valueRule(schema)} ${close}`);
        return required.has(key) ? rule : `${rule}?`;
      });
      return members.length === 0 ? '""' : members.join(" ");
    },
  };
}

/** Adds the rules of JSON values. @returns their names by type. */
function jsonRules(rules: RuleSet): ReadonlyMap<string, string> {
  const value = rules.reserve();
  const character = rules.add('[^"\\\\\\x00-\\x1f] | "\\\\" (["\\\\/bfnrt] | "u" [0-9a-fA-F]{4})');
  const string = rules.add(`"\\"" ${character}* "\\""`);
  const integer = rules.add('"-"? ("0" | [1-9] [0-9]{0,15})');
  const member = rules.add(`${string} ": " ${value}`);
  const byType = new Map([
    ["string", string],
    ["number", rules.add(`${integer} ("." [0-9]{1,15})?`)],
    ["boolean", rules.add('"true" | "false"')],
    ["null", rules.add('"null"')],
    ["array", rules.add(`"[" (${value} (", " ${value})*)? "]"`)],
    ["object", rules.add(`"{" (${member} (", " ${member})*)? "}"`)],
  ]);
  rules.define(value, [...byType.values()].join(" | "));
  return byType.set("integer", integer);
}

/** Adds rules for any text without `mark`: one rule for every prefix of the mark that the text may currently end with. */
function textWithout(mark: string, rules: RuleSet): string {
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
