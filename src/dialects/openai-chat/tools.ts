/** Parses the tools and the tool choice of a chat request. Pure. */
import type { Tool, ToolChoice } from "../../core/generation.js";
import { invalidValue } from "../field-error.js";
import { toolParameters } from "../tool-parameters.js";
import type { ChatRequestBody } from "./schema.js";

export interface ParsedTools {
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice;
  /** Dotted path of each tool's schema in the request. */
  readonly schemaPaths: readonly string[];
}

/**
 * Reads `tools` or the older `functions`. If the tool choice is `none`, no tools are returned.
 * @throws HearthError `invalid_value` if two tools have the same name, the parameters of one are not an object's, or the choice
 * names an unknown tool.
 */
export function parseTools(fields: ChatRequestBody): ParsedTools {
  const { tools, schemaPaths } = readTools(fields);
  const toolChoice = readToolChoice(fields, tools);
  return toolChoice.mode === "none" && tools.length > 0
    ? { tools: [], toolChoice: { ...toolChoice, withheld: tools }, schemaPaths: [] }
    : { tools, toolChoice, schemaPaths };
}

function readTools(fields: ChatRequestBody): Pick<ParsedTools, "tools" | "schemaPaths"> {
  const modern = fields.tools ?? [];
  const list = modern.flatMap((tool) => (tool.type === "function" ? [tool.function] : []));
  const [param, given] = list.length > 0 ? ["tools", list] : ["functions", fields.functions ?? []];
  const seen = new Set<string>();
  const schemaPaths = given.map((_, index) =>
    param === "tools" ? `tools.${index}.function.parameters` : `functions.${index}.parameters`,
  );
  const tools = given.map(({ name, description, parameters }, index) => {
    if (seen.has(name)) throw invalidValue(param, `must not name '${name.slice(0, 200)}' twice`);
    seen.add(name);
    const described = description == null ? {} : { description };
    const schema = toolParameters(parameters ?? noParameters, name, schemaPaths[index] ?? param);
    return { name, ...described, parameters: schema };
  });
  return { tools, schemaPaths };
}

const noParameters: Tool["parameters"] = { type: "object", properties: {} };

function readToolChoice(fields: ChatRequestBody, tools: readonly Tool[]): ToolChoice {
  const parallel = fields.parallel_tool_calls ?? fields.parallel_function_calling ?? true;
  const { tool_choice: choice, function_call: call } = fields;
  if (choice == null && call != null) {
    if (typeof call === "string") return { mode: call, names: null, parallel: false };
    return {
      mode: "required",
      names: requireKnownTools([call.name], tools, "function_call"),
      parallel: false,
    };
  }
  if (choice == null || typeof choice === "string") {
    const mode = choice ?? (tools.length === 0 ? "none" : "auto");
    if (mode === "required" && tools.length === 0)
      throw invalidValue("tool_choice", "needs tools to choose from");
    return { mode, names: null, parallel };
  }
  if (choice.type === "function")
    return {
      mode: "required",
      names: requireKnownTools([choice.function.name], tools, "tool_choice"),
      parallel: false,
    };
  const { mode, tools: allowed } = choice.allowed_tools;
  const names = allowed.map((tool) => tool.function.name);
  return { mode, names: requireKnownTools(names, tools, "tool_choice"), parallel };
}

function requireKnownTools(
  names: readonly string[],
  tools: readonly Tool[],
  param: string,
): readonly string[] {
  for (const name of names)
    if (!tools.some((tool) => tool.name === name))
      throw invalidValue(param, `names the tool '${name.slice(0, 200)}', which is not among the tools`);
  if (names.length === 0) throw invalidValue(param, "must allow at least one tool");
  return names;
}
