/** Converts the calls and results of tools in a conversation to calls and results of functions, as the model knows them. Pure. */
import type { ToolCall } from "../../../core/generation.js";
import { textArguments } from "../../client-tools/text-input.js";
import { wellFormed } from "../../well-formed.js";
import { modelName } from "../tools/call-forms.js";
import type { InputItem } from "./input-item-schema.js";

type TypedCallInput = Extract<
  InputItem,
  { type: "local_shell_call" | "shell_call" | "apply_patch_call" | "tool_search_call" }
>;
export type CallInput = Extract<InputItem, { type: "function_call" | "custom_tool_call" }> | TypedCallInput;

const callTypes: ReadonlySet<string> = new Set<CallInput["type"]>([
  "function_call",
  "custom_tool_call",
  "local_shell_call",
  "shell_call",
  "apply_patch_call",
  "tool_search_call",
]);

/** A search that a hosted service executed is not one. */
export function isCall(item: InputItem): item is CallInput {
  return callTypes.has(item.type) && !isHostedSearch(item);
}

function isHostedSearch(item: InputItem): boolean {
  return item.type === "tool_search_call" && item.execution === "server";
}

export function toToolCall(item: CallInput): ToolCall {
  const id = wellFormed(item.call_id ?? item.id ?? "");
  if (item.type === "function_call" || item.type === "custom_tool_call") {
    const json = item.type === "function_call" ? item.arguments : textArguments(wellFormed(item.input));
    return { id, name: wellFormed(modelName(item.name, item.namespace)), arguments: wellFormed(json) };
  }
  return { id, name: item.type.replace(/_call$/, ""), arguments: wellFormed(typedArguments(item)) };
}

/** Returns the fields that the client knows as the arguments that the model wrote. */
function typedArguments({ type, action, operation, arguments: searched }: TypedCallInput): string {
  const fields = type === "tool_search_call" ? searched : type === "apply_patch_call" ? operation : action;
  if (typeof fields === "string") return fields;
  if (typeof fields !== "object" || fields === null) return "{}";
  const given = Object.entries(fields).filter(([, value]) => value !== null);
  const written =
    type === "local_shell_call" ? given.filter(([name]) => !["type", "env", "user"].includes(name)) : given;
  return JSON.stringify(Object.fromEntries(written));
}

type TypedResult = Extract<
  InputItem,
  { type: "local_shell_call_output" | "shell_call_output" | "apply_patch_call_output" | "tool_search_output" }
>;

/** Returns a result as the text that the model reads. */
export function resultText(item: TypedResult): string {
  if (item.type === "tool_search_output") return wellFormed(`Available tools: ${toolNames(item.tools)}`);
  const { output, status } = item;
  const text = typeof output === "string" ? output : (JSON.stringify(output ?? null) ?? "");
  if (item.type !== "apply_patch_call_output") return wellFormed(text);
  const outcome = output == null || text === "" ? "" : `: ${text}`;
  return wellFormed(`${status ?? "completed"}${outcome}`);
}

function toolNames(tools: readonly unknown[]): string {
  const names = tools.flatMap((tool): string[] => {
    if (typeof tool !== "object" || tool === null || !("name" in tool) || typeof tool.name !== "string")
      return [];
    const { name } = tool;
    if (!("tools" in tool) || !Array.isArray(tool.tools)) return [name];
    return tool.tools.map((inner: unknown) => modelName(readName(inner), name));
  });
  return names.length === 0 ? "none" : names.join(", ");
}

function readName(tool: unknown): string {
  return typeof tool === "object" && tool !== null && "name" in tool && typeof tool.name === "string"
    ? tool.name
    : "";
}
