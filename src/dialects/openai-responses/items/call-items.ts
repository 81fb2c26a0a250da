/** Builds the item of a tool call from its arguments, in the form that the client expects. Pure. */
import { readTextInput } from "../../client-tools/text-input-reader.js";
import type { CompactionItem, OutputItem, OutputItemStatus, ServerItem } from "../response-schema.js";
import type { ClientCallForm } from "../tools/call-forms.js";
import type { ItemKind } from "./ids.js";

/** A call of the model; its arguments may be incomplete. */
interface CallSoFar {
  readonly itemId: string;
  readonly callId: string;
  readonly form: ClientCallForm;
  readonly status: OutputItemStatus;
  /** JSON text. */
  readonly arguments: string;
}

type CallItem = Exclude<OutputItem, { type: "reasoning" | "message" } | ServerItem | CompactionItem>;

const itemTypes = {
  function: "function_call",
  custom: "custom_tool_call",
  local_shell: "local_shell_call",
  shell: "shell_call",
  apply_patch: "apply_patch_call",
  tool_search: "tool_search_call",
  mcp_approval: "mcp_approval_request",
} as const;

export const callItemKinds: Readonly<Record<CallItem["type"], ItemKind>> = {
  function_call: "fc",
  custom_tool_call: "ctc",
  local_shell_call: "lsh",
  shell_call: "sh",
  apply_patch_call: "apc",
  tool_search_call: "tsc",
  mcp_approval_request: "mcpr",
};

/** Returns the type of the items of a form. */
export function callItemType({ type }: ClientCallForm): CallItem["type"] {
  return itemTypes[type];
}

/** Fields whose arguments are missing are empty or null. */
export function callItem(call: CallSoFar): CallItem {
  const { itemId: id, callId: call_id, form, status, arguments: json } = call;
  if (form.type === "function" || form.type === "custom") {
    const named = { name: form.name, namespace: form.namespace ?? undefined };
    return form.type === "function"
      ? { id, type: "function_call", status, call_id, ...named, arguments: json }
      : { id, type: "custom_tool_call", status, call_id, ...named, input: readTextInput(json) };
  }
  if (form.type === "mcp_approval")
    return {
      id,
      type: "mcp_approval_request",
      status,
      server_label: form.label,
      name: form.name,
      arguments: json,
    };
  const fields = parseObject(json);
  switch (form.type) {
    case "local_shell":
      return { id, type: "local_shell_call", status, call_id, action: localShellAction(fields) };
    case "shell":
      return {
        id,
        type: "shell_call",
        status,
        call_id,
        action: shellAction(fields),
        environment: { type: "local" },
      };
    case "apply_patch":
      return { id, type: "apply_patch_call", status, call_id, operation: readOperation(fields) };
    case "tool_search":
      return { id, type: "tool_search_call", status, call_id, execution: "client", arguments: fields };
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns the object of a JSON text; an empty one if the text is incomplete. */
function parseObject(json: string): Fields {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
  } catch {
    return {};
  }
}

function localShellAction(fields: Fields) {
  return {
    type: "exec",
    command: readTexts(fields["command"]),
    env: {},
    timeout_ms: readCount(fields["timeout_ms"]),
    user: null,
    working_directory: readText(fields["working_directory"]),
  } as const;
}

function shellAction(fields: Fields) {
  return {
    commands: readTexts(fields["commands"]),
    timeout_ms: readCount(fields["timeout_ms"]),
    max_output_length: readCount(fields["max_output_length"]),
  };
}

function readOperation(fields: Fields) {
  const path = readText(fields["path"]) ?? "";
  const { type } = fields;
  if (type === "delete_file") return { type, path } as const;
  const diff = readText(fields["diff"]) ?? "";
  return { type: type === "create_file" ? type : "update_file", path, diff } as const;
}

function readText(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function readTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

function readCount(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : null;
}
