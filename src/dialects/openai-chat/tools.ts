/** Parses the tools and the tool choice of a chat request. Pure. */
import { HearthError } from "../../core/errors.js";
import type { Tool, ToolChoice } from "../../core/generation.js";
import { textInputTool } from "../client-tools/text-input.js";
import { invalidValue } from "../field-error.js";
import { toolParameters, type ParsedTools } from "../tool-parameters.js";
import type { ChatRequestBody } from "./schema.js";

interface ChatTools extends ParsedTools {
  /** Names of the tools whose input is a text. */
  readonly textTools: ReadonlySet<string>;
}

/**
 * Reads `tools` or the older `functions`. If the tool choice is `none`, no tools are returned.
 * @throws HearthError `invalid_value` if two tools have the same name, the parameters of one are not an object's, or the choice
 * names an unknown tool.
 */
export function parseChatTools(fields: ChatRequestBody): ChatTools {
  const { tools, schemaPaths, ...texts } = readTools(fields);
  const toolChoice = readToolChoice(fields, tools);
  return toolChoice.mode === "none" && tools.length > 0
    ? { tools: [], toolChoice: { ...toolChoice, withheld: tools }, schemaPaths: [], ...texts }
    : { tools, toolChoice, schemaPaths, ...texts };
}

function readTools(fields: ChatRequestBody): Omit<ChatTools, "toolChoice"> {
  const modern = (fields.tools ?? []).flatMap((tool, index) => readTool(tool, `tools.${index}`));
  const older = (fields.functions ?? []).map((each, index) =>
    readFunction(each, `functions.${index}.parameters`),
  );
  const read = modern.length > 0 ? modern : older;
  const seen = new Set<string>();
  for (const { tool } of read) {
    if (seen.has(tool.name))
      throw invalidValue(
        modern.length > 0 ? "tools" : "functions",
        `must not name '${tool.name.slice(0, 200)}' twice`,
      );
    seen.add(tool.name);
  }
  return {
    tools: read.map(({ tool }) => tool),
    schemaPaths: read.map(({ schemaPath }) => schemaPath),
    textTools: new Set(read.flatMap(({ tool, isText }) => (isText ? [tool.name] : []))),
    warnings: read.flatMap(({ warnings }) => warnings),
  };
}

interface ReadTool {
  readonly tool: Tool;
  readonly schemaPath: string;
  /** Whether the input is a text. */
  readonly isText: boolean;
  readonly warnings: readonly string[];
}

type ToolBody = NonNullable<ChatRequestBody["tools"]>[number];
type FunctionBody = NonNullable<ChatRequestBody["functions"]>[number];

function readTool(tool: ToolBody, param: string): readonly ReadTool[] {
  if (tool.type === "function") return [readFunctionTool(tool, param)];
  if (tool.type !== "custom") return [];
  const { name, description, format } = tool.custom;
  const grammar = format?.type === "grammar" ? format.grammar : null;
  return [
    { ...textInputTool(name, description, grammar), schemaPath: `${param}.custom.format`, isText: true },
  ];
}

/** Reads a tool in OpenAI's form, or in the one without `function`. @throws HearthError `invalid_field` where it has no name */
function readFunctionTool(tool: Extract<ToolBody, { type: "function" }>, param: string): ReadTool {
  const { name } = tool;
  if (tool.function != null) return readFunction(tool.function, `${param}.function.parameters`);
  if (name != null) return readFunction({ ...tool, name }, `${param}.parameters`);
  const missing = `${param}.function`;
  throw new HearthError("invalid_field", `${missing}: is required`, { param: missing });
}

function readFunction({ name, description, parameters }: FunctionBody, schemaPath: string): ReadTool {
  const schema = toolParameters(parameters ?? noParameters, name, schemaPath);
  const tool = { name, description: description ?? undefined, parameters: schema };
  return { tool, schemaPath, isText: false, warnings: [] };
}

const noParameters: Tool["parameters"] = { type: "object", properties: {} };

function readToolChoice(fields: ChatRequestBody, tools: readonly Tool[]): ToolChoice {
  const parallel = fields.parallel_tool_calls ?? fields.parallel_function_calling ?? true;
  const { function_call: call } = fields;
  const choice = readMode(fields.tool_choice);
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
  if (choice.type !== "allowed_tools")
    return {
      mode: "required",
      names: requireKnownTools([readName(choice)], tools, "tool_choice"),
      parallel: false,
    };
  const { mode, tools: allowed } = choice.allowed_tools;
  const names = allowed.map(readName);
  return { mode, names: requireKnownTools(names, tools, "tool_choice"), parallel };
}

type ChoiceBody = ChatRequestBody["tool_choice"];
type NamedTool = Extract<ChoiceBody, { type: "function" | "tool" | "custom" }>;
type AllowedTools = Extract<ChoiceBody, { type: "allowed_tools" }>;

/** Reads the forms of a choice that names no tool: a word, or an object of it; `any` is `required`. */
function readMode(
  choice: ChoiceBody,
): "none" | "auto" | "required" | NamedTool | AllowedTools | null | undefined {
  if (choice == null) return choice;
  if (typeof choice === "string") return choice === "any" ? "required" : choice;
  switch (choice.type) {
    case "any":
      return "required";
    case "none":
    case "auto":
    case "required":
      return choice.type;
    default:
      return choice;
  }
}

/** @throws HearthError `invalid_field` where it has no name */
function readName(named: NamedTool): string {
  const name = (named.type === "custom" ? named.custom : named.function)?.name ?? named.name;
  if (name != null) return name;
  const field = named.type === "custom" ? "tool_choice.custom" : "tool_choice.function";
  throw new HearthError("invalid_field", `${field}: is required`, { param: field });
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
