/** Parses the tools and the tool choice of a messages request. Pure. */
import type { z } from "zod";
import { noTools, type Tool, type ToolChoice } from "../../../core/generation.js";
import { hostedTypes, leftOut, unsupportedTool } from "../../client-tools/hosted.js";
import { invalidValue } from "../../field-error.js";
import { toolParameters, type ParsedTools } from "../../tool-parameters.js";
import { isToolset, type MessagesMcpServer } from "../mcp/servers.js";
import { chosenMessagesMcpTool, offerMessagesServers, type McpToolNames } from "../mcp/tools.js";
import type { McpListings } from "../../mcp-tools.js";
import type { MessagesRequestBody, MessageBody } from "../schema.js";
import type { messagesToolSchema } from "./schema.js";

type MessagesToolBody = z.infer<typeof messagesToolSchema>;

interface MessagesTools extends ParsedTools {
  readonly mcpTools: McpToolNames;
}

type ToolFields = MessagesRequestBody;

/**
 * Reads `tools` and `tool_choice`, and the changes of the tools in the conversation. If the tool choice is `none`, no tools are
 * returned. Until all MCP servers have listed their tools, the tool choice is not read.
 * @throws HearthError `invalid_value` if a tool is of an unknown type, a function has no schema of an object, two tools have the same
 * name, or the choice names an unknown tool or one of Anthropic's servers.
 */
