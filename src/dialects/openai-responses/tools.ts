/** Parses the tools and the tool choice of a responses request. Pure. */
import type { Tool, ToolChoice } from "../../core/generation.js";
import { invalidValue, unsupported } from "../field-error.js";
import { toolParameters } from "../tool-parameters.js";
import type { ResponsesRequestBody } from "./schema.js";

export interface ParsedTools {
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice;
}

type ToolBody = NonNullable<ResponsesRequestBody["tools"]>[number];

/**
 * Reads `tools` and `tool_choice`. If the tool choice is `none`, no tools are returned.
 * @throws HearthError `invalid_value` if a tool is not a function, its parameters are not an object's, two tools have the same name,
 * or the choice names an unknown tool.
 */
export function parseTools(fields: ResponsesRequestBody): ParsedTools {
  const tools = (fields.tools ?? []).map((tool, index) => readTool(tool, `tools.${index}`));
  const seen = new Set<string>();
  for (const [index, { name }] of tools.entries()) {
    if (seen.has(name)) throw invalidValue(`tools.${index}.name`, "is already the name of another tool");
    seen.add(name);
  }
  const toolChoice = readToolChoice(fields, seen);
  return toolChoice.mode === "none" && tools.length > 0
    ? { tools: [], toolChoice: { ...toolChoice, withheld: tools } }
    : { tools, toolChoice };
}

function readTool(tool: ToolBody, param: string): Tool {
  if (tool.type !== "function")
    throw unsupported(`${param}.type`, `tools of the type '${tool.requestedType.slice(0, 200)}' are`);
  const { name, description, parameters } = tool;
  const described = description == null ? {} : { description };
  const schema = toolParameters(
    parameters ?? { type: "object", properties: {} },
    name,
    `${param}.parameters`,
  );
  return { name, ...described, parameters: schema };
}

function readToolChoice(fields: ResponsesRequestBody, names: ReadonlySet<string>): ToolChoice {
  const parallel = fields.parallel_tool_calls ?? true;
  const choice = fields.tool_choice ?? "auto";
  if (typeof choice === "string") {
    if (choice === "required" && names.size === 0)
      throw invalidValue("tool_choice", "needs tools to choose from");
    return { mode: names.size === 0 ? "none" : choice, names: null, parallel };
  }
  if (choice.type === "function")
    return { mode: "required", names: requireKnownTools([choice.name], names), parallel: false };
  const allowed = choice.tools.map(({ name }) => name);
  return { mode: choice.mode, names: requireKnownTools(allowed, names), parallel };
}

function requireKnownTools(chosen: readonly string[], names: ReadonlySet<string>): readonly string[] {
  for (const name of chosen)
    if (!names.has(name))
      throw invalidValue(
        "tool_choice",
        `names the tool '${name.slice(0, 200)}', which is not among the tools`,
      );
  if (chosen.length === 0) throw invalidValue("tool_choice", "must allow at least one tool");
  return chosen;
}
