/** Parses the tools and the tool choice of a responses request. Pure. */
import type { z } from "zod";
import type { HearthError } from "../../../core/errors.js";
import type { Tool, ToolChoice } from "../../../core/generation.js";
import { hostedTypes, leftOut, unsupportedTool } from "../../client-tools/hosted.js";
import { textInputTool } from "../../client-tools/text-input.js";
import { invalidValue } from "../../field-error.js";
import { toolParameters, type ParsedTools } from "../../tool-parameters.js";
import { modelName, type CallForms, type TypedCall } from "./call-forms.js";
import type { ReadTool } from "./read-tool.js";
import type { ChosenMcpTool } from "./mcp/schema.js";
import { namesOfMcp, offerMcpServers, readMcpServers, type RequestedMcpServer } from "./mcp/tools.js";
import type { ChosenToolBody, ImageToolBody, ToolBody, toolChoiceSchema } from "./schema.js";
import {
  imageGenerationTool,
  imageToolSettings,
  type ServerToolOffer,
  type ServerToolSettings,
} from "./server-tools.js";

type ToolChoiceBody = z.infer<typeof toolChoiceSchema>;

export interface ResponsesTools extends ParsedTools {
  readonly callForms: CallForms;
  /** The tools whose calls the server executes. */
  readonly serverTools: readonly ServerToolSettings[];
  /** The MCP servers of the request, in order. */
  readonly mcpServers: readonly RequestedMcpServer[];
}

/** The fields of a request that concern tools. */
export interface ToolFields {
  readonly tools?: readonly ToolBody[] | null;
  readonly tool_choice?: ToolChoiceBody | null;
  readonly parallel_tool_calls?: boolean | null;
}

/** Tools that a search or the client has added in the course of the conversation, and the field that has them. */
export interface AddedTools {
  readonly tools: readonly ToolBody[];
  readonly param: string;
}

/**
 * Reads `tools` and `tool_choice`. If the tool choice is `none`, no tools are returned.
 * @param offer what the server executes. @param added tools of the conversation; one that has the name of another is the same tool.
 * @throws HearthError `invalid_value` if a tool is not supported and must be called, its parameters are not an object's, two tools have
 * the same name, or the choice names an unknown tool.
 */
export function parseResponsesTools(
  fields: ToolFields,
  offer: ServerToolOffer,
  added: readonly AddedTools[] = [],
): ResponsesTools {
  const given = readAll(fields.tools ?? [], "tools", fields, offer);
  const mcpServers = readMcpServers(fields.tools ?? [], offer);
  const byName = new Map<string, ReadTool>();
  for (const each of given.tools) {
    if (byName.has(each.tool.name))
      throw invalidValue(`${each.param}.name`, "is already the name of another tool");
    byName.set(each.tool.name, each);
  }
  for (const { tools, param } of added)
    for (const each of readAll(tools, param, { ...fields, tools, isLoaded: true }, offer).tools)
      if (!byName.has(each.tool.name)) byName.set(each.tool.name, each);
  const { offered, isListed } = offerMcpServers(mcpServers, offer, byName);
  for (const each of offered) byName.set(each.tool.name, each);
  const all = [...byName.values()];
  const toolChoice = isListed
    ? readToolChoice(fields, new Set(byName.keys()), given.hosted, all)
    : { mode: "auto" as const, names: null, parallel: true };
  const tools = all.map(({ tool }) => tool);
  const read = {
    callForms: new Map(all.map(({ tool, form }) => [tool.name, form] as const)),
    serverTools: all.flatMap(({ server }) => server ?? []),
    mcpServers,
    warnings: [
      ...given.hosted.map(({ param, type, refusal }) =>
        refusal === null ? leftOut(param, type) : leftOutBecause(param, refusal),
      ),
      ...all.flatMap((each) => each.warnings),
    ],
  };
  return toolChoice.mode === "none" && tools.length > 0
    ? { ...read, tools: [], toolChoice: { ...toolChoice, withheld: tools }, schemaPaths: [] }
    : { ...read, tools, toolChoice, schemaPaths: all.map(({ schemaPath }) => schemaPath) };
}

interface HostedTool {
  readonly param: string;
  readonly type: string;
  /** Why the server does not execute it for this key; null for a type that it executes for none. */
  readonly refusal: HearthError | null;
}

