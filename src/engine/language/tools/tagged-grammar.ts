/**
 * Builds the grammar of arguments that are each written between marks: the declared properties in order, required ones always. A string
 * may be any text without the closing mark; other values are restricted to their type and `enum`. Other constraints of the schema are
 * validated after the call is complete.
 */
import type { Tool } from "../../../core/generation.js";
import { literal, type RuleSet } from "../../../grammar/gbnf.js";
import { markNode, rightSide } from "./grammar-node.js";
import { listProperties, listRequired, listTypes } from "./parameters.js";
import { keyPlace, markText, splitPieces, withKey, type TaggedBody, type ValueType } from "./syntax.js";
import { createValueRules, addJsonString, textWithout } from "./value-grammar.js";

/** Returns the right sides of the rules for tools' arguments, all in one rule book. */
export interface ArgumentsRules {
  writeArguments(tool: Tool): string;
}

export function createTaggedRules(body: TaggedBody, rules: RuleSet): ArgumentsRules {
  // Created once, since rules that refer to each other are never deduplicated.
  const [valueEnd = "<"] = markText(body.valueClose).trimStart().split(keyPlace);
  const [firstEnd = "<"] = splitPieces(body.valueClose);
  const plainText = textWithout(markText(body.valueClose).includes(keyPlace) ? valueEnd : firstEnd, rules);
  const anyText = body.textMarks === undefined ? plainText : markedText(body.textMarks, plainText, rules);
  const python = body.python === true;
  const style = { nested: python ? "python" : "json", pythonWords: python } as const;
  const verbatim = createValueRules(
    { ...style, string: () => anyText, writeString: (value) => [value] },
    rules,
  );
  // Strings between quotation marks are JSON.
  const mixed =
    body.quoted === true
      ? createValueRules(
          { ...style, string: addJsonString, writeString: (value) => [JSON.stringify(value)] },
          rules,
        )
      : verbatim;
  const padding = body.padding === "" ? "" : `${literal(body.padding)}?`;
  const memberRule = (key: string, keyEnd: string, value: string): string => {
    const open = literal(`${body.keyOpen}${key}`);
    const close = rightSide(markNode(body.valueClose.map((piece) => withKey(piece, key))), rules);
    return `${open} ${keyEnd} ${padding} ${value} ${padding} ${close}`;
  };
  const keyEnd = rightSide(markNode(body.keyClose), rules);
  const writeRule = (key: string, schema: unknown): string => {
    const types = listTypes(schema);
    if (body.valueType === undefined || (types?.size === 1 && types.has("string")))
      return rules.add(memberRule(key, keyEnd, mixed(schema)));
    const other = memberRule(key, otherKeyEnd(body.valueType), mixed(withoutStrings(schema, types)));
    if (types !== null && !types.has("string")) return rules.add(other);
    return rules.add(`${memberRule(key, keyEnd, anyText)} | ${other}`);
  };
  return {
    writeArguments(tool) {
      const required = listRequired(tool);
      const members = listProperties(tool).map(([key, schema]) => {
        const rule = writeRule(key, schema);
        return required.has(key) ? rule : `${rule}?`;
      });
      return members.length === 0 ? '""' : members.join(" ");
    },
  };
}

/** Returns the rule of a text that may have marks around it. */
function markedText(
  { open, close }: NonNullable<TaggedBody["textMarks"]>,
  plain: string,
  rules: RuleSet,
): string {
  return rules.add(`${literal(open)} ${textWithout(close, rules)} ${literal(close)} | ${plain}`);
}

/** Returns the rule of what shows that a value is no string: one word, or the name of any type. */
function otherKeyEnd({ before, other, after }: ValueType): string {
  const word = other === "false" ? literal(other) : "[a-zA-Z_]{1,32}";
  return `${literal(before)} ${word} ${literal(after)}`;
}

const otherTypes = ["number", "boolean", "null", "array", "object"];

function withoutStrings(schema: unknown, types: ReadonlySet<string> | null): unknown {
  if (types !== null && !types.has("string")) return schema;
  return { type: types === null ? otherTypes : [...types].filter((type) => type !== "string") };
}
