/** Parses the tools and the tool choice of a messages request. Pure. */
import { noTools, type Tool, type ToolChoice } from "../../../core/generation.js";
import { hostedTypes, leftOut, unsupportedTool } from "../../client-tools/hosted.js";
import { invalidValue } from "../../field-error.js";
import { toolParameters } from "../../tool-parameters.js";
import type { MessagesRequestBody } from "../schema.js";
import { toolChanges, type ToolChange } from "./changes.js";
import type { ToolBody } from "./schema.js";
import { typedTool } from "./typed-tools.js";

export interface ParsedTools {
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice;
  /** Dotted path of each tool's schema in the request. */
  readonly schemaPaths: readonly string[];
  /** Sentences about tools that are left out. */
  readonly warnings: readonly string[];
}

type ToolFields = Pick<MessagesRequestBody, "tools" | "tool_choice" | "messages">;

/**
 * Reads `tools` and `tool_choice`, and the changes of the tools in the conversation. If the tool choice is `none`, no tools are
 * returned.
 * @throws HearthError `invalid_value` if a tool is of an unknown type, a function has no schema of an object, two tools have the same
 * name, or the choice names an unknown tool or one of Anthropic's servers.
 */
export function parseTools({ tools: bodies, tool_choice: choice, messages }: ToolFields): ParsedTools {
  const { tools: all, hosted } = readTools(bodies ?? []);
  const available = availableTools(all, hosted, toolChanges(messages));
  const tools = available.map(({ tool }) => tool);
  const names = new Set(tools.map(({ name }) => name));
  const toolChoice = readToolChoice(choice ?? { type: "auto" }, names, hosted);
  const warnings = hosted.map(({ param, type }) => leftOut(param, type));
  return toolChoice.mode === "none" && tools.length > 0
    ? { tools: [], toolChoice: { ...toolChoice, withheld: tools }, schemaPaths: [], warnings }
    : { tools, toolChoice, schemaPaths: available.map(({ param }) => `${param}.input_schema`), warnings };
}

interface ReadTool {
  readonly tool: Tool;
  readonly param: string;
  readonly isDeferred: boolean;
}

/** A tool that Anthropic's servers execute. */
interface HostedTool {
  readonly name: string | null;
  readonly param: string;
  readonly type: string;
}

function readTools(bodies: readonly ToolBody[]) {
  const tools = new Map<string, ReadTool>();
  const hosted: HostedTool[] = [];
  for (const [index, body] of bodies.entries()) {
    const param = `tools.${index}`;
    const { type, name, defer_loading: deferred } = body;
    if (type != null && hostedTypes.test(type)) {
      hosted.push({ name: name ?? null, param, type });
      continue;
    }
    const tool = readTool(body, param);
    if (tools.has(tool.name)) throw invalidValue(`${param}.name`, "is already the name of another tool");
    tools.set(tool.name, { tool, param, isDeferred: deferred === true });
  }
  return { tools, hosted };
}

/**
 * Applies the changes of the conversation. Deferred tools are left out until something names them, unless a tool of Anthropic's servers
 * would have to find them.
 */
function availableTools(
  tools: ReadonlyMap<string, ReadTool>,
  hosted: readonly HostedTool[],
  changes: readonly ToolChange[],
): readonly ReadTool[] {
  const searchIsHosted = hosted.some(({ type }) => type.startsWith("tool_search_tool_"));
  const known = new Map(tools);
  const available = new Set(
    [...tools.keys()].filter((name) => searchIsHosted || tools.get(name)?.isDeferred === false),
  );
  for (const change of changes) {
    if (change.type === "remove") available.delete(change.name);
    if (change.type === "load" && known.has(change.name)) available.add(change.name);
    if (change.type !== "define" || hostedTypes.test(change.definition.type ?? "")) continue;
    const tool = readTool(change.definition, change.param);
    known.set(tool.name, { tool, param: change.param, isDeferred: false });
    available.add(tool.name);
  }
  return [...known.values()].filter(({ tool }) => available.has(tool.name));
}

function readTool({ type, name, description, input_schema: schema }: ToolBody, param: string): Tool {
  if (type != null && type !== "custom") {
    const typed = typedTool(type);
    if (typed === null) throw unsupportedTool(`${param}.type`, type);
    return { name: name ?? type.replace(/_\d{8}$/, ""), ...typed };
  }
  if (name == null) throw invalidValue(`${param}.name`, "is required");
  if (schema == null) throw invalidValue(`${param}.input_schema`, "is required");
  const parameters = toolParameters(schema, name, `${param}.input_schema`);
  return description == null ? { name, parameters } : { name, description, parameters };
}

function readToolChoice(
  choice: NonNullable<MessagesRequestBody["tool_choice"]>,
  names: ReadonlySet<string>,
  hosted: readonly HostedTool[],
): ToolChoice {
  if (choice.type === "none") return noTools;
  if (choice.type === "auto" && names.size === 0) return noTools;
  const parallel = choice.disable_parallel_tool_use !== true;
  if (choice.type === "auto") return { mode: "auto", names: null, parallel };
  const forced = choice.type === "any" ? hosted[0] : hosted.find(({ name }) => name === choice.name);
  if (forced !== undefined && (choice.type === "tool" || names.size === 0))
    throw unsupportedTool(`${forced.param}.type`, forced.type);
  if (names.size === 0) throw invalidValue("tool_choice", "needs tools to choose from");
  if (choice.type === "any") return { mode: "required", names: null, parallel };
  if (!names.has(choice.name))
    throw invalidValue("tool_choice.name", `'${choice.name.slice(0, 200)}' is not among the tools`);
  return { mode: "required", names: [choice.name], parallel: false };
}