function readAll(
  bodies: readonly ToolBody[],
  param: string,
  fields: ToolFields & { readonly isLoaded?: boolean },
  offer: ServerToolOffer,
): { readonly tools: readonly ReadTool[]; readonly hosted: readonly HostedTool[] } {
  const searches = bodies.some((tool) => tool.type === "tool_search" && tool.execution === "client");
  const isDeferred = (tool: ToolBody): boolean =>
    searches && fields.isLoaded !== true && "defer_loading" in tool && tool.defer_loading === true;
  const tools: ReadTool[] = [];
  const hosted: HostedTool[] = [];
  for (const [index, body] of bodies.entries()) {
    const at = `${param}.${index}`;
    const type = findHostedType(body);
    if (type !== null) hosted.push({ param: at, type: requireHosted(type, at), refusal: null });
    else if (body.type === "mcp") {
      if (offer.mcp === undefined || param !== "tools") throw unsupportedTool(`${at}.type`, body.type);
    } else if (body.type === "image_generation") {
      const problem = offer.imageGeneration(body.model ?? null);
      if (problem === null) tools.push(readImageTool(body, at));
      else hosted.push({ param: at, type: body.type, refusal: problem === "none" ? null : problem });
    } else if (body.type !== "namespace" && body.type !== "hosted")
      tools.push(...(isDeferred(body) ? [] : [readTool(body, at, null)]));
    else if (body.type === "namespace")
      for (const [inner, tool] of body.tools.entries())
        if (!isDeferred(tool)) tools.push(readTool(tool, `${at}.tools.${inner}`, body));
  }
  return { tools, hosted };
}

/** Returns the type of a tool that a hosted service executes; null for tools of the client. */
function findHostedType(tool: ToolBody): string | null {
  switch (tool.type) {
    case "hosted":
      return tool.requestedType;
    case "tool_search":
      return tool.execution === "client" ? null : tool.type;
    case "shell":
      return tool.environment == null || tool.environment.type === "local" ? null : tool.type;
    default:
      return null;
  }
}

function requireHosted(type: string, param: string): string {
  if (type !== "tool_search" && type !== "shell" && !hostedTypes.test(type))
    throw unsupportedTool(`${param}.type`, type);
  return type;
}

function readImageTool(body: ImageToolBody, param: string): ReadTool {
  return {
    param,
    schemaPath: param,
    warnings: [],
    form: { type: body.type },
    tool: imageGenerationTool,
    server: imageToolSettings(body, param),
  };
}

type ClientTool = Exclude<ToolBody, { type: "namespace" | "hosted" | "image_generation" | "mcp" }>;
type Namespace = Extract<ToolBody, { type: "namespace" }>;

function readTool(body: ClientTool, param: string, namespace: Namespace | null): ReadTool {
  const place = { param, schemaPath: `${param}.parameters`, warnings: [], server: null };
  switch (body.type) {
    case "function":
    case "custom": {
      const name = modelName(body.name, namespace?.name);
      const description = described(body.description, namespace);
      const form = { type: body.type, name: body.name, namespace: namespace?.name ?? null } as const;
      if (body.type === "function")
        return { ...place, form, tool: functionTool(name, description, body.parameters, place.schemaPath) };
      const grammar = body.format?.type === "grammar" ? body.format : null;
      return { ...place, form, schemaPath: `${param}.format`, ...textInputTool(name, description, grammar) };
    }
    case "tool_search": {
      const { description, parameters } = body;
      const tool = functionTool(body.type, description, parameters, place.schemaPath);
      return { ...place, form: { type: body.type }, tool };
    }
    default:
      return { ...place, form: { type: body.type }, tool: typedTools[body.type] };
  }
}

function functionTool(
  name: string,
  description: string | null | undefined,
  parameters: Tool["parameters"] | null | undefined,
  param: string,
): Tool {
  const schema = toolParameters(parameters ?? { type: "object", properties: {} }, name, param);
  return { name, description: description ?? undefined, parameters: schema };
}

/** The description of a namespace is part of the descriptions of its tools. */
function described(description: string | null | undefined, namespace: Namespace | null): string | null {
  const texts = [namespace?.description, description].filter((text) => text != null && text !== "");
  return texts.length === 0 ? (description ?? null) : texts.join("\n\n");
}

