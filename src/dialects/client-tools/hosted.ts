/** Tools that a hosted service executes itself. They are left out where the model need not call them. Pure. */
import { unsupported } from "../field-error.js";

/** Returns why a tool is left out, for the header with warnings. */
export function leftOut(param: string, type: string): string {
  return `${param}: tools of the type '${type.slice(0, 100)}' are not executed by this server and were left out`;
}

/** Returns the error for a tool that this server does not execute and that must be called, or of an unknown type. */
export function unsupportedTool(param: string, type: string) {
  return unsupported(param, `tools of the type '${type.slice(0, 200)}' are`);
}

/** The types of hosted tools. MCP servers are not among them: a request that names one expects its tools. */
export const hostedTypes =
  /^(?:web_search|web_fetch|x_search|file_search|collections_search|code_interpreter|code_execution|computer|image_generation|view_image|view_x_video|programmatic_tool_calling|tool_search_tool|advisor|bash_code_execution|text_editor_code_execution)(?:_|$)/;
