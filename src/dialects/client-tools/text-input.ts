/** Tools whose input is one text instead of JSON: for the model, a function with one string. Pure. */
import { z } from "zod";
import type { Tool } from "../../core/generation.js";
import { functionNameField } from "../request-fields.js";
import { patternOfLark } from "./lark.js";

const definitionCharsMax = 100_000;

const grammar = z.object({
  syntax: z.enum(["lark", "regex"]),
  definition: z
    .string()
    .max(definitionCharsMax, `must be at most ${definitionCharsMax} characters long`)
    .describe("Enforced where it is a regular language."),
});
export const textToolFields = { name: functionNameField, description: z.string().nullish() };
/** OpenAI's form for responses; the form for chat completions has the grammar in an object of its own. */
export const textFormatSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text") }),
  z.object({ type: z.literal("grammar"), ...grammar.shape }),
]);
export const nestedTextFormatSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text") }),
  z.object({ type: z.literal("grammar"), grammar }),
]);

type Grammar = z.infer<typeof grammar>;

/**
 * Returns the function that stands for a tool with a text input. Its grammar, if any, is part of the description, and is enforced if
 * it is regular.
 */
export function textInputTool(
  name: string,
  description: string | null | undefined,
  format: Grammar | null,
): { readonly tool: Tool; readonly warnings: readonly string[] } {
  const named = { name, description: description ?? undefined };
  const about = "The whole input of the tool, as text.";
  if (format === null) return { tool: { ...named, parameters: inputSchema(about) }, warnings: [] };
  const { syntax, definition } = format;
  const syntaxName = syntax === "lark" ? "Lark grammar" : "regular expression";
  const parameters = inputSchema(`${about} It follows this ${syntaxName}:\n${definition}`);
  const pattern = syntax === "lark" ? patternOfLark(definition) : definition;
  if (pattern === null)
    return {
      tool: { ...named, parameters },
      warnings: [`the grammar of the tool '${name}' is not enforced`],
    };
  const strictParameters = inputSchema(about, `^(?:${pattern})$`);
  return { tool: { ...named, parameters, strictParameters }, warnings: [] };
}

function inputSchema(description: string, pattern?: string): Tool["parameters"] {
  const input = { type: "string", description, ...(pattern === undefined ? {} : { pattern }) };
  return { type: "object", properties: { input }, required: ["input"], additionalProperties: false };
}

/** Returns the arguments of a call with a text input. */
export function textArguments(input: string): string {
  return JSON.stringify({ input });
}
