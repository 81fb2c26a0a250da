/**
 * How the call of a tool is written: for the model, each tool is a function; clients expect an item of the tool's own type. Pure.
 */
/** The form of the calls of a tool. */
export type CallForm = ClientCallForm | { readonly type: ServerCallType };

/** The form of calls that the client executes. */
export type ClientCallForm =
  | { readonly type: "function" | "custom"; readonly name: string; readonly namespace: string | null }
  | { readonly type: TypedCall };

/** Tools whose calls have fields of their own. */
export type TypedCall = "local_shell" | "shell" | "apply_patch" | "tool_search";

/** Tools whose calls the server executes. */
export type ServerCallType = "image_generation";

/** Forms by the name that the model knows. Tools without one are functions. */
export type CallForms = ReadonlyMap<string, CallForm>;

/** Returns the form of a call of the model. */
export function callFormOf(forms: CallForms, name: string): CallForm {
  return forms.get(name) ?? { type: "function", name, namespace: null };
}

/** Returns the name of a tool for the model: tools of a namespace have its name in front. */
export function modelName(name: string, namespace: string | null | undefined): string {
  if (namespace == null || namespace === "") return name;
  return namespace.endsWith("__") ? namespace + name : `${namespace}__${name}`;
}

/** Whether the server executes the calls. */
export function isServerForm(form: CallForm): form is Exclude<CallForm, ClientCallForm> {
  return form.type === "image_generation";
}
