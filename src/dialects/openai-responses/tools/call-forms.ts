/**
 * How the call of a tool is written: for the model, each tool is a function; clients expect an item of the tool's own type. Pure.
 */
/** The form of the calls of a tool. */
export type CallForm = ClientCallForm | ServerCallForm;

/** The form of calls that the client executes. */
export type ClientCallForm =
  | { readonly type: "function" | "custom"; readonly name: string; readonly namespace: string | null }
  | { readonly type: TypedCall }
  | (McpToolName & { readonly type: "mcp_approval" });

/** Tools whose calls have fields of their own. */
export type TypedCall = "local_shell" | "shell" | "apply_patch" | "tool_search";

/** The form of calls that the server executes. */
export type ServerCallForm = { readonly type: "image_generation" } | McpCallForm;

interface McpCallForm extends McpToolName {
  readonly type: "mcp";
  /** The id of the approval request that the user has answered; absent: the call needs none. */
  readonly approvalRequestId?: string;
}

/** A tool of an MCP server. */
interface McpToolName {
  readonly label: string;
  readonly name: string;
}

/** Forms by the name that the model knows. Tools without one are functions. */
export type CallForms = ReadonlyMap<string, CallForm>;

/** Returns the form of a call of the model. */
export function findCallForm(forms: CallForms, name: string): CallForm {
  return forms.get(name) ?? { type: "function", name, namespace: null };
}

/** Returns the name of a tool for the model: tools of a namespace have its name in front. */
export function modelName(name: string, namespace: string | null | undefined): string {
  if (namespace == null || namespace === "") return name;
  return namespace.endsWith("__") ? namespace + name : `${namespace}__${name}`;
}

/** Whether the server executes the calls. */
export function isServerForm(form: CallForm): form is ServerCallForm {
  return form.type === "image_generation" || form.type === "mcp";
}