function readToolChoice(
  fields: ToolFields,
  names: ReadonlySet<string>,
  hosted: readonly HostedTool[],
  all: readonly ReadTool[],
): ToolChoice {
  const parallel = fields.parallel_tool_calls ?? true;
  const choice = fields.tool_choice ?? "auto";
  const [firstHosted] = hosted;
  if (typeof choice === "string") {
    if (choice === "required" && names.size === 0) {
      if (firstHosted !== undefined)
        throw firstHosted.refusal ?? unsupportedTool(`${firstHosted.param}.type`, firstHosted.type);
      throw invalidValue("tool_choice", "needs tools to choose from");
    }
    return { mode: names.size === 0 ? "none" : choice, names: null, parallel };
  }
  const refusedFor = (type: string): HearthError =>
    hosted.find((each) => each.type === type)?.refusal ?? unsupportedTool("tool_choice", type);
  const listNames = (chosen: ChosenToolBody): readonly string[] => {
    if ("server_label" in chosen) return namesOfMcp(chosen, all);
    const name = nameOfChosen(chosen, names);
    if (name === null) throw refusedFor(chosen.type);
    return [name];
  };
  if (!isAllowedTools(choice)) {
    const forced = { parallelAfterwards: parallel };
    return { mode: "required", names: requireKnownTools(listNames(choice), names), parallel: false, forced };
  }
  const allowed = choice.tools.filter(({ type }) => !hostedTypes.test(type) || names.has(type));
  const [dropped] = choice.tools;
  if (allowed.length === 0 && dropped !== undefined) {
    if (choice.mode === "required") throw refusedFor(dropped.type);
    return { mode: "none", names: null, parallel };
  }
  return { mode: choice.mode, names: requireKnownTools(allowed.flatMap(listNames), names), parallel };
}

type AllowedTools = Extract<ToolChoiceBody, { tools: unknown }>;

function isAllowedTools(choice: Exclude<ToolChoiceBody, string>): choice is AllowedTools {
  return "tools" in choice;
}

/** Returns the name for the model; null if the tool is one that the server does not execute. */
function nameOfChosen(
  chosen: Exclude<ChosenToolBody, ChosenMcpTool>,
  names: ReadonlySet<string>,
): string | null {
  if ("name" in chosen) return modelName(chosen.name, chosen.namespace);
  const { type } = chosen;
  const isOwnType = type === "tool_search" || Object.hasOwn(typedTools, type);
  return isOwnType || (type === "image_generation" && names.has(type)) ? type : null;
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

// The tools without parameters of their own, as functions for the model, and the fields of their calls as OpenAI publishes them.

const optionalMs = { type: "integer", minimum: 1, description: "Time limit in milliseconds." };

const typedTools: Readonly<Record<Exclude<TypedCall, "tool_search">, Tool>> = {
  local_shell: {
    name: "local_shell",
    description: "Runs a program on the user's computer.",
    parameters: describeObject(
      {
        command: {
          type: "array",
          items: { type: "string" },
          minItems: 1,
          description: "The program and its arguments.",
        },
        timeout_ms: optionalMs,
        working_directory: { type: "string" },
      },
      ["command"],
    ),
  },
  shell: {
    name: "shell",
    description: "Runs shell commands on the user's computer.",
    parameters: describeObject(
      {
        commands: { type: "array", items: { type: "string" }, minItems: 1 },
        timeout_ms: optionalMs,
        max_output_length: {
          type: "integer",
          minimum: 1,
          description: "Maximum characters of the output of each command.",
        },
      },
      ["commands"],
    ),
  },
  apply_patch: {
    name: "apply_patch",
    description:
      "Creates, updates or deletes a file. The diff has @@ before each section; its lines begin with a space, with - if they are removed, or with + if they are added. A new file has only lines with +.",
    parameters: {
      type: "object",
      oneOf: [
        operation(["create_file", "update_file"], ["path", "diff"]),
        operation(["delete_file"], ["path"]),
      ],
    },
  },
};

function operation(types: readonly string[], fields: readonly string[]) {
  const texts = fields.map((name) => [name, { type: "string" }] as const);
  return describeObject({ type: { type: "string", enum: types }, ...Object.fromEntries(texts) }, [
    "type",
    ...fields,
  ]);
}

function describeObject(properties: Readonly<Record<string, unknown>>, required: readonly string[]) {
  return { type: "object", properties, required, additionalProperties: false };
}

/** Returns why a tool that the server executes for other keys or models is left out. */
function leftOutBecause(param: string, { message }: Error): string {
  return `${param}: the tool was left out: ${message}`;
}