export function parseMessagesTools(
  { tools: bodies, tool_choice: choice, messages }: ToolFields,
  servers: readonly MessagesMcpServer[],
  listings: McpListings,
): MessagesTools {
  const { tools: all, hosted } = readTools((bodies ?? []).map((body) => (isToolset(body) ? null : body)));
  const available = availableTools(all, hosted, toolChanges(messages));
  const own = available.map(({ tool, param }) => ({ tool, schemaPath: `${param}.input_schema` }));
  const mcp = offerMessagesServers(
    servers,
    listings,
    new Set([...all.keys(), ...available.map(({ tool }) => tool.name)]),
  );
  const offered = [...own, ...mcp.tools];
  const tools = offered.map(({ tool }) => tool);
  const names = new Set(tools.map(({ name }) => name));
  const toolChoice = mcp.isListed
    ? readToolChoice(resolvedChoice(choice ?? { type: "auto" }, names, mcp.names), names, hosted)
    : noTools;
  const warnings = [
    ...hosted.map(({ param, type }) => leftOut(param, type)),
    ...servers.flatMap((server) => server.warnings),
  ];
  const rest = { warnings, mcpTools: mcp.names };
  return toolChoice.mode === "none" && tools.length > 0
    ? { tools: [], toolChoice: { ...toolChoice, withheld: tools }, schemaPaths: [], ...rest }
    : { tools, toolChoice, schemaPaths: offered.map(({ schemaPath }) => schemaPath), ...rest };
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

/** @param bodies null stands for a toolset, whose tools its server lists. */
function readTools(bodies: readonly (MessagesToolBody | null)[]) {
  const tools = new Map<string, ReadTool>();
  const hosted: HostedTool[] = [];
  for (const [index, body] of bodies.entries()) {
    if (body === null) continue;
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

function readTool({ type, name, description, input_schema: schema }: MessagesToolBody, param: string): Tool {
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

type ChoiceBody = NonNullable<MessagesRequestBody["tool_choice"]>;

/** Names a tool of an MCP server as the model knows it. */
function resolvedChoice(choice: ChoiceBody, names: ReadonlySet<string>, mcp: McpToolNames): ChoiceBody {
  if (choice.type !== "tool" || names.has(choice.name)) return choice;
  return { ...choice, name: chosenMessagesMcpTool(choice.name, mcp) ?? choice.name };
}

function readToolChoice(
  choice: ChoiceBody,
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
  const mode = "required";
  return { mode, names: [choice.name], parallel: false, forced: { parallelAfterwards: parallel } };
}

/** A change of the available tools in the course of a conversation. */
type ToolChange =
  | { readonly type: "load" | "remove"; readonly name: string }
  | { readonly type: "define"; readonly definition: MessagesToolBody; readonly param: string };

/** Returns the changes in the order of the conversation. */
function toolChanges(messages: readonly MessageBody[]): readonly ToolChange[] {
  return messages.flatMap(({ content }, index) =>
    typeof content === "string"
      ? []
      : content.flatMap((block, at) => readChanges(block, `messages.${index}.content.${at}`)),
  );
}

type Block = Exclude<MessageBody["content"], string>[number];

function readChanges(block: Block, param: string): readonly ToolChange[] {
  switch (block.type) {
    case "tool_result":
    case "tool_search_tool_result":
      return referencesIn(block.content).map((name) => ({ type: "load", name }));
    case "tool_addition": {
      const { tool } = block;
      return tool.type === "tool_reference"
        ? [{ type: "load", name: tool.name }]
        : [{ type: "define", definition: tool.definition, param: `${param}.tool.definition` }];
    }
    case "tool_removal":
      return [{ type: "remove", name: block.tool.name }];
    default:
      return [];
  }
}

/** Returns the names of the tools that the result of a search refers to. */
function referencesIn(content: unknown): readonly string[] {
  if (typeof content !== "object" || content === null) return [];
  if ("tool_references" in content) return referencesIn(content.tool_references);
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown) => {
    if (typeof block !== "object" || block === null || !("tool_name" in block)) return [];
    return typeof block.tool_name === "string" ? [block.tool_name] : [];
  });
}

// Anthropic's client tools: the client sends their type and name only, and executes them. The schemas are from Anthropic's documentation;
// versions of a type differ in details that a client's own checks report.

const text = { type: "string" };
const line = { type: "integer", minimum: 0 };
const path = { type: "string", description: "Absolute path of the file or folder." };
const viewRange = {
  type: "array",
  items: { type: "integer" },
  minItems: 2,
  maxItems: 2,
  description: "First and last line to show, counted from 1; -1 as the last shows the rest.",
};

const bash = {
  description: "Runs a command in a shell that keeps its state between calls.",
  parameters: {
    type: "object",
    properties: {
      command: { type: "string", description: "The command to run. Required unless `restart` is true." },
      restart: { type: "boolean", description: "Starts the shell again." },
    },
    additionalProperties: false,
  },
};

const viewFile = describeCommand("view", { path, view_range: viewRange }, ["path"]);
const createFile = describeCommand("create", { path, file_text: text }, ["path", "file_text"]);
const replaceText = describeCommand("str_replace", { path, old_str: text, new_str: text }, [
  "path",
  "old_str",
]);
const editor = (insertedText: "insert_text" | "new_str") => ({
  description: "Shows, creates and edits files. `str_replace` replaces text that occurs exactly once.",
  parameters: {
    type: "object",
    oneOf: [
      viewFile,
      createFile,
      replaceText,
      describeCommand("insert", { path, insert_line: line, [insertedText]: text }, [
        "path",
        "insert_line",
        insertedText,
      ]),
    ],
  },
});
const memory = {
  description: "Keeps notes in files below /memories, which are there in later conversations, too.",
  parameters: {
    type: "object",
    oneOf: [
      viewFile,
      createFile,
      replaceText,
      describeCommand("insert", { path, insert_line: line, insert_text: text }, [
        "path",
        "insert_line",
        "insert_text",
      ]),
      describeCommand("delete", { path }, ["path"]),
      describeCommand("rename", { old_path: path, new_path: path }, ["old_path", "new_path"]),
    ],
  },
};

/** Returns what the model sees of a client tool; null for other types. @param type such as `bash_20250124`. */
function typedTool(type: string): Omit<Tool, "name"> | null {
  if (/^bash_\d{8}$/.test(type)) return bash;
  if (/^memory_\d{8}$/.test(type)) return memory;
  const version = /^text_editor_(\d{8})$/.exec(type)?.[1];
  if (version === undefined) return null;
  return editor(version >= "20250728" ? "insert_text" : "new_str");
}

function describeCommand(
  command: string,
  properties: Readonly<Record<string, unknown>>,
  required: readonly string[],
) {
  return {
    type: "object",
    properties: { command: { type: "string", enum: [command] }, ...properties },
    required: ["command", ...required],
    additionalProperties: false,
  };
}
