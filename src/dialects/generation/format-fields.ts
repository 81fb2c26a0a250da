/** The fields by which clients of vLLM and llama-server require a format of the answer's text, besides OpenAI's. Pure. */
import { z } from "zod";
import type { AnswerFormat, GrammarSyntax } from "../../core/generation.js";
import { invalidValue, unsupported } from "../field-error.js";
import { boundedArray, jsonObjectField } from "../request-fields.js";
import { inBody, type FieldPath } from "./field-path.js";
import { wellFormed } from "../well-formed.js";

const choicesMax = 1_000;

const schema = z.union([z.string(), jsonObjectField]).nullish();
const choices = boundedArray(z.string().min(1, "must not be empty"), choicesMax).nullish();
const grammar = z.string().nullish();
const regex = z.string().nullish();
const other = z.unknown().optional().describe("Not supported: rejected.");

const guidedFields = {
  guided_json: schema.describe("A JSON Schema that the text must match."),
  guided_choice: choices.describe("The text is one of these."),
  guided_grammar: grammar.describe("A grammar in GBNF that describes the text."),
  guided_regex: regex.describe(
    "A regular expression that the whole text must match, as in `pattern` of JSON Schema.",
  ),
};

export const formatFields = {
  ...guidedFields,
  grammar: grammar.describe("A grammar in GBNF that describes the text."),
  json_schema: schema.describe("A JSON Schema that the text must match."),
  structured_outputs: z
    .object({ json: schema, choice: choices, grammar, regex, structural_tag: other })
    .nullish()
    .describe("The newer form of `guided_json` and its like."),
};

type FormatBody = z.infer<z.ZodObject<typeof formatFields>>;

/** The format of the answer's text, and the path of its schema or grammar. */
export interface StatedFormat {
  readonly format: AnswerFormat;
  readonly formatPath: string;
}

/**
 * Returns the format of a dialect's own field, or the one that these fields require.
 * @param own the name of the dialect's own field
 * @throws HearthError `invalid_value` for two formats, and a text that is no schema.
 */
export function chooseFormat(
  stated: StatedFormat,
  own: string,
  fields: FormatBody,
  toPath: FieldPath = inBody,
): StatedFormat {
  const other = parseOtherFormat(fields, toPath);
  if (other !== null && stated.format.type !== "text")
    throw invalidValue(other.formatPath, `is not allowed together with ${own}`);
  return other ?? stated;
}

/**
 * Returns the format that these fields require; null: none of them is stated.
 * @throws HearthError `invalid_value` for two of them, and a text that is no schema.
 */
export function parseOtherFormat(fields: FormatBody, toPath: FieldPath = inBody): StatedFormat | null {
  const { structured_outputs: outputs } = fields;
  const inOutputs = (name: string): string => `${toPath("structured_outputs")}.${name}`;
  if (outputs?.structural_tag != null)
    throw unsupported(inOutputs("structural_tag"), "this format of a text is");
  const stated = [
    ...readSchemas([
      [toPath("guided_json"), fields.guided_json],
      [toPath("json_schema"), fields.json_schema],
      [inOutputs("json"), outputs?.json],
    ]),
    ...readGrammars("regex", [
      [toPath("guided_regex"), fields.guided_regex],
      [inOutputs("regex"), outputs?.regex],
    ]),
    ...readGrammars("gbnf", [
      [toPath("guided_choice"), toGrammar(fields.guided_choice)],
      [inOutputs("choice"), toGrammar(outputs?.choice)],
      [toPath("guided_grammar"), fields.guided_grammar],
      [toPath("grammar"), fields.grammar],
      [inOutputs("grammar"), outputs?.grammar],
    ]),
  ];
  const [first, second] = stated;
  if (first !== undefined && second !== undefined)
    throw invalidValue(second.formatPath, `is not allowed together with ${first.formatPath}`);
  return first ?? null;
}

type Stated<Value> = readonly (readonly [path: string, value: Value | null | undefined])[];

function readSchemas(fields: Stated<z.infer<typeof schema>>): readonly StatedFormat[] {
  return fields.flatMap(([formatPath, value]) =>
    value == null || value === ""
      ? []
      : [{ format: { type: "json-schema", schema: toSchema(value, formatPath) }, formatPath }],
  );
}

function readGrammars(syntax: GrammarSyntax, fields: Stated<string>): readonly StatedFormat[] {
  return fields.flatMap(([formatPath, value]) =>
    value == null || value === ""
      ? []
      : [{ format: { type: "grammar", syntax, grammar: value }, formatPath }],
  );
}

/** Some clients send a schema as JSON text. @throws HearthError `invalid_value` for another text */
function toSchema(value: string | Record<string, unknown>, path: string): Record<string, unknown> {
  if (typeof value !== "string") return value;
  const problem = "must be a JSON Schema, or its JSON text";
  try {
    const { success, data } = jsonObjectField.safeParse(JSON.parse(value));
    if (success) return data;
  } catch {
    throw invalidValue(path, problem);
  }
  throw invalidValue(path, problem);
}

/** Returns the grammar of texts of which one is the answer; null: none is stated. */
function toGrammar(texts: readonly string[] | null | undefined): string | null {
  if (texts == null || texts.length === 0) return null;
  return `root ::= ${texts.map(toLiteral).join(" | ")}`;
}

/** GBNF has JSON's escapes, without two of them. */
function toLiteral(text: string): string {
  return JSON.stringify(wellFormed(text)).replaceAll("\\b", "\\u0008").replaceAll("\\f", "\\u000c");
}
