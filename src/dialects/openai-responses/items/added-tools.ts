import { invalidValue } from "../../field-error.js";
import type { AddedTools } from "../tools/parse.js";
import { toolSchema } from "../tools/schema.js";
import type { InputItem } from "./input-item-schema.js";

/** Returns the tools that the items of a request add. @throws HearthError `invalid_value` that names what is not a tool. */
export function addedTools(items: readonly InputItem[]): readonly AddedTools[] {
  return items.flatMap((item, index) => {
    if (item.type !== "tool_search_output" && item.type !== "additional_tools") return [];
    const param = `input.${index}.tools`;
    const tools = item.tools.map((tool, at) => {
      const parsed = toolSchema.safeParse(tool);
      if (!parsed.success) throw invalidValue(`${param}.${at}`, "is not the definition of a tool");
      return parsed.data;
    });
    return [{ tools, param }];
  });
}
