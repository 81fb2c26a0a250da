import type { Tool, ToolChoice } from "../core/generation.js";
import { invalidValue } from "./field-error.js";

/** What a dialect reads of the tools of a request. */
export interface ParsedTools {
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice;
  /** Dotted path of each tool's schema in the request. */
  readonly schemaPaths: readonly string[];
  /** Sentences about tools that are left out, and about grammars that are not enforced. */
  readonly warnings: readonly string[];
}

/**
 * Checks that a schema can describe the arguments of a tool, which are always an object, and returns it.
 * @param param the dotted path of the schema in the request.
 * @throws HearthError `invalid_value` that names the tool when the schema's `type` excludes objects.
 */
export function toolParameters(
  parameters: Tool["parameters"],
  name: string,
  param: string,
): Tool["parameters"] {
  const { type } = parameters;
  const allowsObjects = type === undefined || type === "object" || isAmong("object", type);
  if (allowsObjects) return parameters;
  const given = (JSON.stringify(type) ?? "").slice(0, 100);
  const problem = `must be the schema of an object, because the arguments of the tool '${name.slice(0, 200)}' are one; its type is ${given}`;
  throw invalidValue(param, problem, "invalid_schema");
}

function isAmong(name: string, types: unknown): boolean {
  return Array.isArray(types) && types.includes(name);
}
