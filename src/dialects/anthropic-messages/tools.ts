/** Parses the tools and the tool choice of a messages request. Pure. */
import { noTools, type Tool, type ToolChoice } from "../../core/generation.js";
import { invalidValue, unsupported } from "../field-error.js";
import { toolParameters } from "../tool-parameters.js";
import type { MessagesRequestBody } from "./schema.js";

export interface ParsedTools {
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice;
}

/**
 * Reads `tools` and `tool_choice`. If the tool choice is `none`, no tools are returned.
 * @throws HearthError `invalid_value` if a tool has no schema of an object, two tools have the same name, or the choice names an
 * unknown tool.
 */
export function parseTools({ tools: toolBodies, tool_choice: choice }: MessagesRequestBody): ParsedTools {
  const tools = (toolBodies ?? []).map((tool, index) => readTool(tool, `tools.${index}`));
  const seen = new Set<string>();
  for (const [index, { name }] of tools.entries()) {
    if (seen.has(name)) throw invalidValue(`tools.${index}.name`, "is already the name of another tool");
    seen.add(name);
  }
  const toolChoice = readToolChoice(choice ?? { type: "auto" }, seen);
  return toolChoice.mode === "none" && tools.length > 0
    ? { tools: [], toolChoice: { ...toolChoice, withheld: tools } }
    : { tools, toolChoice };
}

type ToolBody = NonNullable<MessagesRequestBody["tools"]>[number];

function readTool({ type, name, description, input_schema: schema }: ToolBody, param: string): Tool {
  if (type != null && type !== "custom")
    throw unsupported(`${param}.type`, `tools of the type '${type.slice(0, 200)}' are`);
  if (name == null) throw invalidValue(`${param}.name`, "is required");
  if (schema == null) throw invalidValue(`${param}.input_schema`, "is required");
  const parameters = toolParameters(schema, name, `${param}.input_schema`);
  return description == null ? { name, parameters } : { name, description, parameters };
}

function readToolChoice(
  choice: NonNullable<MessagesRequestBody["tool_choice"]>,
  names: ReadonlySet<string>,
): ToolChoice {
  if (choice.type === "none") return noTools;
  if (choice.type === "auto" && names.size === 0) return noTools;
  const parallel = choice.disable_parallel_tool_use !== true;
  if (choice.type === "auto") return { mode: "auto", names: null, parallel };
  if (names.size === 0) throw invalidValue("tool_choice", "needs tools to choose from");
  if (choice.type === "any") return { mode: "required", names: null, parallel };
  if (!names.has(choice.name))
    throw invalidValue("tool_choice.name", `'${choice.name.slice(0, 200)}' is not among the tools`);
  return { mode: "required", names: [choice.name], parallel: false };
}
