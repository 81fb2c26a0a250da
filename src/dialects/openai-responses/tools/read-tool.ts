import type { Tool } from "../../../core/generation.js";
import type { CallForm } from "./call-forms.js";
import type { ServerToolSettings } from "./server-tools.js";

/** One tool as the model knows it. */
export interface ReadTool {
  readonly tool: Tool;
  readonly form: CallForm;
  readonly param: string;
  readonly schemaPath: string;
  readonly warnings: readonly string[];
  readonly server: ServerToolSettings | null;
}
